"""Slides: a title on each, and under it bullets, halves, cards, large numbers, a picture or a table."""

from __future__ import annotations

from dataclasses import replace

from training.structure.drawings.typst.figures import artwork, caption, picture
from training.structure.drawings.typst.headings import plain, title
from training.structure.drawings.typst.lookalikes import big_number, pull_quote
from training.structure.drawings.typst.manuscript import BOLD, Manuscript, aligned, boxed, shade, size
from training.structure.drawings.typst.pages import LINE, Page, begin, furniture
from training.structure.drawings.typst.panels import cards, m_grid, panel, side_by_side
from training.structure.drawings.typst.prose import items, paragraph, program
from training.structure.drawings.typst.style import BARS, BLACK, WHITE, Style
from training.structure.drawings.typst.tables import table

SHAPES = ((720, 405), (720, 405), (720, 540), (960, 540), (842, 595))
PAPER_COLOURS = ("", "", "", "", 'rgb("#f4f4f4")', 'rgb("#fff8e7")')

DARK_PAPERS = ('rgb("#102040")', "black", 'rgb("#303030")', 'rgb("#5b0f1a")')
LIGHT_INKS = (WHITE, WHITE, 0xFFD54F, 0x90CAF9)


def slides(m: Manuscript) -> None:
    width, height = m.chance.choice(SHAPES)
    m.style = _scaled(m, width)
    m.is_dark = m.likely(0.15)
    if m.is_dark:
        m.style = replace(m.style, accent=m.chance.choice(LIGHT_INKS))
    top = m.between(24, 56)
    sides = m.between(30, 70)
    page = Page(
        width,
        height,
        sides,
        sides,
        top,
        m.between(28, 48),
        colour=m.chance.choice(DARK_PAPERS if m.is_dark else PAPER_COLOURS),
    )
    header, footer = furniture(m) if m.likely(0.7) else ("", "")
    begin(m, page, header if top > 40 and m.likely(0.5) else "", footer)
    if m.likely(0.6):
        _first(m, height)
    form = _TitleForm(m)
    for _ in range(m.chance.randint(2, 4)):
        m.add(form.title())
        m.add(_body(m, height - top))
        m.add("#pagebreak(weak:true)")


class _TitleForm:
    """All slides of one deck have titles of one form."""

    def __init__(self, m: Manuscript) -> None:
        self._m = m
        self._align = m.either("start", "start", "start", "center")
        self._size = m.between(1.15, 1.9)
        self._look = m.either("", BOLD)
        self._has_capitals = m.writer.is_latin and m.likely(0.12)
        self._bar = m.chance.choice(BARS) if m.likely(0.2) else None
        self._has_line = m.likely(0.15)

    def title(self) -> str:
        m = self._m
        text = m.writer.heading(9)
        text = text.upper() if self._has_capitals else text
        colour = WHITE if self._bar is not None else m.style.accent
        head = plain(m, text, 1, size(self._size), self._look, colour=colour)
        body = aligned(self._align, head) + (LINE if self._has_line else "")
        if m.likely(0.12):
            body += "\n\n" + plain(m, m.writer.phrase(2, 7), 2, size(1.1), colour=colour)
        if self._bar is not None:
            return boxed(f"#flat[{body}]", f"fill:{shade(self._bar)}", "inset:8pt", "below:1.2em")
        return f"#block(width:100%,below:1.2em)[#flat[{body}]]"


def _first(m: Manuscript, height: float) -> None:
    """The title, who speaks, when and where."""
    bar = m.chance.choice(BARS) if m.likely(0.3) else None
    colour = WHITE if bar is not None else None
    lines = [title(m, scale=m.between(1.6, 2.6), colour=colour)]
    other = WHITE if bar is not None else BLACK
    texts = (m.writer.phrase(3, 8), m.writer.person(), m.writer.institute(), m.writer.date())
    sizes = (0.8, 1.0, 1.1)
    lines += [m.say("text", text, size(m.chance.choice(sizes)), colour=other) for text in texts if m.likely(0.55)]
    content = f"#flat[#set align({m.either('start', 'center')})\n" + "\n\n".join(lines) + "]"
    fill = (f"fill:{shade(bar)}", "inset:24pt") if bar is not None else ()
    m.add(f"#v({height * m.between(0.08, 0.25):.0f}pt)")
    m.add(boxed(content, *fill))
    m.add("#pagebreak()")


def _body(m: Manuscript, height: float) -> str:
    if m.is_dark:
        return m.some(
            (6, lambda: items(m, 6)),
            (2, lambda: side_by_side(m, lambda: items(m, 4), 2, 0.85)),
            (2, lambda: side_by_side(m, lambda: big_number(m), m.chance.randint(2, 3), 0.9)),
            (2, lambda: picture(m, height * 0.5)),
            (1, lambda: paragraph(m, 40, 250)),
            (1, lambda: pull_quote(m)),
        )
    return m.some(
        (32, lambda: items(m, 6)),
        (10, lambda: side_by_side(m, lambda: panel(m, is_short=True), 2, 0.85)),
        (8, lambda: m_grid(["1fr", "1fr"], [items(m, 5), artwork(m, height * 0.45)], 20, 0.9)),
        (10, lambda: cards(m, 0.7)),
        (6, lambda: f"#set text(size:0.75em)\n{table(m, captioned=m.likely(0.2), max_rows=6)}"),
        (8, lambda: side_by_side(m, lambda: big_number(m), m.chance.randint(2, 3), 0.9)),
        (8, lambda: artwork(m, height * 0.42) + ("\n\n" + caption(m, "figure") if m.likely(0.3) else "")),
        (6, lambda: paragraph(m, 40, 250) + "\n\n" + items(m, 4)),
        (4, lambda: pull_quote(m)),
        (4, lambda: program(m)),
    )


def _scaled(m: Manuscript, width: float) -> Style:
    return replace(m.style, size=round(m.chance.choice((14, 16, 18, 20, 22)) * width / 800, 1))
