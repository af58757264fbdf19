"""Newsletters, papers and brochures: several articles on a page, pull quotes, boxes, and bands of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from training.structure.drawings.typst.figures import figure, picture
from training.structure.drawings.typst.headings import heading, plain, title, two_lines
from training.structure.drawings.typst.lookalikes import address, facts, pull_quote
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, boxed, inked, shade, size
from training.structure.drawings.typst.pages import Page, begin, furniture
from training.structure.drawings.typst.panels import dark_panel, m_grid, panel
from training.structure.drawings.typst.prose import contents, items, paragraph
from training.structure.drawings.typst.style import BARS, WHITE
from training.structure.drawings.typst.tables import table

CONTINUED = "#linebreak(justify:true)"


def newsletter(m: Manuscript) -> None:
    """A masthead, then articles in columns, some with a pull quote, a picture, or a box."""
    page = _page(m, m.chance.choice((2, 2, 3, 3, 4)))
    begin(m, page, *(furniture(m) if m.likely(0.6) else ("", "")))
    m.add(f'#place(top+center,scope:"parent",float:true,clearance:1.2em)[#set align(start)\n{_masthead(m)}]')
    for _ in range(m.chance.randint(2, 6)):
        m.add(_article(m))
        if m.likely(0.35):
            m.add(
                m.some(
                    (3, lambda: pull_quote(m)),
                    (2, lambda: boxed(panel(m), "fill:luma(232)", "inset:7pt")),
                    (1, lambda: dark_panel(m)),
                )
            )


def bands(m: Manuscript) -> None:
    """Columns above and below what spans them: every band is read column by column."""
    page = _page(m, 1)
    begin(m, page, *(furniture(m) if m.likely(0.7) else ("", "")))
    if m.likely(0.5):
        m.add(aligned(m.either("start", "center"), title(m)))
    for _ in range(m.chance.randint(2, 4)):
        m.add(_band(m))
        m.add(
            m.some(
                (4, lambda: figure(m)),
                (2, lambda: heading(m, 0)),
                (2, lambda: heading(m, 1)),
                (2, lambda: table(m)),
                (1.5, lambda: paragraph(m, 60, 400)),
                (1, lambda: pull_quote(m)),
                (1, lambda: "#line(length:100%,stroke:0.5pt)"),
            )
        )


def plain_columns(m: Manuscript) -> None:
    """Columns of paragraphs that begin level as often as not, with a table, a figure or a heading among them."""
    page = _page(m, 1)
    begin(m, page, *(furniture(m) if m.likely(0.4) else ("", "")))
    if m.likely(0.3):
        m.add(title(m))
    count = m.chance.choice((2, 2, 2, 3))
    length, is_level = m.chance.randint(100, 450), m.likely(0.6)
    num_parts = m.chance.randint(2, 5)

    def part(index: int) -> str:
        if index and m.likely(0.15):
            return m.some((2, lambda: table(m)), (1, lambda: figure(m)), (2, lambda: heading(m, 1)))
        return paragraph(m, length, length + 15 if is_level else 2 * length)

    def column(em: float) -> str:
        parts = "\n\n".join(part(index) for index in range(num_parts + m.chance.randint(-1, 1)))
        return f"#set text(size:{em}em)\n{parts}"

    is_uneven = m.likely(0.3)  # as columns of two texts that stand beside each other
    cells = [column(m.chance.choice((0.75, 0.85, 1.0)) if is_uneven else 1.0) for _ in range(count)]
    widths = [f"{m.between(0.6, 1.9):.2f}fr" if is_uneven or m.likely(0.3) else "1fr" for _ in range(count)]
    m.add(m_grid(widths, cells, m.between(10, 30)))


def with_sidebar(m: Manuscript) -> None:
    """A narrow column of short pieces beside the articles; the narrow one is read first if it stands first."""
    page = _page(m, 1)
    begin(m, page, *(furniture(m) if m.likely(0.5) else ("", "")))
    if m.likely(0.8):
        m.add(_masthead(m))
    fill = m.either("fill:luma(232)", "", 'fill:rgb("#e8f0fa")', "stroke:(right:0.6pt)", "stroke:0.5pt")
    is_first = m.likely(0.6)

    def narrow() -> str:
        pieces = "\n\n".join(_piece(m) for _ in range(m.chance.randint(2, 5)))
        return boxed(f"#set text(size:{m.chance.choice((0.8, 0.9))}em)\n{pieces}", fill, "inset:7pt", "breakable:false")

    def wide() -> str:
        return "\n\n".join(_article(m) for _ in range(m.chance.randint(1, 3)))

    cells = [narrow(), wide()] if is_first else [wide(), narrow()]
    m.add(m_grid(["1fr", "2.3fr"] if is_first else ["2.3fr", "1fr"], cells, m.between(12, 22)))


def _piece(m: Manuscript) -> str:
    """Officers, an address, what else there is."""
    ink = m.ink("text")
    names = "#linebreak()".join(inked(ink, m.writer.person()) for _ in range(m.chance.randint(2, 6)))
    return m.some(
        (4, lambda: panel(m, is_short=True)),
        (2, lambda: plain(m, m.writer.heading(3), 2, BOLD) + f"\n\n#flat[{names}]"),
        (2, lambda: facts(m)),
        (1, lambda: address(m)),
        (1, lambda: pull_quote(m)),
        (1, lambda: items(m, 4)),
    )


def _page(m: Manuscript, columns: int) -> Page:
    width, height = m.chance.choice(((595, 842), (612, 792), (612, 792), (792, 1224)))
    m.style = replace(m.style, size=m.chance.choice((8, 8.5, 9, 9.5, 10)))
    sides = m.between(28, 70)
    return Page(width, height, sides, sides, m.between(36, 70), m.between(36, 70), columns, gutter=m.between(10, 24))


def _masthead(m: Manuscript) -> str:
    bar = m.chance.choice(BARS) if m.likely(0.35) else None
    colour = WHITE if bar is not None else None
    name = title(m, m.writer.phrase(1, 4), m.between(2.4, 4.4), colour)
    issue = (
        f"{m.either('Vol.', 'Issue', 'No.', 'Volume')} {m.chance.randint(1, 90)}"
        if m.writer.is_latin
        else m.writer.phrase(1, 2)
    )
    other = WHITE if bar is not None else 0
    line = f"{m.say('text', issue, colour=other)}#h(1fr){m.say('text', m.writer.date(), colour=other)}"
    content = f"#flat[#set align({m.either('start', 'center')})\n{name}\n\n{line}]"
    fill = (f"fill:{shade(bar)}", "inset:10pt") if bar is not None else ("stroke:(bottom:1pt)", "inset:(bottom:6pt)")
    source = boxed(content, *fill)
    if m.likely(0.25):
        head = plain(m, m.writer.term("contents"), 1, BOLD)
        source += boxed(f"#flat[{head}]\n\n{contents(m, m.chance.randint(3, 6))}", "fill:luma(238)", "inset:6pt")
    return source


def _article(m: Manuscript) -> str:
    """A headline, who wrote it, and the text."""
    parts = [m.some((6, lambda: heading(m, 0)), (2, lambda: two_lines(m, 0)), (3, lambda: heading(m, 1)))]
    if m.likely(0.15):
        parts.append(m.say("text", m.writer.text(30, 110), size(1.15), m.either(BOLD, ITALIC)))  # what it is about
    if m.likely(0.5):
        by = m.either("By ", "by ", "") if m.writer.is_english else ""
        parts.append(m.say("text", by + m.writer.person(), size(0.9), m.either(BOLD, ITALIC, "")))
    if m.likely(0.25):
        parts.append(f"#par(first-line-indent:0pt)[{_dateline(m)}]")
    makers = ((8, lambda: paragraph(m, 80, 600)), (1, lambda: items(m, 5)), (1, lambda: heading(m, 2)))
    parts += [m.some(*makers) for _ in range(m.chance.randint(1, 4))]
    if m.likely(0.3):
        parts.append(_photo(m))
    return "\n\n".join(parts)


def _dateline(m: Manuscript) -> str:
    """A place before the first words: part of the paragraph."""
    ink = m.ink("text")
    return inked(ink, f"{m.writer.name().upper()} — ", m.either("", BOLD)) + inked(ink, m.writer.text(100, 500))


def _photo(m: Manuscript) -> str:
    """A picture whose caption has no number."""
    under = m.say("caption", m.writer.text(15, 110), size(0.8), m.either("", ITALIC, BOLD))
    shown = picture(m, m.between(50, 130), "100%")
    return f"#block(breakable:false,width:100%)[#flat[{shown}#v(0.4em,weak:true){under}]]"


def _band(m: Manuscript) -> str:
    columns = m.chance.choice((2, 2, 2, 3))
    cells: list[str] = []
    rest = ""
    for index in range(columns):
        parts = [rest] if rest else []
        parts += [_column_part(m)() for _ in range(m.chance.randint(1, 2))]
        rest = ""
        if index + 1 < columns and m.likely(0.6):
            start, rest = _divided(m)
            parts.append(start)
        cells.append("\n\n".join(parts))
    return m_grid(["1fr"] * columns, cells, m.between(10, 26))


def _column_part(m: Manuscript) -> Callable[[], str]:
    return m.chance.choice(
        (
            lambda: paragraph(m, 80, 500),
            lambda: paragraph(m, 80, 500),
            lambda: paragraph(m, 80, 500),
            lambda: items(m, 5),
            lambda: heading(m, 2) + "\n\n" + paragraph(m, 60, 300),
        )
    )


def _divided(m: Manuscript) -> tuple[str, str]:
    """A paragraph that goes on at the top of the next column."""
    ink = m.ink("text")
    words = m.writer.text(120, 500).split(" ")
    half = max(1, len(words) // 2)
    first = inked(ink, " ".join(words[:half])) + CONTINUED
    return first, f"#par(first-line-indent:0pt)[{inked(ink, ' '.join(words[half:]))}]" if words[half:] else ""
