"""The truth that a tagged PDF carries: what its author's structure tree says of a page, as the corpus' script reads it.

MuPDF sorts the printed text into the tree. A page is left out where the tree holds too few of its words, and says
nothing of order or headings where it cannot be what a reader sees.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as Xml
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

import pymupdf

MIN_SHARE = 0.9  # of the words of the text layer, that stand in the tree
MIN_WORDS = 60  # of a page, in the tree
MIN_DOWNWARD = 0.9  # of the pairs of blocks one above the other, of which the tree lists the upper one first
MAX_HEADINGS = 0.4  # of the words of a page, that stand in headings: more, and every line was tagged as one
MAX_BLOCKS = 200  # of a page, whose pairs are compared
FLAGS = pymupdf.TEXT_COLLECT_STRUCTURE | pymupdf.TEXT_PRESERVE_WHITESPACE
HEADING = re.compile(r"H([1-6]?)|Title")
CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Exhibit)\s+\d")  # some authors make them headings, for their lists
SUBSET = re.compile(r"\A[A-Z]{6}\+")  # before the name of a font of which a file has a part
LABEL = re.compile(r"\A(?:\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|[^\w\s(\"'“‘<$£€¿¡#&@]+)\s+")  # of a list's item
BLOCKS = frozenset({"P", "LI", "Caption", "BlockQuote", "Note", "TOCI", "FENote", "Code", "BibEntry"})
NOT_LOOSE = frozenset(
    {"L", "LI", "TOC", "TOCI", "Caption", "Note", "FENote", "Code", "Index", "BibEntry", "Aside", "Reference"}
)
NOT_READ = frozenset({"Figure", "Formula", "Form"})  # what stands there is a picture or is no text
DRAW = (b"Tj", b"TJ", b"'", b'"', b"Do")  # what draws text, or a form that may
TOKEN = re.compile(
    rb"""\((?:\\.|[^\\()])*\) | <[0-9A-Fa-f\s]*> | << | >> | [\[\]] | /[^\s/<>\[\]()]* | [-+.\d][^\s/<>\[\]()]*
    | (?:true|false|null)\b | (?P<operator>ID\s.*?\sEI(?=\s|$) | [^\s/<>\[\]()]+)""",
    re.X | re.S,
)
NOT_XML = re.compile(r"&#x(?:0*[0-8bcef]|0*1[0-9a-f]|0*fff[ef]|0*d[89a-f]..);", re.I)  # characters that XML cannot have


class TypedText(NamedTuple):
    """A heading or paragraph of the tree by the type of most of its letters: font and size in half points."""

    font: str
    size: float
    num_letters: int
    num_words: int
    role: Literal["heading", "paragraph", "other"]  # a paragraph is no part of a list, a table, a note or a caption


@dataclass(frozen=True, slots=True)
class TaggedPage:
    """`markdown` is in the order of the tree; `scores` are those that it is good for. Pages are counted from 1.

    `items` are the items of lists, without their labels and without what is nested in them.
    """

    number: int
    markdown: str
    scores: frozenset[str]
    items: tuple[str, ...] = ()
    texts: tuple[TypedText, ...] = ()


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading, a paragraph or a table of the tree; its box is (x0, y0, x1, y1) in points, from the top."""

    markdown: str
    box: tuple[float, float, float, float]
    num_words: int
    is_heading: bool = False
    text: TypedText | None = None


def tagged_pages(path: Path, max_pages: int, *, spread: bool = False) -> list[TaggedPage]:
    """The pages whose trees agree with what is printed; none of a file that is damaged, locked or not tagged.

    The first `max_pages` are looked at; with `spread` as many from the whole document.
    """
    try:
        with pymupdf.open(path) as document:
            if document.needs_pass or document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[0] == "null":
                return []
            num_pages = document.page_count
            step = max(1.0, num_pages / max_pages) if spread else 1.0
            numbers = [int(k * step) for k in range(min(max_pages, num_pages))]
            pages = [page_truth(document[k], k + 1) for k in numbers]
    except (RuntimeError, ValueError, IndexError, Xml.ParseError):  # what MuPDF and the parser raise
        return []
    return [page for page in pages if page is not None]


def page_truth(page: pymupdf.Page, number: int) -> TaggedPage | None:
    """The truth of one page, if its tree holds enough of the page; the page's content is written again on the way."""
    outside, root = split_by_marks(page)
    lines = [line for line in map(_text, outside.iter("block")) if line]
    trees = _structs(root)
    num_inside = sum(len(_text(tree).split()) for tree in trees)
    num_all = num_inside + sum(len(line.split()) for line in lines)
    if num_inside < max(MIN_WORDS, MIN_SHARE * num_all):
        return None
    blocks = [block for tree in trees for block in _blocks(tree)]
    scores = {"text", "furn", "no_table"} | ({"table"} if _tables_are_sound(trees) else set())
    scores |= {"order"} if _runs_downward([block.box for block in blocks]) else set()
    num_in_headings = sum(block.num_words for block in blocks if block.is_heading)
    scores |= {"heads"} if num_in_headings <= MAX_HEADINGS * num_inside else set()
    furniture = [f"<!-- furniture: {line} -->" for line in lines]
    return TaggedPage(
        number=number,
        markdown="\n\n".join((*(block.markdown for block in blocks), *furniture)),
        scores=frozenset(scores),
        items=tuple(item for tree in trees for item in list_items(tree)),
        texts=tuple(block.text for block in blocks if block.text is not None),
    )


def _runs_downward(boxes: Sequence[tuple[float, float, float, float]]) -> bool:
    """Whether, of blocks that stand one above the other, nearly always the upper one comes first."""
    wrong = total = 0
    for a, b in combinations(boxes[:MAX_BLOCKS], 2):
        if min(a[2], b[2]) - max(a[0], b[0]) > 0.5 * min(a[2] - a[0], b[2] - b[0]):
            total += 1
            wrong += b[3] <= a[1] + 1.0
    return wrong <= (1 - MIN_DOWNWARD) * total


def split_by_marks(
    page: pymupdf.Page, flags: int = FLAGS, draw: Collection[bytes] = DRAW
) -> tuple[Xml.Element, Xml.Element]:
    """What stands in no tree, and the tree of all else, of what operators named in `draw` draw.

    MuPDF counts what is drawn without a mark to the tree's last node, so each is extracted without the other.
    """
    page.clean_contents(sanitize=False)  # forms of writing that TOKEN does not know are gone
    operators = list(_operators(page.read_contents()))
    marked = _marked(operators)
    document = page.parent
    assert document is not None
    (xref,) = page.get_contents()
    trees: list[Xml.Element] = []
    for inside_marks in (False, True):
        operators_of_side = [
            o for o, inside in zip(operators, marked, strict=True) if inside == inside_marks or o[-1] not in draw
        ]
        document.update_stream(xref, b"\n".join(b" ".join(operator) for operator in operators_of_side))
        text = document[page.number].get_textpage(flags=flags).extractXML()
        trees.append(Xml.fromstring(NOT_XML.sub("", text)))
    return trees[0], trees[1]


def _operators(content: bytes) -> Iterator[list[bytes]]:
    """Each operator of a content stream, behind its operands."""
    tokens: list[bytes] = []
    for match in TOKEN.finditer(content):
        tokens.append(match[0])
        if match["operator"] is not None:
            yield tokens
            tokens = []


def _marked(operators: list[list[bytes]]) -> list[bool]:
    """Whether each operator stands between a mark that the tree can name (MCID) and its end."""
    inside: list[bool] = []
    open_marks = [False]
    for *operands, operator in operators:
        if operator in (b"BDC", b"BMC"):
            open_marks.append(open_marks[-1] or b"/MCID" in operands)
        elif operator == b"EMC" and len(open_marks) > 1:
            open_marks.pop()
        inside.append(open_marks[-1])
    return inside


def _blocks(tree: Xml.Element, *, loose: bool = True) -> Iterator[_Block]:
    """Headings, paragraphs and tables in the order of the tree; text between them is a paragraph."""
    kind = tree.get("std", "")
    if kind in NOT_READ:
        return
    heading = HEADING.fullmatch(kind) if _can_be_heading(tree) else None
    loose = loose and kind not in NOT_LOOSE
    if kind == "Table":
        markdown = "\n".join(("<table>", *(f"<tr>{_row(row)}</tr>" for row in _rows(tree)), "</table>"))
        yield _Block(markdown, _box(tree), len(_text(tree).split()))
    elif HEADING.fullmatch(kind) or not any(_is_block(part) for part in tree):
        text = html.escape(_text(tree), quote=False)
        mark = "#" * int(heading[1] or 1) + " " if heading else "\\" * text.startswith("#")
        if text:
            typed = _typed(tree, "heading" if heading else "paragraph" if loose else "other")
            yield _Block(f"{mark}{text}", _box(tree), len(text.split()), is_heading=heading is not None, text=typed)
    else:
        for part in tree:
            yield from _blocks(part, loose=loose)


def _typed(tree: Xml.Element, role: Literal["heading", "paragraph", "other"]) -> TypedText:
    letters: Counter[tuple[str, float]] = Counter()
    for font in tree.iter("font"):
        name = SUBSET.sub("", font.get("name", ""))
        count = sum(str(char.get("c", "")).isalnum() for char in font.iter("char"))
        letters[name, round(2 * float(font.get("size", 0))) / 2] += count
    (name, size), _ = letters.most_common(1)[0] if letters else (("", 0.0), 0)
    return TypedText(name, size, letters.total(), len(_text(tree).split()), role)


def _can_be_heading(tree: Xml.Element) -> bool:
    """Whether it says something, and is no caption."""
    text = _text(tree)
    return sum(map(str.isalnum, text)) >= 2 and not CAPTION.match(text)


def _box(tree: Xml.Element) -> tuple[float, float, float, float]:
    """Around its lines."""
    boxes = [[float(edge) for edge in line.get("bbox", "0 0 0 0").split()] for line in tree.iter("line")]
    x0, y0, x1, y1 = zip(*boxes, strict=True) if boxes else ((0.0,),) * 4
    return min(x0), min(y0), max(x1), max(y1)


def list_items(tree: Xml.Element) -> Iterator[str]:
    """The texts of the items of all lists below; what stands in a table is text of a cell and no item."""
    kind = tree.get("std")
    if kind == "Table":
        return
    if kind == "LI":
        text = LABEL.sub("", _own_text(tree), count=1).strip()
        if text:
            yield text
    for part in _structs(tree):
        yield from list_items(part)


def _own_text(item: Xml.Element) -> str:
    """What an item of a list says, without its label and the lists and tables within it."""
    parts: list[str] = []
    for part in item:
        if part.tag == "struct" and part.get("std") in ("Lbl", "L", "Table"):
            continue
        parts.append(_own_text(part) if part.tag == "struct" else _text(part))
    return " ".join(part for part in parts if part)


def _is_block(tree: Xml.Element) -> bool:
    """Whether it is a paragraph or holds one."""
    kind = tree.get("std", "")
    if kind in BLOCKS or kind == "Table" or kind in NOT_READ or HEADING.fullmatch(kind):
        return True
    return any(map(_is_block, _structs(tree)))


def _row(row: Xml.Element) -> str:
    return "".join(f"<td>{html.escape(_text(cell), quote=False)}</td>" for cell in _cells(row))


def _tables_are_sound(trees: list[Xml.Element]) -> bool:
    """Whether all rows of a table have as many cells: MuPDF does not say which of them span several."""
    tables = [table for tree in trees for table in tree.iter("struct") if table.get("std") == "Table"]
    return all(len({len(_cells(row)) for row in _rows(table)}) == 1 for table in tables)


def _rows(table: Xml.Element) -> list[Xml.Element]:
    parts = [part for part in _structs(table) if part.get("std") != "Caption"]
    return [row for part in parts for row in ([part] if part.get("std") == "TR" else _rows(part))]


def _cells(row: Xml.Element) -> list[Xml.Element]:
    return [cell for cell in _structs(row) if cell.get("std") in ("TH", "TD")]


def _structs(tree: Xml.Element) -> list[Xml.Element]:
    return [part for part in tree if part.tag == "struct"]


def _text(tree: Xml.Element) -> str:
    """Its lines in the order of the tree."""
    return " ".join(" ".join(str(line.get("text", "")) for line in tree.iter("line")).split())
