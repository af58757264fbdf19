"""Finds tables by aligned columns that the layout network missed, and rows that it cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from documents.inspection import TextLine
from documents.rotated_boxes import unrotate, usual_angle
from documents.structure.line_numbers import LineNumbers, counts_lines
from documents.structure.page_draft import PageDraft
from documents.structure.tables_between_rules import RuledStretches, is_caption, tables_between_rules
from documents.tables.cells import baselines, is_value, placed_words
from documents.tables.columns import BLANK, Segment, columns, segments
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
    head_pitch: float = 4.0  # the same, if a rule is drawn between them, as below headers
    reach: float = 4.0  # between a table and the first or last column beside it
    label: float = 0.6  # of the rows, that have a cell beside the table: it is a column of the table
    part: float = 0.3  # of a table's area: a smaller table beside it may be its header
    max_long: float = 0.1  # of the cells, that have more than twice as many words
    score: float = 0.5  # of a table that only its rows show
    stretches: RuledStretches = field(default_factory=RuledStretches)


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
    tables = [d for d in page.kept if d.kind == "table"]
    angle = usual_angle(lines)
    if not tables and _most_rows(lines, angle, limits) < limits.min_rows:
        return page
    rows = [_Row(segments(row, [])) for row in baselines(placed_words(lines, angle))]
    if len(rows) < 2:
        return page
    back = (360 - angle) % 360
    levels = [box for rule in page.inspection.rules if (box := unrotate(rule.box, angle)).width > box.height]
    grids = [unrotate(grid.box, angle) for grid in page.inspection.grids]
    known = [unrotate(d.box, angle) for d in tables]
    ruled = tables_between_rules([row.segments for row in rows], levels, known, grids, limits.stretches)
    boxes = [unrotate(box, back) for box in (*_new_tables(rows, limits), *ruled)]
    upright = [line for line in lines if line.angle == 0]
    detections = list(page.kept)
    for box in boxes:
        if not counts_lines(box, upright, LineNumbers()):
            detections = _with_table(detections, box, limits)
    grown: list[Detection] = []
    figures = [unrotate(d.box, angle) for d in detections if d.kind == "figure"]
    tables = [unrotate(d.box, angle) for d in detections if d.kind == "table"]
    for d in detections:
        if d.kind != "table":
            grown.append(d)
            continue
        box = unrotate(d.box, angle)
        barred = [*figures, *(other for other in tables if other != box and other.area > limits.part * box.area)]
        new = unrotate(_grown(box, rows, barred, levels, limits), back)
        grown.append(d if new == d.box else d.as_kind("table", new))
    before = {id(d) for d in page.kept}
    along = [line for line in lines if line.angle == angle]
    grown = _without_parts(grown, [d for d in grown if d.kind == "table" and id(d) not in before], along)
    return page if tuple(grown) == page.kept else replace(page, kept=tuple(grown))


def _most_rows(lines: Sequence[TextLine], angle: int, limits: AlignedTables) -> int:
    """At most how many rows may have enough cells, by a look at the lines that is quick."""
    cells: Counter[int] = Counter()
    for line in lines:
        if line.angle != angle or not line.words:
            continue
        box = unrotate(line.box, angle)
        gap = BLANK * line.font_size
        wide = (
            b.box.x0 - a.box.x1 >= gap or b.box.y0 - a.box.y1 >= gap or a.box.y0 - b.box.y1 >= gap
            for a, b in pairwise(line.words)
        )
        cells[int(box.center[1] / max(1.0, line.font_size / 2))] += 1 + sum(wide)
    return sum(count + cells[at + 1] >= limits.min_cells for at, count in cells.items())


def _with_table(detections: Sequence[Detection], box: BoundingBox, limits: AlignedTables) -> list[Detection]:
    """The detections with a table in place of those that lie in it, unless that is a figure or reaches further."""
    score = limits.score
    for d in detections:
        if d.kind == "figure" and d.score >= limits.score and d.box.intersection(box) > 0.7 * box.area:
            return list(detections)
        if d.kind == "table" and d.box.intersection(box) > 0.7 * box.area:
            if d.box.intersection(box) < 0.8 * d.box.area:
                return list(detections)
            score = max(score, d.score)
            box = box.union(d.box)
    others = [d for d in detections if d.box.intersection(box) <= 0.5 * d.box.area]
    return [*others, Detection(kind="table", box=box, score=score)]


def _without_parts(
    detections: Sequence[Detection], tables: Sequence[Detection], lines: Sequence[TextLine]
) -> list[Detection]:
    """Without what lies for the most part in one of `tables` that is larger, but for captions by their words."""
    remaining: list[Detection] = []
    for d in detections:
        around = any(
            t is not d and t.box.area > d.box.area and d.box.intersection(t.box) > 0.5 * d.box.area for t in tables
        )
        first = next((line for line in lines if around and d.box.contains(*line.box.center)), None)
        if not around or (first is not None and caption_kind(first.text) is not None):
            remaining.append(d)
    return remaining


def _new_tables(rows: Sequence[_Row], limits: AlignedTables) -> Iterator[BoundingBox]:
    """Boxes around runs of rows that are cut into a table without a doubt."""
    for run in _runs(rows, limits):
        cells = [segment for row in run for segment in row.segments]
        values = sum(is_value("".join(one.word.text for one in segment.words)) for segment in cells)
        if values < limits.min_values * len(cells):
            continue
        words = [one for segment in cells for one in segment.words]
        if len(words) > limits.max_words * len(cells):
            continue
        if sum(len(segment.words) > 2 * limits.max_words for segment in cells) > limits.max_long * len(cells):
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
            if sum(len(row.segments) >= limits.min_cells for row in run[:end]) >= limits.min_rows:
                yield run[:end]
            run, end = [], 0
        if row is not None and (run or full):
            run.append(row)
            end = len(run) if full else end


def _grown(
    box: BoundingBox,
    rows: Sequence[_Row],
    barred: Sequence[BoundingBox],
    levels: Sequence[BoundingBox],
    limits: AlignedTables,
) -> BoundingBox:
    """The table with the columns beside it and the rows above and below that stand in its columns."""
    inside = [k for k, row in enumerate(rows) if box.y0 <= row.middle <= box.y1 and row.within(box.x0, box.x1)]
    if len(inside) < 2:
        return box
    size = median(one.word.font_size for k in inside for s in rows[k].segments for one in s.words)
    box = _widened(box, [rows[k] for k in inside], size, barred, limits)
    rows_within = [rows[k].within(box.x0, box.x1) for k in inside]
    column_spans = columns([row for row in rows_within if row])
    if len(column_spans) < 2:
        return box
    box = _with_head(box, rows[inside[0]], len(column_spans), size, limits)
    # a tall word puts the middle of its row above that of the row before
    pitch = max(0.5 * size, median([rows[b].middle - rows[a].middle for a, b in pairwise(inside)]))
    for step, first in ((-1, inside[0]), (1, inside[-1])):
        waiting = 0  # names of groups, until a row of the table follows
        last = rows[first]
        for at in range(first + step, len(rows) if step > 0 else -1, step):
            row = rows[at]
            before = last
            part = [s for s in row.segments if s.box.x1 > box.x0 - size and s.box.x0 < box.x1 + size]
            far = abs(row.middle - before.middle) / pitch
            near = far <= limits.pitch or (
                far <= limits.head_pitch and step < 0 and _is_ruled(row, before, levels, box)
            )
            if not part or not near or waiting > 1:
                break
            new = BoundingBox.around([segment.box for segment in part])
            if any(other.intersection(new) > 0.3 * new.area for other in barred) or is_caption(part[0]):
                break
            last = row
            if _stands_in(part, column_spans, box, size, limits) or (step < 0 and _heads(part, box, size, limits)):
                box = box.union(new)
                waiting = 0
            elif len(part) == 1 and _may_wait(part[0], box, before, step, column_spans[0][0], size):
                waiting += 1
            else:
                break
    return box


def _may_wait(one: Segment, box: BoundingBox, before: _Row, step: int, left: float, size: float) -> bool:
    """Whether a lone cell may be the name of a group below the table's rows, or a part of a header right above them."""
    if step > 0:
        return abs(one.box.x0 - left) <= 2 * size
    return one.box.x0 >= box.x0 and one.box.x1 <= box.x1 and before.middle - one.box.center[1] <= 1.5 * size


def _stands_in(
    part: Sequence[Segment], column_spans: Sequence[Span], box: BoundingBox, size: float, limits: AlignedTables
) -> bool:
    """Whether the segments are cells: each in one column of the table, most of these filled, none of them long."""
    if len(part) < max(2, 0.5 * len(column_spans)) or part[0].box.x0 < box.x0 - size or part[-1].box.x1 > box.x1 + size:
        return False
    if sum(len(segment.words) for segment in part) > 2 * limits.max_words * len(part):
        return False
    ends = [(low - size, high + size) for low, high in column_spans]
    return all(any(low <= s.box.x0 and s.box.x1 <= high for low, high in ends) for s in part)


def _with_head(box: BoundingBox, row: _Row, num_columns: int, size: float, limits: AlignedTables) -> BoundingBox:
    """With all of its first row, if that has a short cell for each column: the network saw but a part of it."""
    around = BoundingBox(x0=box.x0 - limits.reach * size, y0=box.y0, x1=box.x1 + limits.reach * size, y1=box.y1)
    part = row.within(around.x0, around.x1)
    if len(part) != num_columns or not _heads(part, around, 0.0, limits):
        return box
    return box.union(BoundingBox.around([segment.box for segment in part]))


def _is_ruled(above: _Row, below: _Row, levels: Sequence[BoundingBox], box: BoundingBox) -> bool:
    """Whether a rule is drawn between two rows, along a good part of the table; it may be in pieces."""
    between = (rule for rule in levels if above.middle < rule.center[1] < below.middle)
    return sum(max(0.0, min(rule.x1, box.x1) - max(rule.x0, box.x0)) for rule in between) > 0.3 * box.width


def _heads(part: Sequence[Segment], box: BoundingBox, size: float, limits: AlignedTables) -> bool:
    """Whether the segments may be a line of a header: several short ones, none beyond the sides of the table."""
    return (
        len(part) > 1
        and part[0].box.x0 >= box.x0 - size
        and part[-1].box.x1 <= box.x1 + size
        and all(len(segment.words) <= 2 * limits.max_words for segment in part)
    )


def _widened(
    box: BoundingBox, rows: Sequence[_Row], size: float, barred: Sequence[BoundingBox], limits: AlignedTables
) -> BoundingBox:
    """With the cells beside most rows, if they are shorter than lines of text are."""
    for side in (-1, 1):
        beside: list[Segment] = []
        boxes = [segment.box for row in rows for segment in row.within(box.x0, box.x1)]
        for row in rows:
            out = [s for s in row.segments if (s.box.center[0] - (box.x0 if side < 0 else box.x1)) * side > 0]
            beside += out[-1:] if side < 0 else out[:1]
        if not beside:
            continue
        gap = min(one.x0 for one in boxes) - max(s.box.x1 for s in beside)
        if side > 0:
            gap = min(s.box.x0 for s in beside) - max(one.x1 for one in boxes)
        if gap > limits.reach * size:
            continue
        if len(beside) < limits.label * len(rows):
            continue
        if sum(len(s.words) for s in beside) > limits.max_words * len(beside):
            continue
        new = BoundingBox.around([segment.box for segment in beside])
        if not any(other.intersection(new) > 0.3 * new.area for other in barred):
            box = box.union(new)
    return box
