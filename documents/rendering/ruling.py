"""What a page draws besides text, in the child: straight rules, and the grids that PyMuPDF's finder makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf

from documents.inspection import Grid, Rule
from documents.values import BoundingBox

THIN = 3.0  # points: a filled box of at most this is a rule
SHORTEST = 6.0  # points
MAX_PATHS = 3000  # beyond, a page is a drawing rather than a form
MAX_RULES = 2000
MAX_CELLS = 5000  # of a page


def rules(page: pymupdf.Page) -> tuple[Rule, ...]:
    """Level and upright lines of the upright page, edges of drawn boxes too; none of a page that is a drawing."""
    paths: list[dict[str, Any]] = page.get_cdrawings() or []
    if len(paths) > MAX_PATHS:
        return ()
    found: dict[tuple[float, ...], Rule] = {}
    for path in paths:
        for rect in _edges(path):
            turned = pymupdf.Rect(rect) * page.rotation_matrix
            turned = turned & pymupdf.Rect(-1, -1, page.rect.width + 1, page.rect.height + 1)
            if max(turned.width, turned.height) < SHORTEST or min(turned.width, turned.height) > THIN:
                continue
            box = BoundingBox(x0=turned.x0, y0=turned.y0, x1=turned.x1, y1=turned.y1)
            found[tuple(round(edge) for edge in turned)] = Rule(box=box)
            if len(found) > MAX_RULES:
                return ()
    return tuple(found.values())


def grids(page: pymupdf.Page, found: tuple[Rule, ...]) -> tuple[Grid, ...]:
    """Tables whose cells are ruled on all sides; the finder is asked only where rules cross."""
    level = sum(rule.level for rule in found)
    if level < 2 or len(found) - level < 2:
        return ()
    pymupdf.no_recommend_layout()
    finder: Any = page.find_tables()
    return tuple(
        Grid(box=_box(table.bbox), cells=tuple(_box(cell) for cell in table.cells if cell))
        for table in finder.tables
        if 2 <= len(table.cells) <= MAX_CELLS
    )


def _edges(path: dict[str, Any]) -> Iterator[tuple[float, float, float, float]]:
    for item in path["items"]:
        if item[0] == "l":
            (x0, y0), (x1, y1) = item[1], item[2]
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
            if min(x1 - x0, y1 - y0) <= THIN:
                yield x0, y0, x1, y1
            else:
                yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))


def _box(rect: Any) -> BoundingBox:
    x0, y0, x1, y1 = rect
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)
