"""Tables are where rules close a grid, and where the structure network reads cells of one table."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.inspection import TextLine
from documents.page_index import PageIndex
from documents.segments.blocks import SegmentBlock
from documents.tables.search.page_headings import TABLE_PART_ROLES, page_headings
from documents.tables.search.ruled_grids import RuledGrids, ruled_grids
from documents.tables.settings import DEFAULT_SETTINGS
from documents.tables.strategies import best_cut
from documents.tables.table_area import TableArea
from documents.values import Detection


@dataclass(frozen=True, slots=True, kw_only=True)
class FindTables:
    """How cells, rules and what the layout network saw are made one."""

    min_cells: int = 4  # lines of a table that only its cells show
    sure: float = 0.7  # mean probability of its letters to be of cells
    likely: float = 0.25  # the same, of a table that the layout network saw, or a grid of few rows
    same: float = 0.5  # of the smaller area, that two share which are one
    part: float = 0.5  # of the area of what else was detected, in a table of which it is a part
    score: float = 0.5  # of a table, at least
    grids: RuledGrids = field(default_factory=RuledGrids)


def find_tables(page: PageDraft, limits: FindTables) -> PageDraft:
    lines = page.layer.lines
    if not lines:
        return page
    cells = _Cells(lines, page.blocks)
    detected = [d for d in page.kept if d.kind == "table"]
    known = _Places((d.box for d in detected), limits.same)
    boxes = _Places(_tables(page, cells, known, limits), limits.same)
    scores = ([limits.score, *(detected[k].score for k in known.sharing(box))] for box in boxes.boxes)
    tables = [
        Detection(kind="table", box=box, score=max(several)) for box, several in zip(boxes.boxes, scores, strict=True)
    ]
    others = (d for d in page.kept if not boxes.hold(d.box, limits.part) or cells.is_picture(d))
    kept = (d.as_kind("plain text") if d.kind == "table" else d for d in others)
    return replace(page, kept=(*kept, *tables))


class _Places:
    """Boxes among which those are found that share most of the smaller one with another."""

    def __init__(self, boxes: Iterable[BoundingBox], same: float) -> None:
        self.boxes = list(boxes)
        self._index = PageIndex(self.boxes)
        self._same = same

    def sharing(self, box: BoundingBox) -> list[int]:
        """The numbers of the boxes that are one with another, by the share of the smaller area."""
        near = ((k, self.boxes[k]) for k in self._index.meeting(box))
        return [k for k, other in near if max(box.share_inside(other), other.share_inside(box)) > self._same]

    def hold(self, box: BoundingBox, part: float) -> bool:
        """Whether one of them holds more than a part of a box."""
        return any(box.share_inside(self.boxes[k]) > part for k in self._index.meeting(box))


class _Cells:
    """The lines of a page that the structure network takes for cells."""

    def __init__(self, lines: Sequence[TextLine], blocks: Sequence[SegmentBlock]) -> None:
        self._lines = lines
        self._index = PageIndex(line.box for line in lines)
        self._is_read = bool(blocks)
        self._chance = [0.0] * len(lines)
        self._tables: defaultdict[int, list[int]] = defaultdict(list)
        self._between: list[int] = []  # the lines that may part a table
        self._headings = page_headings(lines, blocks)
        for block in blocks:
            for k in block.segments:
                self._chance[k] = block.cell
                if block.table is not None:
                    self._tables[block.table].append(k)
                elif block.role not in TABLE_PART_ROLES or k in self._headings:
                    self._between.append(k)
        self._index_between = PageIndex(lines[k].box for k in self._between)

    def are_fewer(self, box: BoundingBox, least: float) -> bool:
        """Whether the letters in a box have a lower mean probability to be of cells; not where nothing is known."""
        own = self._index.with_middle_in(box)
        letters = sum(len(self._lines[k].text) for k in own)
        return self._is_read and sum(self._chance[k] * len(self._lines[k].text) for k in own) < least * letters

    def lines_in(self, box: BoundingBox) -> list[TextLine]:
        return [self._lines[k] for k in self._index.with_middle_in(box)]

    def is_picture(self, detection: Detection) -> bool:
        """Whether what lies in a table is a picture in a cell, rather than cells that were taken for one."""
        return detection.kind == "figure" and not self._index.with_middle_in(detection.box)

    def tables(self, min_cells: int) -> Iterator[BoundingBox]:
        """Boxes around the cells of each table, without those of few cells."""
        for cells in self._tables.values():
            if len(cells) >= min_cells:
                for part in self._parted(sorted(cells, key=lambda k: self._lines[k].box.center[1]), min_cells):
                    if len(part) >= min_cells:
                        yield BoundingBox.around([self._lines[k].box for k in part])

    def _parted(self, cells: Sequence[int], min_cells: int) -> Iterator[Sequence[int]]:
        """The cells above and below what stands among them with no cell beside it, as captions do.

        Fewer than `min_cells` stay with the others, as a header above a line of units; not so above or below a heading.
        """
        boxes = [self._lines[k].box for k in cells]
        middles = [box.center[1] for box in boxes]
        whole = BoundingBox.around(boxes)
        between = (self._between[k] for k in self._index_between.with_middle_in(whole))
        start = 0
        for k in sorted(between, key=lambda k: self._lines[k].box.center[1]):
            level = self._lines[k].box.center[1]
            end = bisect_left(middles, level)
            are_enough = min(end - start, len(cells) - end) >= min_cells
            if (are_enough or k in self._headings) and not any(box.y0 < level < box.y1 for box in boxes):
                yield cells[start:end]
                start = end
        yield cells[start:]


def _tables(page: PageDraft, cells: _Cells, known: _Places, limits: FindTables) -> Iterator[BoundingBox]:
    """Grids with the cells beside them, tables of cells with what was seen there, and what was seen alone.

    What only cells show has to have rows and columns.
    """
    grids = ruled_grids(page.inspection, page.layer.lines, limits.grids)
    ruled = _Places((grid.box for grid in grids if grid.is_sure), limits.same)
    unsure = (grid.box for grid in grids if not grid.is_sure and not known.sharing(grid.box))
    likely = (box for box in (*known.boxes, *unsure) if not cells.are_fewer(box, limits.likely))
    shown = _Places((box for box in likely if not ruled.sharing(box)), limits.same)
    united = _united(cells.tables(limits.min_cells), limits.same)
    sure = (box for box in united if not cells.are_fewer(box, limits.sure) or ruled.sharing(box) or shown.sharing(box))
    read = _Places(sure, limits.same)
    beside: defaultdict[int, list[BoundingBox]] = defaultdict(list)
    taken: set[int] = set()
    for box in read.boxes:
        if own := ruled.sharing(box):
            if len(own) == 1:
                beside[own[0]].append(box)
            continue
        around = shown.sharing(box)
        taken.update(around)
        is_one = len(around) == 1 and len(read.sharing(shown.boxes[around[0]])) == 1
        if around or best_cut(TableArea.of(page.inspection, box, cells.lines_in(box)), DEFAULT_SETTINGS) is not None:
            yield box.union(shown.boxes[around[0]]) if is_one else box
    yield from (BoundingBox.around([grid, *beside[k]]) for k, grid in enumerate(ruled.boxes))
    yield from (box for k, box in enumerate(shown.boxes) if k not in taken)


def _united(boxes: Iterable[BoundingBox], same: float) -> Iterator[BoundingBox]:
    """Boxes of which most lies in a larger one are one with it."""
    united: list[BoundingBox] = []
    index = PageIndex()
    for box in sorted(boxes, key=lambda box: -box.area):
        k = next((k for k in index.meeting(box) if box.share_inside(united[k]) > same), None)
        if k is None:
            united.append(box)
            index.add(box)
        else:
            united[k] = united[k].union(box)
    yield from united
