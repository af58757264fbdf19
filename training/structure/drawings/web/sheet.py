"""A web document while it is written: every piece of text passes through `block` and gets a colour of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from documents.segments.roles import Role
from training.structure.drawings.drawn_document import Colours, DrawnBlock
from training.structure.drawings.web.look import Look
from training.structure.drawings.web.words import Words

PAPERS = {"A4": (595, 842), "letter": (612, 792), "A5": (420, 595), "legal": (612, 1008)}
FALLBACK_FONTS = (
    "'Noto Sans','DejaVu Sans','Noto Sans Arabic','Noto Sans Hebrew','Noto Sans Devanagari',"
    "'IPAPGothic','WenQuanYi Micro Hei','NanumGothic','Noto Sans CJK JP',sans-serif"
)
FIRST_ORDER, LAST_ORDER = -1000.0, 1e6  # of running heads and feet: before and behind all that a page says

# What is too large for its box is set smaller, and in the end loses its last parts; `data-grow` lets it be set larger.
FIT = """
for (const box of document.querySelectorAll('.fit')) {
  const over = () => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  const most = box.dataset.grow || 1;
  for (let scale = 1; !over() && scale < most; scale *= 1.07) box.style.fontSize = scale + 'em';
  for (let scale = 1; over() && scale > 0.6; scale *= 0.93) box.style.fontSize = scale + 'em';
  for (let n = 0; over() && n < 40 && box.children.length > 1; n++) box.lastElementChild.remove();
}"""
BASE = """
*{box-sizing:border-box} html{-webkit-print-color-adjust:exact;print-color-adjust:exact} body{margin:0}
p,h1,h2,h3,h4,table,figure,ul,dl,pre{margin:0;font-weight:inherit;font-size:1em}
.li{display:block} .mk{display:inline-block;text-indent:0;white-space:nowrap}
h1,h2,h3,h4{break-after:avoid;text-indent:0} figure,tr,.keep{break-inside:avoid}
table{border-collapse:collapse} td,th{font-weight:400;text-align:start;vertical-align:top}
pre,.mono{font-family:'Liberation Mono','DejaVu Sans Mono',monospace}
.leaf{break-after:page;position:relative;overflow:hidden} .leaf:last-child{break-after:auto}
.fit{overflow:hidden} .grid{display:grid} .flex{display:flex} .grid>*,.flex>*{min-width:0} .abs{position:absolute}
p,h1,h2,h3,h4,span,.tight td{overflow-wrap:anywhere} td,th,.mk{overflow-wrap:break-word}
"""


@dataclass(frozen=True, slots=True)
class Ground:
    """Colours of letters on one ground."""

    ink: int
    muted: int
    accent: int


@dataclass(slots=True)
class Sheet:
    """The HTML of one document, and its blocks in reading order: blocks are taken in the order a person reads them."""

    rng: random.Random
    words: Words
    look: Look
    ground: Ground
    blocks: dict[int, DrawnBlock] = field(default_factory=dict[int, DrawnBlock])
    parts: list[str] = field(default_factory=list[str])
    css: list[str] = field(default_factory=list[str])
    counters: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    figures: int = 0
    tables: int = 0
    # CSS of short headings by level, and whether they are coloured
    short_heads: dict[int, tuple[str, bool]] = field(default_factory=dict[int, tuple[str, bool]])
    _colours: Colours = field(default_factory=Colours)

    def add(self, html: str) -> None:
        self.parts.append(html)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def take(
        self,
        role: Role,
        ink: int | None = None,
        *,
        level: int | None = None,
        order: float | None = None,
        floats: bool = False,
    ) -> str:
        """The colour of a new block as CSS writes it; its order is that of the calls."""
        colour = self._colours.take(self.ground.ink if ink is None else ink)
        place = float(len(self.blocks)) if order is None else order
        self.blocks[colour] = DrawnBlock(role, place, floats=floats, level=level)
        return f"#{colour:06x}"

    def block(
        self,
        role: Role,
        html: str,
        tag: str = "p",
        css: str = "",
        ink: int | None = None,
        level: int | None = None,
        floats: bool = False,
    ) -> str:
        """An element that is one block."""
        colour = self.take(role, ink, level=level, floats=floats)
        return f'<{tag} style="color:{colour};{css}">{html}</{tag.split()[0]}>'

    @contextmanager
    def on(self, ground: int) -> Iterator[None]:
        """Letters that can be read on a ground, while the context lasts."""
        before = self.ground
        self.ground = ground_of(ground, self.look.accent)
        try:
            yield
        finally:
            self.ground = before

    def paper(self, width: float, height: float, margin: str = "0") -> None:
        """The page size in points, and the margins as CSS writes them."""
        self.css.append(f"@page{{size:{width}pt {height}pt;margin:{margin}}}")

    def margin_text(self, place: str, role: Role, content: str, css: str = "") -> None:
        """Text in a margin of every page; `place` is CSS's (top-left ...), `content` an expression of CSS."""
        order = LAST_ORDER + len(self.blocks) if place.startswith("bottom") else FIRST_ORDER + len(self.blocks)
        ink = self.rng.choice([0x000000, 0x404040, 0x707070])
        colour = self.take(role, ink, order=order)
        size = self.rng.choice([7, 7.5, 8, 9])
        family = f"'{self.look.body}',{FALLBACK_FONTS}"
        self.css.append(f"@page{{@{place}{{content:{content};color:{colour};font:{size}pt {family};{css}}}}}")

    def html(self) -> str:
        look = self.look
        leading = max(look.leading, 1.7) if self.words.language.script == "devanagari" else look.leading
        css = [BASE, *self.css, f"body{{font:{look.size}pt/{leading} '{look.body}',{FALLBACK_FONTS}}}"]
        css.append(f"h1,h2,h3,h4{{font-family:'{look.head}',{FALLBACK_FONTS};line-height:1.2}}")
        if self.words.language.script == "devanagari":  # its letters reach above the line
            css.append("h1,h2,h3,h4,p{line-height:1.6!important}")
        if look.justify:
            css.append(".para{text-align:justify;hyphens:auto}")
        css.append(".para{margin:0 0 .1em;text-indent:1.4em}" if look.indented else ".para{margin:0 0 .7em}")
        direction = "rtl" if self.words.rtl else "ltr"
        return (
            f'<!doctype html><html lang="{self.words.language.code}" dir="{direction}"><head><meta charset="utf-8">'
            f"<style>{''.join(css)}</style></head><body>{''.join(self.parts)}<script>{FIT}</script></body></html>"
        )


def ground_of(colour: int, accent: int) -> Ground:
    """What is legible on a ground of this colour."""
    red, green, blue = colour >> 16, colour >> 8 & 255, colour & 255
    if 0.3 * red + 0.59 * green + 0.11 * blue < 140:
        return Ground(ink=0xFFFFFF, muted=0xD0D0D0, accent=0xFFD966)
    return Ground(ink=0x000000, muted=0x606060, accent=accent)
