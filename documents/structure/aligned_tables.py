"""Tables by the columns in which a page's rows stand: those that the network missed, and rows of those it cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from documents.rotation import unrotate, usual_angle
from documents.structure.page_draft import PageDraft
from documents.tables.cells import baselines, is_value, placed_words
from documents.tables.columns import Segment, columns, segments
from documents.tables.settings import DEFAULT
from documents.tables.strategies import TableArea, best_cut
from documents.text.languages import caption_kind
from documents.values import BoundingBox, Detection

Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedTables:
    """What rows of a table are, where nothing but their place says so. Lengths are in sizes of the type."""

    min_cells: int = 3  # of a row: text in two columns has two
    min_rows: int = 5  # of such rows, one below the other: four short lines of several captions do stand level
    max_words: float = 3.0  # of a cell, on average: lines of text in columns have more
    min_values: float = 0.2  # of the cells: a page in columns of short lines has words
    pitch: float = 2.5  # times the usual distance between rows, that two rows of one table are apart
    reach: float = 4.0  # between a table and the first or last column beside it
    label: float = 0.6  # of the rows, that have a cell beside the table: it is a column of the table
    score: float = 0.5  # of a table that only its rows show


@dataclass(frozen=True, slots=True)
class _Row:
    """What is printed level, as if the page's text stood upright."""

    segments: list[Segment]

    @property
    def top(self) -> float:
        return min(segment.box.y0 for segment in self.segments)

    @property
    def bottom(self) -> float:
        return max(segment.box.y1 for segment in self.segments)

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def within(self, left: float, right: float) -> list[Segment]:
        return [segment for segment in self.segments if left <= segment.box.center[0] <= right]


def aligned_tables(page: PageDraft, limits: AlignedTables) -> PageDraft:
    lines = [line for line in page.inspection.lines if line.hidden is None]
    tables = [d for d in page.detections if d.kind == "table"]
    angle = usual_angle(lines)
    words = placed_words(lines, angle)
    rows = [_Row(segments(row, [])) for row in baselines(words)]
    if len(rows) < 2 or (not tables and sum(len(row.segments) >= limits.min_cells for row in rows) < limits.min_rows):
        return page
    back = (360 - angle) % 360
    boxes = [unrotate(box, back) for box in _new_tables(rows, limits)]
    detections = list(page.detections)
    for box in boxes:
        detections = _with_table(detections, box, limits)
    grown: list[Detection] = []
    others = [unrotate(d.box, angle) for d in detections if d.kind in ("table", "figure")]
    for detection in detections:
        if detection.kind == "table":
            box = unrotate(detection.box, angle)
            barred = [other for other in others if other != box]
            detection = detection.as_kind("table", unrotate(_grown(box, rows, barred, limits), back))
        grown.append(detection)
    grown = _without_parts(grown)
    return page if tuple(grown) == page.detections else replace(page, detections=tuple(grown))


def _with_table(detections: Sequence[Detection], box: BoundingBox, limits: AlignedTables) -> list[Detection]:
    """The detections with a table in place of those that lie in it, unless one of them is as large or a figure."""
    for d in detections:
        covered = d.box.intersection(box) > 0.7 * box.area
        if covered and (d.kind == "table" or (d.kind == "figure" and d.score >= limits.score)):
            return list(detections)
    kept = [d for d in detections if d.box.intersection(box) <= 0.5 * d.box.area]
    return [*kept, Detection(kind="table", box=box, score=limits.score)]


def _without_parts(detections: Sequence[Detection]) -> list[Detection]:
    """Without tables that lie in a larger one."""
    tables = [d for d in detections if d.kind == "table"]
    return [
        d
        for d in detections
        if not any(
            other is not d and other.box.area > d.box.area and d.box.intersection(other.box) > 0.8 * d.box.area
            for other in tables
        )
        or d.kind != "table"
    ]


def _new_tables(rows: Sequence[_Row], limits: AlignedTables) -> Iterator[BoundingBox]:
    """Boxes around runs of rows that are cut into a table without a doubt."""
    for run in _runs(rows, limits):
        held = [segment for row in run for segment in row.segments]
        values = sum(is_value("".join(one.word.text for one in segment.words)) for segment in held)
        if values < limits.min_values * len(held):
            continue
        words = [one for segment in held for one in segment.words]
        if len(words) > limits.max_words * len(held):
            continue
        cut = best_cut(TableArea(words, [], []), DEFAULT)
        if cut is not None and cut.num_columns >= limits.min_cells:
            yield BoundingBox.around([one.box for one in words])


def _runs(rows: Sequence[_Row], limits: AlignedTables) -> Iterator[list[_Row]]:
    """Rows of several cells one below the other, with those of fewer cells between two of them."""
    pitch = median([b.middle - a.middle for a, b in pairwise(rows)])
    run: list[_Row] = []
    end = 0  # of the run, behind its last row of enough cells
    for row in (*rows, None):
        near = row is not None and (not run or row.middle - run[-1].middle <= limits.pitch * pitch)
        full = row is not None and len(row.segments) >= limits.min_cells
        if run and (not near or len(run) - end >= 3):
            if sum(len(each.segments) >= limits.min_cells for each in run[:end]) >= limits.min_rows:
                yield run[:end]
            run, end = [], 0
        if row is not None and (run or full):
            run.append(row)
            end = len(run) if full else end


def _grown(box: BoundingBox, rows: Sequence[_Row], barred: Sequence[BoundingBox], limits: AlignedTables) -> BoundingBox:
    """The table with the columns beside it and the rows above and below that stand in its columns."""
    inside = [k for k, row in enumerate(rows) if box.y0 <= row.middle <= box.y1 and row.within(box.x0, box.x1)]
    if len(inside) < 2:
        return box
    size = median(one.word.font_size for k in inside for s in rows[k].segments for one in s.words)
    box = _widened(box, [rows[k] for k in inside], size, barred, limits)
    held = [rows[k].within(box.x0, box.x1) for k in inside]
    found = columns([row for row in held if row])
    if len(found) < 2:
        return box
    pitch = median([rows[b].middle - rows[a].middle for a, b in pairwise(inside)])
    for step, at in ((-1, inside[0]), (1, inside[-1])):
        waiting: list[_Row] = []  # names of groups, until a row of the table follows
        last = rows[at]
        while 0 <= at + step < len(rows):
            at += step
            row = rows[at]
            part = [s for s in row.segments if s.box.x1 > box.x0 - size and s.box.x0 < box.x1 + size]
            if not part or abs(row.middle - last.middle) > limits.pitch * pitch or len(waiting) > 1:
                break
            new = BoundingBox.around([segment.box for segment in part])
            if any(other.intersection(new) > 0.3 * new.area for other in barred) or _is_caption(part[0]):
                break
            last = row
            if not _stands_in(part, found, box, size, limits):
                if step < 0 or len(part) > 1 or abs(part[0].box.x0 - found[0][0]) > 2 * size:
                    break
                waiting.append(row)
                continue
            waiting = []
            box = box.union(new)
    return box


def _stands_in(
    part: Sequence[Segment], found: Sequence[Span], box: BoundingBox, size: float, limits: AlignedTables
) -> bool:
    """Whether the segments are cells: each in one column of the table, most of these filled, none of them long."""
    if len(part) < max(2, 0.5 * len(found)) or part[0].box.x0 < box.x0 - size or part[-1].box.x1 > box.x1 + size:
        return False
    if sum(len(segment.words) for segment in part) > 2 * limits.max_words * len(part):
        return False
    ends = [(low - size, high + size) for low, high in found]
    return all(any(low <= s.box.x0 and s.box.x1 <= high for low, high in ends) for s in part)


def _widened(
    box: BoundingBox, rows: Sequence[_Row], size: float, barred: Sequence[BoundingBox], limits: AlignedTables
) -> BoundingBox:
    """With the cells beside most rows, if they are shorter than lines of text are."""
    for side in (-1, 1):
        beside: list[Segment] = []
        for row in rows:
            held = row.within(box.x0, box.x1)
            if side < 0:
                near = [s for s in row.segments if s.box.center[0] < box.x0 and held[0].box.x0 - s.box.x1 < limits.reach * size]
            else:
                near = [s for s in row.segments if s.box.center[0] > box.x1 and s.box.x0 - held[-1].box.x1 < limits.reach * size]
            beside += near[-1:] if side < 0 else near[:1]
        if len(beside) < limits.label * len(rows):
            continue
        if sum(len(s.words) for s in beside) > limits.max_words * len(beside):
            continue
        new = BoundingBox.around([segment.box for segment in beside])
        if not any(other.intersection(new) > 0.3 * new.area for other in barred):
            box = box.union(new)
    return box


def _is_caption(segment: Segment) -> bool:
    return caption_kind(" ".join(one.word.text for one in segment.words)) is not None
