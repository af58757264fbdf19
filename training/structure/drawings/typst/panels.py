"""Panels: a short heading and little text under it, alone, side by side, or as cards in a grid."""

from __future__ import annotations

from collections.abc import Callable

from training.structure.drawings.typst.figures import artwork, picture
from training.structure.drawings.typst.headings import plain
from training.structure.drawings.typst.lookalikes import big_number, facts, lookalike
from training.structure.drawings.typst.manuscript import BOLD, Manuscript, boxed, face, inked, shade, size
from training.structure.drawings.typst.prose import items, paragraph
from training.structure.drawings.typst.style import BARS, WHITE

FRAMES = (
    "fill:luma(235)",
    "stroke:0.6pt",
    "",
    "",
    'fill:rgb("#dbe9f7")',
    "stroke:(left:3pt+blue)",
    "stroke:(top:2pt+gray)",
    "radius:6pt,stroke:0.7pt",
)


def panel(m: Manuscript, *, is_short: bool = False, level: int = 2) -> str:
    """A heading of one of many looks and what stands under it; sometimes no heading."""
    parts: list[str] = []
    if m.likely(0.85):
        parts.append(panel_heading(m, level))
    longest = 120 if is_short else 350
    makers = (
        (60, lambda: paragraph(m, 30, longest)),
        (22, lambda: items(m, 4 if is_short else 6)),
        (7, lambda: lookalike(m)),
        (4, lambda: facts(m)),
        (5, lambda: artwork(m, m.between(40, 90))),
        (3, lambda: big_number(m)),
    )
    parts += [m.some(*makers) for _ in range(1 if is_short else m.chance.randint(1, 3))]
    return "\n\n".join(parts)


def panel_heading(m: Manuscript, level: int) -> str:
    em = m.chance.choice((1.0, 1.0, 1.1, 1.25, 1.5))
    look = BOLD if em < 1.1 or m.likely(0.8) else ""
    text = m.writer.heading(5)
    if m.writer.is_latin and m.likely(0.3):
        text = text.upper()
    text += m.chance.choices(("", ":", "."), (72, 25, 3))[0]
    below = "below:0.6em,sticky:true"
    form = m.chance.choices(("line", "bar", "two lines", "underlined"), (74, 12, 8, 6))[0]
    if form == "bar":
        head = plain(m, text, level, size(em), look, colour=WHITE)
        return f"#block(width:100%,inset:4pt,fill:{shade(m.chance.choice(BARS))},{below})[{head}]"
    if form == "two lines":
        return f"#block({below})[{broken_heading(m, level, em)}]"
    head = plain(m, text, level, size(em), look)
    return f"#block({below})[{'#underline[' + head + ']' if form == 'underlined' else head}]"


def broken_heading(m: Manuscript, level: int, em: float, colour: int | None = None) -> str:
    """A heading that its designer broke over two or three lines."""
    ink = m.ink("heading", m.style.accent if colour is None else colour, level)
    lines = [m.writer.phrase(1, 2) for _ in range(m.chance.choice((2, 2, 3)))]
    if m.writer.is_latin and m.likely(0.7):
        lines = [line.upper() for line in lines]
    looks = (size(em), BOLD if m.likely(0.8) else "", face(m.style.headings[0].font))
    return "#linebreak()".join(inked(ink, line, *looks) for line in lines)


def cards(m: Manuscript, em: float = 1.0) -> str:
    """Equal panels in rows; each is read to its end before the next."""
    is_wide = m.width > 45 * m.style.size * em
    columns = m.chance.choice((2, 2, 3, 3, 4)) if is_wide else m.chance.choice((2, 2, 3))
    rows = m.chance.choice((1, 1, 2, 3))
    frame = _frame(m)
    inset = f"inset:{m.between(4, 10)}pt" if frame else ""
    cells = [boxed(panel(m, is_short=True), frame, inset) for _ in range(columns * rows)]
    return m_grid(["1fr"] * columns, cells, m.between(6, 20), em)


def side_by_side(m: Manuscript, make: Callable[[], str], count: int, em: float = 1.0) -> str:
    """Columns that have nothing to do with each other, each read to its end."""
    widths = [m.either("1fr", "1fr", "1.5fr") for _ in range(count)]
    return m_grid(widths, [make() for _ in range(count)], m.between(12, 30), em)


def stack(m: Manuscript) -> str:
    """Panels on top of one another."""
    frame = _frame(m)
    inset = "inset:7pt" if frame else ""
    return "\n\n".join(boxed(panel(m), frame, inset) for _ in range(m.chance.randint(1, 3)))


def dark_panel(m: Manuscript) -> str:
    """White text on a colour."""
    head = plain(m, m.writer.heading(5), 2, size(m.between(1, 1.5)), BOLD, colour=WHITE)
    body = m.say("text", m.writer.text(40, 260), colour=WHITE)
    return boxed(f"#flat[{head}\n\n{body}]", f"fill:{shade(m.chance.choice(BARS))}", "inset:9pt")


def picture_beside(m: Manuscript) -> str:
    """A picture with text to its side."""
    shown = picture(m, m.between(60, 150), "100%")
    cells = [shown, panel(m)]
    if m.likely(0.5):
        cells.reverse()
    return m_grid(["1fr", "1.6fr"], cells, 14)


def _frame(m: Manuscript) -> str:
    """What a panel stands on; no light colour on dark paper."""
    frame = m.chance.choice(FRAMES)
    return "stroke:0.5pt+gray" if m.is_dark and frame.startswith("fill") else frame


def m_grid(widths: list[str], cells: list[str], gutter: float, em: float = 1.0) -> str:
    contents = ",".join(f"[{cell}]" for cell in cells)
    grid = f"#grid(columns:({','.join(widths)},),gutter:{gutter:.0f}pt,{contents})"
    return f"#[#set text(size:{em}em)\n#set par(justify:false,first-line-indent:0pt)\n{grid}]"
