"""Flyers, posters and programmes: a large title, panels, bars of colour, headings broken over lines."""

from __future__ import annotations

from dataclasses import replace

from training.structure.drawings.typst.figures import figure, picture
from training.structure.drawings.typst.headings import title
from training.structure.drawings.typst.lookalikes import big_number, pull_quote
from training.structure.drawings.typst.manuscript import BOLD, Manuscript, aligned, boxed, inked, shade, size
from training.structure.drawings.typst.pages import Page, begin, furniture
from training.structure.drawings.typst.panels import (
    broken_heading,
    cards,
    dark_panel,
    panel,
    panel_heading,
    picture_beside,
    side_by_side,
    stack,
)
from training.structure.drawings.typst.prose import items, paragraph
from training.structure.drawings.typst.style import BARS, BLACK, WHITE
from training.structure.drawings.typst.tables import table

SHAPES = ((595, 842), (595, 842), (612, 792), (842, 595), (792, 612), (420, 595), (842, 1191))


def flyer(m: Manuscript) -> None:
    width, height = m.chance.choice(SHAPES)
    if m.likely(0.3):
        m.style = replace(m.style, size=m.style.size * 1.3)
    sides = m.between(18, 60)
    header, footer = furniture(m) if m.likely(0.3) else ("", "")
    edge = m.between(40, 60) if header or footer else m.between(16, 60)
    begin(m, Page(width, height, sides, sides, edge, edge), header, footer)
    _head(m)
    for _ in range(m.chance.randint(2, 6)):
        m.add(_band(m))
    if m.likely(0.5):
        m.add(_contact(m))


def poster(m: Manuscript) -> None:
    """A large sheet of columns whose sections have their headings on bars or over lines."""
    m.style = replace(m.style, size=m.between(11, 15))
    width, height = m.chance.choice(((1191, 842), (842, 1191), (1296, 864)))
    columns = 3 if width < height else m.chance.choice((3, 4))
    begin(m, Page(width, height, 36, 36, 40, 36, columns, gutter=m.between(14, 26)), "", "")
    authors = m.say("text", ", ".join(m.writer.person() for _ in range(m.chance.randint(1, 5))), size(1.1))
    institute = m.say("text", m.writer.institute(), size(0.9))
    top = f"#flat[#set align(center)\n{title(m, scale=m.between(1.8, 2.8))}\n\n{authors}\n\n{institute}]"
    m.add(f'#place(top+center,scope:"parent",float:true,clearance:1.4em)[{boxed(top, "inset:8pt")}]')
    for _ in range(columns * m.chance.randint(3, 4)):
        m.add(panel_heading(m, 1))
        m.add(
            m.some(
                (5, lambda: paragraph(m, 100, 500)),
                (3, lambda: items(m)),
                (3, lambda: figure(m)),
                (2, lambda: table(m, max_rows=7)),
            )
        )


def _head(m: Manuscript) -> None:
    """The title on paper or on a bar, with a line or two around it."""
    bar = m.chance.choice(BARS) if m.likely(0.4) else None
    colour = WHITE if bar is not None else BLACK
    lines: list[str] = []
    if m.likely(0.2):
        lines.append(m.say("text", m.writer.phrase(1, 5), size(1.1), colour=colour))
    lines.append(title(m, m.writer.phrase(1, 6), m.between(1.8, 3.6), WHITE if bar is not None else None))
    if m.likely(0.5):
        lines.append(m.say("text", m.writer.text(20, 110), size(m.between(1, 1.4)), colour=colour))
    if m.likely(0.3):
        lines.append(m.say("text", m.writer.date(), size(1.2), m.either("", BOLD), colour=colour))
    content = f"#flat[#set align({m.either('start', 'center')})\n" + "\n\n".join(lines) + "]"
    fill = (f"fill:{shade(bar)}", "inset:12pt") if bar is not None else ()
    m.add(boxed(content, *fill, "below:1.4em"))


def _band(m: Manuscript) -> str:
    """What goes across the page."""
    return m.some(
        (22, lambda: cards(m)),
        (24, lambda: side_by_side(m, lambda: stack(m), m.chance.choice((2, 2, 3)))),
        (8, lambda: side_by_side(m, lambda: m.some((1, lambda: dark_panel(m)), (2, lambda: panel(m))), 2)),
        (
            10,
            lambda: (
                aligned(m.either("start", "center"), broken_heading(m, 1, m.between(1.3, 2.4)))
                + "\n\n"
                + paragraph(m, 40, 300)
            ),
        ),
        (8, lambda: picture_beside(m)),
        (6, lambda: aligned("center", picture(m, m.between(80, 220)))),
        (6, lambda: side_by_side(m, lambda: big_number(m), m.chance.randint(2, 4))),
        (6, lambda: programme(m)),
        (5, lambda: table(m, captioned=False)),
        (5, lambda: items(m)),
        (4, lambda: pull_quote(m)),
        (6, lambda: panel(m)),
    )


def programme(m: Manuscript) -> str:
    """What happens when: a table of times without rules."""
    cells: list[str] = []
    look = m.either(BOLD, "")
    hour = m.chance.randint(7, 12)
    for index in range(m.chance.randint(3, 8)):
        time = f"{hour + index}:{m.chance.choice(('00', '15', '30', '45'))}"
        cells.append(f"[{m.say('table', time, look)}]")
        cells.append(f"[{m.say('table', m.writer.phrase(1, 6))}]")
    shown = ",".join(m.cells(cells, 2))
    return f"#flat[#grid(columns:(auto,1fr),column-gutter:14pt,row-gutter:{m.between(5, 10)}pt,{shown})]"


def _contact(m: Manuscript) -> str:
    """Where to ask, at the end: an address in a box or bar."""
    bar = m.chance.choice(BARS) if m.likely(0.4) else None
    colour = WHITE if bar is not None else BLACK
    ink = m.ink("text", colour)
    pieces = [m.writer.company(), m.writer.phone(), m.writer.web_site(), *m.writer.address()[1:]]
    separator = m.either(" | ", " • ", ", ")
    if m.likely(0.5):
        body = inked(ink, separator.join(pieces), m.either("", BOLD))
    else:
        body = "#linebreak()".join(inked(ink, piece) for piece in pieces)
    fill = f"fill:{shade(bar)}" if bar is not None else m.either("fill:luma(225)", "stroke:0.5pt", "")
    return boxed(f"#flat[#set align({m.either('start', 'center')})\n{body}]", fill, "inset:7pt")
