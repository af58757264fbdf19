"""Finds tables that the layout network missed, cut off or took for one, by the columns in which rows stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.inspection import TextLine
from documents.page_index import PageIndex as PointIndex
from documents.region_values import RegionKind
from documents.rotated_boxes import unrotate, usual_angle
from documents.tables.cells import Cut, PlacedWord, baselines, count_words, is_value, placed_words
from documents.tables.search.aligned_rows import AlignedTables, Row
from documents.tables.search.grown_tables import Neighbours, grown
from documents.tables.search.line_numbers import LineNumbers, counts_lines
from documents.tables.search.several_tables import Surroundings, several_tables
from documents.tables.search.tables_apart import TablesApart
from documents.tables.search.tables_between_rules import is_heading, tables_between_rules
from documents.tables.settings import DEFAULT
from documents.tables.strategies import TableArea, best_cut
from documents.tables.table_columns import BLANK, Segment, segments
from documents.text.languages import caption_kind
from documents.values import Detection

Span = tuple[float, float]
TITLES: tuple[RegionKind, ...] = ("title", "table_caption", "figure_caption")


def aligned_tables(page: PageDraft, limits: AlignedTables) -> PageDraft:
    lines = [line for line in page.inspection.lines if line.hidden is None]
    tables = [d for d in page.kept if d.kind == "table"]
    angle = usual_angle(lines)
    in_rows = {turn for turn in {line.angle for line in lines} if _most_rows(lines, turn, limits) >= limits.min_rows}
    if not tables and not in_rows:
        return page
    rows = _rows(lines, angle)
    if len(rows) < 2:
        return page
    back = (360 - angle) % 360
    levels = [box for rule in page.inspection.rules if (box := unrotate(rule.box, angle)).width > box.height]
    grids = [unrotate(grid.box, angle) for grid in page.inspection.grids]
    known = [unrotate(d.box, angle) for d in tables]
    apart = TablesApart([d.box for d in tables], page.inspection.grids)
    ruled_tables = {unrotate(box, angle): unrotate(grid, angle) for box, grid in apart.grids().items()}
    titles = [unrotate(d.box, angle) for d in page.kept if d.kind in TITLES and not _is_within(d, tables)]
    around = Surroundings(known, levels, titles)
    cells = [row.segments for row in rows]
    ruled = tables_between_rules(cells, around, grids, list(ruled_tables), limits.stretches)
    free = list(_outside([row.segments for row in rows], list(ruled_tables)))
    boxes = [unrotate(box, back) for box in (*_new_tables(free, around, limits), *ruled)]
    for turn in sorted(in_rows - {angle}):  # beside the page's text
        new = _new_tables(_rows(lines, turn), Surroundings([], [], []), limits)
        boxes += [unrotate(box, (360 - turn) % 360) for box in new]
    upright = [line for line in lines if line.angle == 0]
    detections = list(page.kept)
    for box in boxes:
        if not counts_lines(box, upright, LineNumbers()):
            detections = _with_table(detections, box, limits)
    after = _fitted(detections, rows, around, ruled_tables, angle, limits)
    before = {id(d) for d in page.kept}
    along = [line for line in lines if line.angle == angle]
    after = _without_parts(after, [d for d in after if d.kind == "table" and id(d) not in before], along)
    return page if tuple(after) == page.kept else replace(page, kept=tuple(after))


def _is_within(detection: Detection, tables: Sequence[Detection]) -> bool:
    return any(table.box.contains(*detection.box.center) for table in tables)


def _rows(lines: Sequence[TextLine], angle: int) -> list[Row]:
    return [Row(segments(row, [])) for row in baselines(placed_words(lines, angle))]


def _fitted(
    detections: Sequence[Detection],
    rows: Sequence[Row],
    around: Surroundings,
    ruled: Mapping[BoundingBox, BoundingBox],
    angle: int,
    limits: AlignedTables,
) -> list[Detection]:
    """Each table as large as the rows and columns that belong to it, or parted into several; boxes are upright.

    A ruled table has no rows above or below its grid.
    """
    back = (360 - angle) % 360
    figures = [unrotate(d.box, angle) for d in detections if d.kind == "figure"]
    tables = [unrotate(d.box, angle) for d in detections if d.kind == "table"]
    areas = [other.area for other in tables]
    fitted: list[Detection] = []
    for d in detections:
        if d.kind != "table":
            fitted.append(d)
            continue
        box = unrotate(d.box, angle)
        least = limits.part * box.area
        others = (other for other, area in zip(tables, areas, strict=True) if area > least and other != box)
        neighbours = Neighbours(
            [*figures, *others], [other for other in ruled if other != box], around.levels, around.titles
        )
        grid = ruled.get(box)
        near = rows if grid is None else [row for row in rows if grid.y0 <= row.middle <= grid.y1]
        new = grown(box, near, neighbours, limits)
        parts = list(_parted(new, rows, around, limits)) if box not in ruled else []
        fitted += [d if part == box else d.as_kind("table", unrotate(part, back)) for part in parts or [new]]
    return fitted


def _parted(
    box: BoundingBox, rows: Sequence[Row], around: Surroundings, limits: AlignedTables
) -> Iterator[BoundingBox]:
    """Boxes around each of several tables that were seen as one; nothing if they are one."""
    inside = [part for row in rows if (part := [s for s in row.segments if box.contains(*s.box.center)])]
    parts = [_words(part) for part in several_tables(inside, around, limits.several)]
    if len(parts) > 1 and all(best_cut(TableArea(words, [], []), DEFAULT) is not None for words in parts):
        yield from (BoundingBox.around([one.box for one in words]) for words in parts)


def _words(rows: Sequence[Sequence[Segment]]) -> list[PlacedWord]:
    return [one for row in rows for segment in row for one in segment.words]


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


def _outside(rows: Sequence[Sequence[Segment]], ruled: Sequence[BoundingBox]) -> Iterator[Row | None]:
    """The rows less what stands in ruled tables; None where such a table ends a run."""
    index = PointIndex(ruled)
    for row in rows:
        outside = [s for s in row if not index.holding(*s.box.center)]
        if outside:
            yield Row(outside)
        elif row:
            yield None


def _new_tables(rows: Sequence[Row | None], around: Surroundings, limits: AlignedTables) -> Iterator[BoundingBox]:
    """Boxes around runs of rows that are cut into a table without a doubt."""
    for run in _runs(rows, around.titles, limits):
        cells = [row.segments for row in run]
        closed = _ends_in_values(cells, limits)
        if not closed and not _holds_values(cells, limits):
            continue
        parts = several_tables(cells, around, limits.several)
        min_cells = limits.min_cells if len(parts) == 1 else limits.min_cells_beside
        for part in parts:
            words = _words(part)
            cut = best_cut(TableArea(words, [], []), DEFAULT) if closed or _holds_values(part, limits) else None
            if cut is not None and cut.num_columns >= min_cells and (closed or not _has_text_beside(cut, limits)):
                yield BoundingBox.around([one.box for one in words])


def _ends_in_values(rows: Sequence[Sequence[Segment]], limits: AlignedTables) -> bool:
    """Whether rows end in values that end below one another, and do not rise as page numbers do: labels may be long."""
    full = [row for row in rows if len(row) >= limits.min_cells]
    ends = [row[-1] for row in full]
    if len(full) < limits.min_rows or not all(map(_is_value, ends)):
        return False
    if sum(len(row) > 1 for row in rows) > len(full):
        return False
    size = median(segment.words[0].word.font_size for segment in ends)
    edge = median(segment.box.x1 for segment in ends)
    if any(abs(segment.box.x1 - edge) > 0.5 * size for segment in ends):
        return False
    values = [int("".join(filter(str.isdecimal, _text(segment))) or 0) for segment in ends]
    return any(b < a for a, b in pairwise(values))


def _text(segment: Segment) -> str:
    return "".join(one.word.text for one in segment.words)


def _is_value(segment: Segment) -> bool:
    return is_value(_text(segment))


def _has_text_beside(cut: Cut, limits: AlignedTables) -> bool:
    """Whether a column behind the first has lines as long as text: it stands beside the table."""
    lines: defaultdict[int, list[int]] = defaultdict(list)
    for slot in cut.slots:
        if slot.column > 0 and slot.num_columns == 1:
            lines[slot.column] += map(count_words, baselines(slot.words))
    return any(sum(counts) > limits.max_column * len(counts) for counts in lines.values())


def _holds_values(rows: Sequence[Sequence[Segment]], limits: AlignedTables) -> bool:
    """Whether enough cells are values, and few are as long as text."""
    cells = [segment for row in rows for segment in row]
    values = sum(is_value("".join(one.word.text for one in segment.words)) for segment in cells)
    counts = [count_words(segment.words) for segment in cells]
    num_long = sum(count > 2 * limits.max_words for count in counts)
    return (
        values >= limits.min_values * len(cells)
        and sum(counts) <= limits.max_words * len(cells)
        and num_long <= limits.max_long * len(cells)
    )


def _runs(rows: Sequence[Row | None], titles: Sequence[BoundingBox], limits: AlignedTables) -> Iterator[list[Row]]:
    """Rows of several cells one below the other, with those of fewer cells between two of them."""
    pitches = [b.middle - a.middle for a, b in pairwise(rows) if a is not None and b is not None]
    pitch = median(pitches) if pitches else 0.0
    run: list[Row] = []
    end = 0  # of the run, behind its last row of enough cells
    for row in (*(None if row is None or is_heading(row.segments, titles) else row for row in rows), None):
        near = row is not None and (not run or row.middle - run[-1].middle <= limits.pitch * pitch)
        full = row is not None and len(row.segments) >= limits.min_cells
        if run and (not near or len(run) - end >= 3):
            if sum(len(row.segments) >= limits.min_cells for row in run[:end]) >= limits.min_rows:
                yield run[:end]
            run, end = [], 0
        if row is not None and (run or full):
            run.append(row)
            end = len(run) if full else end
