"""Tagged PDFs written object by object, as ISO 32000-1 (14.6 to 14.8) has them: what they say is known."""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """Text in one marked-content sequence; `y` counts from the top. Its number is its place in the list."""

    text: str
    x: float = 60
    y: float = 60
    size: float = 10
    font: str = "F1"


class Tag(NamedTuple):
    """An element: its kids are elements, or numbers of marks."""

    role: str
    kids: tuple[object, ...] = ()
    more: str = ""  # further entries of its dictionary


def tag(role, *kids, more=""):
    return Tag(role, kids, more)


def tagged_pdf(tree, marks, *, artifacts=(), loose=(), role_map="", catalog="", pictures=()):
    """One page of 612 x 792; `pictures` are (mark, x0, y0, x1, y1), drawn as bars, y from the top."""
    content = "".join(_shown(f"/Span <</MCID {k}>> BDC", mark) for k, mark in enumerate(marks))
    content += "".join(_shown("/Artifact BMC", mark) for mark in artifacts)
    content += "".join(_shown("", mark) for mark in loose)
    for mark, x0, y0, x1, y1 in pictures:
        width = (x1 - x0) / 9  # five bars with gaps as wide
        bars = " ".join(f"{x0 + 2 * k * width:.2f} {792 - y1} {width:.2f} {y1 - y0} re f" for k in range(5))
        content += f"/Figure <</MCID {mark}>> BDC 0.4 g {bars} 0 g EMC\n"
    elements: list[str] = []
    owners: dict[int, int] = {}
    root = _written(tree, 5, elements, owners)
    num_marks = max([len(marks), *(picture[0] + 1 for picture in pictures)])
    parents = " ".join(f"{owners[k]} 0 R" if k in owners else "null" for k in range(num_marks))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 5 0 R/MarkInfo<</Marked true>>{catalog}>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/StructParents 0/Contents 4 0 R/Resources<</Font<<"
        "/F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>/F2<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>"
        "/F3<</Type/Font/Subtype/Type1/BaseFont/Courier>>>>>>>>",
        f"<</Length {len(content)}>>\nstream\n{content}endstream",
        f"<</Type/StructTreeRoot/K {root} 0 R/RoleMap<<{role_map}>>/ParentTree<</Nums[0[{parents}]]>>>>",
        *elements,
    ]
    return _file(objects)


def _shown(begin, mark):
    text = mark.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    end = "EMC" if begin else ""
    return f"{begin} BT /{mark.font} {mark.size} Tf {mark.x} {792 - mark.y} Td ({text}) Tj ET {end}\n"


def _written(tree, parent, elements, owners):
    """The number of the object of an element, which is written with all below."""
    own = 6 + len(elements)
    elements.append("")
    kids: list[str] = []
    for kid in tree.kids:
        if isinstance(kid, Tag):
            kids.append(f"{_written(kid, own, elements, owners)} 0 R")
        else:
            owners[kid] = own
            kids.append(str(kid))
    elements[own - 6] = f"<</Type/StructElem/S/{tree.role}/P {parent} 0 R/Pg 3 0 R/K[{' '.join(kids)}]{tree.more}>>"
    return own


def _file(objects):
    body = b"%PDF-1.7\n"
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n"
    return body + f"{end}%%EOF\n".encode()
