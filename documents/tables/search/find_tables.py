"""Tables are where rules close a grid, and where the structure network reads cells of one table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.inspection import TextLine
from documents.page_index import PageIndex
from documents.segments.blocks import HEADINGS, SegmentBlock
from documents.tables.build_table import table_of
from documents.tables.search.ruled_grids import RuledGrids, ruled_grids
from documents.values import Detection

UNKNOWN = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FindTables:
    """How cells, rules and what the layout network saw are made one."""

    min_cells: int = 4  # lines of a table that only its cells show
    sure: float = 0.7  # mean probability of its letters to be of cells
    likely: float = 0.25  # the same, of a table that the layout network saw
    same: float = 0.5  # of the smaller area, that two share which are one
    part: float = 0.5  # of the area of what else was detected, in a table of which it is a part
    score: float = 0.5  # of a table that was not detected
    grids: RuledGrids = field(default_factory=RuledGrids)


def find_tables(page: PageDraft, limits: FindTables) -> PageDraft:
    lines = page.layer.lines
    if not lines:
        return page
    cells = _Cells(lines, page.blocks)
    detected = [d for d in page.kept if d.kind == "table"]
    grids = ruled_grids(page.inspection, lines, limits.grids)
    ruled = _Places((grid.box for grid in grids if grid.is_sure), limits.same)
    likely = [d.box for d in detected if not 0 <= cells.share(d.box) < limits.likely]
    likely += [grid.box for grid in grids if not grid.is_sure]
    shown = _Places((box for box in likely if not ruled.sharing(box)), limits.same)
    boxes_of_cells = cells.tables(limits.min_cells)
    read = [
        box for box in boxes_of_cells if cells.share(box) >= limits.sure or ruled.sharing(box) or shown.sharing(box)
    ]
    boxes = _Places(_made_one(page, _Places(read, limits.same), shown, ruled), limits.same)
    known = _Places((d.box for d in detected), limits.same)
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
        self._between: list[BoundingBox] = []  # what may part a table; the name of a group in it looks like a heading
        for block in blocks:
            for k in block.segments:
                self._chance[k] = block.cell
                if block.table is not None:
                    self._tables[block.table].append(k)
                elif block.role not in HEADINGS:
                    self._between.append(lines[k].box)

    def share(self, box: BoundingBox) -> float:
        """The mean probability of the letters in a box to be of cells; -1 where nothing is known."""
        own = self._index.with_middle_in(box)
        letters = sum(len(self._lines[k].text) for k in own)
        if not letters or not self._is_read:
            return UNKNOWN
        return sum(self._chance[k] * len(self._lines[k].text) for k in own) / letters

    def is_picture(self, detection: Detection) -> bool:
        """Whether what lies in a table is a picture in a cell, rather than cells that were taken for one."""
        return detection.kind == "figure" and not self._index.with_middle_in(detection.box)

    def tables(self, min_cells: int) -> Iterator[BoundingBox]:
        """Boxes around the cells of each table, without those of few cells."""
        for cells in self._tables.values():
            for part in self._parted(cells):
                if len(part) >= min_cells:
                    yield BoundingBox.around([self._lines[k].box for k in part])

    def _parted(self, cells: Sequence[int]) -> Iterator[list[int]]:
        """The cells above and below what stands among them with no cell beside it, as captions do."""
        whole = BoundingBox.around([self._lines[k].box for k in cells])
        middles = [box.center[1] for box in self._between if whole.contains(*box.center)]
        levels = [y for y in middles if not any(self._lines[k].box.y0 < y < self._lines[k].box.y1 for k in cells)]
        parts: defaultdict[int, list[int]] = defaultdict(list)
        for k in cells:
            parts[sum(level < self._lines[k].box.center[1] for level in levels)].append(k)
        yield from parts.values()


def _made_one(page: PageDraft, read: _Places, shown: _Places, ruled: _Places) -> Iterator[BoundingBox]:
    """Grids with cells beside them, tables of cells with what was seen there, and what was seen alone.

    What only cells show has to have rows and columns.
    """
    beside: defaultdict[int, list[BoundingBox]] = defaultdict(list)
    taken: set[int] = set()
    for box in read.boxes:
        grids = ruled.sharing(box)
        if len(grids) == 1:
            beside[grids[0]].append(box)
        if grids:
            continue
        around = shown.sharing(box)
        taken.update(around)
        is_one = len(around) == 1 and len(read.sharing(shown.boxes[around[0]])) == 1
        if around or _is_cut(page, box):
            yield box.union(shown.boxes[around[0]]) if is_one else box
    yield from (BoundingBox.around([grid, *beside[k]]) for k, grid in enumerate(ruled.boxes))
    yield from (box for k, box in enumerate(shown.boxes) if k not in taken)


def _is_cut(page: PageDraft, box: BoundingBox) -> bool:
    """Whether its words have rows and columns."""
    within = [line for line in page.layer.lines if box.contains(*line.box.center)]
    return table_of(page.inspection, box, within, page.words) is not None
