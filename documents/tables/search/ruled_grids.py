"""The grids of a page whose rules part words into rows and columns: they are tables, whatever a network sees there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.inspection import Grid, Inspection, TextLine
from documents.page_index import PageIndex
from documents.rotated_boxes import unrotate
from documents.tables.cells import Cut, PlacedWord, clusters, count_words, placed_words
from documents.tables.fit import is_shaded_text
from documents.tables.ruled import MAX_EDGE_DISTANCE, cut_by_grid

WORD_OVERHANG = 1.0  # maximum distance of a word out of its line's box, in points


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledGrids:
    """When a grid is a table for sure."""

    margin: float = 2.0  # points from both sides of the page: the ground of a slide reaches as far
    min_rows: int = 3  # fewer between its rules are the shades of a header, or a part of a table
    paragraphs: int = 150  # words of a cell that is no cell of a table
    most: float = 0.6  # of a grid's words, in that cell: text beside or below a picture
    same: float = 0.5  # of the smaller grid, in a larger one of which it is a part


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A grid that holds words in rows and columns; `box` is around its cells and their words."""

    box: BoundingBox
    is_sure: bool


def ruled_grids(page: Inspection, lines: Sequence[TextLine], limits: RuledGrids) -> list[RuledTable]:
    """Sure ones first, then by size; none is a part of another. A grid is read in the direction of most words in it."""
    grids = [g for g in page.grids if g.box.x0 > limits.margin or g.box.x1 < page.width - limits.margin]
    tables: list[RuledTable] = []
    index = PageIndex()
    for table in sorted(_tables(grids, lines, limits), key=lambda table: (not table.is_sure, -table.box.area)):
        if not any(table.box.share_inside(tables[k].box) > limits.same for k in index.meeting(table.box)):
            tables.append(table)
            index.add(table.box)
    return tables


def _tables(grids: Sequence[Grid], lines: Sequence[TextLine], limits: RuledGrids) -> Iterator[RuledTable]:
    index = PageIndex(grid.box for grid in grids)
    words: list[dict[int, list[PlacedWord]]] = [{} for _ in grids]
    for line in lines if grids else ():
        if not index.meeting(line.box, WORD_OVERHANG):
            continue
        for one in placed_words([line], line.angle):
            for k in index.holding(*one.word.box.center):
                words[k].setdefault(line.angle, []).append(one)
    for grid, by_angle in zip(grids, words, strict=True):
        angle = max(by_angle, key=lambda angle: len(by_angle[angle]), default=0)
        cells = [unrotate(cell, angle) for cell in grid.cells]
        cut = cut_by_grid(cells, by_angle.get(angle, []))
        if cut is None or is_shaded_text(cut) or _is_page_layout(cut, limits):
            continue
        boxes = [slot.box for slot in cut.slots if slot.box is not None]
        upright = BoundingBox.around([*boxes, *(one.box for slot in cut.slots for one in slot.words)])
        num_rows = len(clusters((edge for cell in cells for edge in (cell.y0, cell.y1)), MAX_EDGE_DISTANCE)) - 1
        yield RuledTable(unrotate(upright, (360 - angle) % 360), num_rows >= limits.min_rows)


def _is_page_layout(cut: Cut, limits: RuledGrids) -> bool:
    """Whether one cell holds most of a grid's words, as many as several paragraphs: text beside or below pictures."""
    counts = [count_words(slot.words) for slot in cut.slots]
    most = max(counts, default=0)
    return most >= limits.paragraphs and most > limits.most * sum(counts)
