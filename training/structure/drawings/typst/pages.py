"""The pages of a document: size, margins, columns, faces, and the furniture at their edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from documents.segments.roles import Role
from training.structure.drawings.typst.manuscript import (
    BOLD,
    ITALIC,
    PRELUDE,
    Manuscript,
    aligned,
    face,
    quoted,
    shade,
    size,
)
from training.structure.drawings.typst.style import INKS

LINE = "#block(above:0.4em,below:0.4em,line(length:100%,stroke:0.4pt))"
LEADINGS = (0.45, 0.55, 0.65, 0.65, 0.65, 0.8, 1.1)  # em
TALL_LEADINGS = (0.75, 0.85, 0.95, 1.1)  # for scripts whose letters reach far above and below the line
LINE_OF_FURNITURE = 2.4  # em of the margin
EDGE = 16  # points that stay white
SUBSTITUTES = (
    '"Noto Sans","Noto Sans CJK SC","Noto Naskh Arabic","Noto Sans Hebrew","Noto Sans Devanagari","DejaVu Sans"'
)


@dataclass(frozen=True, slots=True)
class Page:
    """Lengths in points."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    columns: int = 1
    colour: str = ""  # of the paper, as Typst writes it
    gutter: float = 16.0


def begin(m: Manuscript, page: Page, header: str = "", footer: str = "", spacing: float | None = None) -> None:
    """Write what comes before the text."""
    r = m.chance
    page = replace(page, top=_with_room(m, page.top, header), bottom=_with_room(m, page.bottom, footer))
    m.width = (page.width - page.left - page.right - page.gutter * (page.columns - 1)) / page.columns
    is_justified = m.likely(0.75 if page.columns > 1 else 0.5)
    indent = m.chance.choice((0, 0, 1, 1.5, 2))
    if spacing is None:
        spacing = m.between(0.45, 0.8) if indent and m.likely(0.7) else m.between(0.8, 1.6)
    margin = f"(left:{page.left:.0f}pt,right:{page.right:.0f}pt,top:{page.top:.0f}pt,bottom:{page.bottom:.0f}pt)"
    furniture = (f",header:[#flat[{header}]]" if header else "") + (f",footer:[#flat[{footer}]]" if footer else "")
    fill = f",fill:{page.colour}" if page.colour else ""
    fonts = f"({quoted(m.style.font)},{SUBSTITUTES})"
    stretch = "75%" if m.likely(0.05) else "100%"  # narrow faces
    leading = r.choice(TALL_LEADINGS if m.writer.is_tall else LEADINGS)
    hyphenates = str(is_justified and m.likely(0.7)).lower()
    separator = r.choice(
        ("line(length:30%,stroke:0.5pt)", "line(length:30%,stroke:0.5pt)", "none", "line(length:100%)")
    )
    m.add(PRELUDE.strip())
    m.add(
        f"#set page(width:{page.width}pt,height:{page.height}pt,margin:{margin},"
        f"columns:{page.columns}{fill}{furniture})\n"
        f"#set columns(gutter:{page.gutter:.0f}pt)\n"
        f"#set text(font:{fonts},size:{m.style.size}pt,stretch:{stretch},"
        f"hyphenate:{hyphenates},lang:{quoted(m.writer.language.code)})\n"
        f"#set par(justify:{str(is_justified).lower()},leading:{leading}em,"
        f"spacing:{spacing}em,first-line-indent:(amount:{indent}em,all:{r.choice(('true', 'false'))}))\n"
        f"#set footnote.entry(separator:{separator})\n"
        f"#show footnote.entry:set text(size:{r.choice((0.8, 0.85, 0.9))}em)"
    )


def _with_room(m: Manuscript, margin: float, furniture_source: str) -> float:
    """The margin, as wide as its lines of furniture need."""
    lines = bool(furniture_source) + ("#linebreak()" in furniture_source)
    return max(margin, lines * LINE_OF_FURNITURE * m.style.size + EDGE) if lines else margin


def book_page(m: Manuscript, columns: int | None = None) -> Page:
    """A page of ordinary paper."""
    r = m.chance
    width, height = r.choice(((595, 842), (595, 842), (612, 792), (612, 792), (482, 680), (420, 595), (540, 720)))
    if columns is None:
        columns = r.choices((1, 2, 3, 4), (52, 36, 9, 3) if width > 500 else (85, 15, 0, 0))[0]
    left = m.between(36, 90)
    right = left if m.likely(0.7) else m.between(36, 90)
    top = m.between(40, 90)
    return Page(width, height, left, right, top, m.between(40, 90), columns, gutter=m.between(11, 28))


def furniture(m: Manuscript) -> tuple[str, str]:
    """Header and footer; each may be empty, and few documents have both in full."""
    number = page_number(m)
    header = m.chance.choices(("", "one", "two", "number", "box"), (42, 20, 30, 5, 3))[0]
    footer = m.chance.choices(("", "one", "two", "number"), (20, 10, 25, 45))[0]
    if header in ("two", "number", "box") and footer in ("two", "number"):
        footer = "" if m.likely(0.6) else "one"
    top = _edge(m, "page_header", header, number)
    bottom = _edge(m, "page_footer", footer, number)
    if top and m.likely(0.3):
        top += LINE
    if bottom and m.likely(0.2):
        bottom = LINE + bottom
    if top and m.likely(0.25):
        top = _but_first(top)
    return top, bottom


def running_heads(m: Manuscript) -> tuple[str, str]:
    """A book: title on the left pages, chapter on the right ones, the number outside."""
    number = page_number(m, bare=True)
    looks = small_looks(m)
    left = f"{number}#h(1fr){m.say('page_header', m.writer.phrase(2, 6), *looks)}"
    right = f"{m.say('page_header', m.writer.phrase(2, 6), *looks)}#h(1fr){number}"
    return _but_first(f"#context if calc.even(here().page()) [{left}] else [{right}]"), ""


def number_alone(m: Manuscript) -> tuple[str, str]:
    return "", aligned(m.either("center", "center", "end"), page_number(m))


def _edge(m: Manuscript, role: Role, kind: Literal["", "one", "two", "number"] | str, number: str) -> str:
    if not kind:
        return ""
    if kind == "number":
        return aligned(m.either("center", "center", "end", "start"), number)
    looks = small_looks(m)
    if m.likely(0.06):  # a mark of the publisher
        mark = f"#box(width:{m.between(12, 50)}pt,height:{m.between(8, 14)}pt,fill:{shade(m.chance.choice(INKS))})"
        return f"{mark}#h({m.chance.choice((6, 10))}pt){m.say(role, _running_text(m), *looks)}#h(1fr){number}"
    if kind == "box":
        return _boxed_edge(m, role, number, looks)
    first = m.say(role, _running_text(m), *looks)
    if kind == "one":
        content = aligned(m.either("center", "start", "end"), first)
        if m.likely(0.15):
            content += f"#linebreak(){m.say(role, m.writer.text(20, 110), size(0.75))}"
        return content
    second = number if m.likely(0.75) else m.say(role, _running_text(m), *looks)
    if m.likely(0.15):
        third = m.say(role, _running_text(m), *looks)
        return f"{first}#h(1fr){second}#h(1fr){third}"
    gap = m.either("#h(1fr)", "#h(1fr)", "#h(1fr)", "#h(1.5em)")
    return f"{first}{gap}{second}" if m.likely(0.65) else f"{second}{gap}{first}"


def _boxed_edge(m: Manuscript, role: Role, number: str, looks: tuple[str, ...]) -> str:
    """Cells at the head of every page of a procedure: who, what, which version, which page."""
    cells = ",".join(f"[{m.say(role, _running_text(m), *looks)}]" for _ in range(2))
    return f"#table(columns:(auto,1fr,auto),inset:4pt,stroke:0.5pt,align:horizon,{cells},[{number}])"


def _running_text(m: Manuscript) -> str:
    w = m.writer
    makers: tuple[Callable[[], str], ...] = (
        lambda: w.phrase(1, 7),
        lambda: w.phrase(2, 7).upper(),
        w.date,
        w.web_site,
        w.company,
        lambda: f"{w.person()} et al." if w.is_latin else w.person(),
        lambda: f"{w.name()} {m.chance.randint(1, 90)} ({m.chance.randint(1970, 2026)})",
        lambda: f"© {m.chance.randint(1990, 2026)} {w.company()}",
        lambda: (
            f"{m.either('Version', 'Rev.', 'Draft', 'Vol.', 'No.')} {m.chance.randint(1, 12)}.{m.chance.randint(0, 9)}"
        ),
    )
    return m.chance.choice(makers)()


def small_looks(m: Manuscript) -> tuple[str, ...]:
    other = face(m.style.other_font) if m.likely(0.3) else ""
    return (size(m.chance.choice((0.75, 0.8, 0.85, 0.9, 1.0))), m.either("", "", "", ITALIC, BOLD), other)


def page_number(m: Manuscript, *, bare: bool = False) -> str:
    """The number of the page, in one of its many forms."""
    r = m.chance
    page = m.writer.term("page")
    total = r.randint(6, 400)
    forms = [("", ""), ("- ", " -"), (f"{page} ", ""), (f"{page} ", f" of {total}"), ("", f" / {total}"), ("| ", "")]
    forms += [("", ""), ("", ""), ("", ""), ("[", "]"), ("– ", " –"), ("p. ", ""), (f"{r.choice('ABCDE')}-", "")]
    if m.writer.language.script in ("chinese", "japanese"):
        forms = [("", ""), ("第 ", " 页"), ("- ", " -"), ("", f" / {total}")]
    before, after = ("", "") if bare else r.choice(forms)
    offset = r.choice((0, 0, 0, r.randint(1, 400)))
    value = f"str(here().page()+{offset})" if m.likely(0.93) else 'numbering("i",here().page())'
    looks = ",".join((size(r.choice((0.8, 0.9, 1.0, 1.0, 1.2))), *([BOLD] if m.likely(0.15) else [])))
    return f"#context t({m.ink('page_number')},{quoted(before)}+{value}+{quoted(after)},{looks});"


def _but_first(content: str) -> str:
    return f"#context if here().page() > 1 [{content}]"
