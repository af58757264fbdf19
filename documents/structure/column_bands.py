"""Finds headings that stand over several columns of text, though their own words end in the first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from documents.structure.footnotes import PlacedRegion
from documents.values import BoundingBox, RegionKind
from documents.vertical_index import VerticalIndex

MOST_LEVEL = 64  # regions level with a heading or the text below it that are looked at
TEXTS: tuple[RegionKind, ...] = ("plain text", "title")
TOUCH = 1.5  # points that boxes may overlap and still be apart


@dataclass(frozen=True, slots=True)
class ColumnBands:
    """How columns stand below a heading that is theirs together, in multiples of the body's type, as is its own."""

    larger: float = 1.1  # a text of this size may be a heading, or one in bold
    max_lines: int = 2  # of such a text

    level: float = 0.8  # by which their tops may differ
    below: float = 4.0  # from the heading to the text below it
    above: float = 1.5  # the least space above the heading, over all columns


def headings_over_columns(
    regions: Sequence[PlacedRegion], candidates: Collection[int], body: float, limits: ColumnBands = ColumnBands()
) -> dict[int, BoundingBox]:
    """The box of each such heading as wide as its columns, by its index; `body` is the page's type size in points.

    Of the `candidates`, since which texts are headings only the whole document tells.

    The columns begin level with one another right below it, and beside it and over it is white space as wide as they
    are: in a page of two columns, text would go on beside it.
    """
    index = VerticalIndex([region.box for region in regions], step=body)
    wide: dict[int, BoundingBox] = {}
    for k in candidates:
        region = regions[k]
        columns = _columns_below(region.box, regions, index, body, limits)
        if not columns:
            continue
        top = region.box.y0 - limits.above * body
        others = [regions[j].box for j in index.crossing(top, columns[0].y0, MOST_LEVEL) if j != k]
        if not any(_is_in_the_way(box, region.box, columns, top) for box in others):
            around = BoundingBox.around([region.box, *columns])
            wide[k] = region.box.model_copy(update={"x0": around.x0, "x1": around.x1})
    return wide


def _columns_below(
    heading: BoundingBox, regions: Sequence[PlacedRegion], index: VerticalIndex, body: float, limits: ColumnBands
) -> list[BoundingBox]:
    """The text right below a heading and those that begin level with it on its right; none without both."""
    near = [regions[j] for j in index.crossing(heading.y1 - TOUCH, heading.y1 + limits.below * body, MOST_LEVEL)]
    below = [region.box for region in near if region.kind in TEXTS and region.box.y0 >= heading.y1 - TOUCH]
    own = [box for box in below if min(box.x1, heading.x1) - max(box.x0, heading.x0) > 0.0]
    first = min(own, key=lambda box: (box.y0, box.x0), default=None)
    if first is None:
        return []
    level = [box for box in below if box.x0 >= first.x1 - TOUCH and abs(box.y0 - first.y0) <= limits.level * body]
    return [first, *level] if level else []


def _is_in_the_way(box: BoundingBox, heading: BoundingBox, columns: Sequence[BoundingBox], top: float) -> bool:
    """Whether a box stands above the columns, from `top` on; beside the heading, a picture to its left may."""
    if box.y1 <= top + TOUCH or box.y0 >= min(column.y0 for column in columns) - TOUCH:
        return False
    if box.y1 <= heading.y0 + TOUCH:
        return box.x1 > columns[0].x0 and box.x0 < max(column.x1 for column in columns)
    return box.x1 > columns[0].x1 + TOUCH
