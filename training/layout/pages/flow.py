"""A column filled with blocks of one kind of matter."""

from __future__ import annotations

from collections.abc import Callable

from training.layout.classes import TITLE
from training.layout.pages.chart import chart
from training.layout.pages.entries import contents, entries, index
from training.layout.pages.figure import figure
from training.layout.pages.formula import formula
from training.layout.pages.listing import code, listing
from training.layout.pages.page import Page
from training.layout.pages.statistics import statistics
from training.layout.pages.table import table
from training.layout.pages.text import definition, heading, paragraph, quotation


def flow(p: Page, kind: str, x: float, y: float, w: float, y1: float) -> None:
    """Fill one column; consecutive headings never follow each other without need."""
    last: Callable[..., float] | None = None
    while y < y1 - 1.2 * p.pt:
        block = p.r.choice(BLOCKS[kind])
        if block is last and block not in (paragraph, definition) and p.r.random() < 0.8:
            continue
        new = block(p, x, y, w, y1)
        new = paragraph(p, x, y, w, y1) if new <= y else new
        if new <= y + 0.5:
            break
        y, last = new, block


def boxed(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A framed or shaded side box with a heading and text."""
    r, h = p.r, min(y1 - y, p.r.uniform(6, 18) * p.pt)
    if h < 6 * p.pt or p.paper != (255, 255, 255):
        return y
    p.d.rectangle(
        (x, y + 4, x + w, y + h),
        r.choice(((238, 242, 250), (250, 245, 230), (255, 255, 255), (230, 230, 230))),
        p.accent,
    )
    at = y + 0.9 * p.pt
    if r.random() < 0.6:
        at = (
            p.text(x + p.pt, at, w - 2 * p.pt, p.words(r.randint(1, 4)), p.f(1, 1.1, p.head), cls=TITLE, ink=p.accent)
            + 0.5 * p.pt
        )
    while at < y + h - 3 * p.pt:
        at = paragraph(p, x + p.pt, at, w - 2 * p.pt, y + h - 6) + 0.3 * p.pt
    return y + h + p.pt


BLOCKS: dict[str, tuple[Callable[[Page, float, float, float, float], float], ...]] = {
    "article": (paragraph,) * 12
    + (quotation,)
    + (heading,) * 3
    + (figure,) * 2
    + (table,) * 2
    + (formula,) * 3
    + (listing,),
    "maths": (paragraph,) * 10 + (heading,) + (formula,) * 8 + (listing,) + (quotation,) * 2,
    "book": (paragraph,) * 16 + (quotation,) * 2 + (heading, figure, listing, formula),
    "manual": (paragraph,) * 9
    + (heading,) * 4
    + (listing,) * 3
    + (code,) * 4
    + (definition,) * 4
    + (table,) * 2
    + (figure,) * 2
    + (boxed,),
    "report": (paragraph,) * 6
    + (heading,) * 3
    + (figure, figure, chart, chart)
    + (table,) * 2
    + (statistics,) * 2
    + (listing,) * 2
    + (boxed,),
    "references": (entries,) * 4 + (heading,),
    "contents": (contents,),
    "index": (index,),
}
