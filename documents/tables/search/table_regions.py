"""Decides which detections are tables once ruled lines are known: a grid of words is one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from math import inf

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.draft.rule import NoThresholds
from documents.inspection import Grid, Ruling, TextLine
from documents.page_index import PageIndex as PointIndex
from documents.rotated_boxes import unrotate
from documents.tables.cells import PlacedWord, count_words, placed_words
from documents.tables.fit import is_shaded_text
from documents.tables.ruled import cut_by_grid
from documents.tables.search.line_numbers import LineNumbers, counts_lines
from documents.tables.search.tables_apart import TablesApart
from documents.text.languages import caption_kind
from documents.values import Detection

INSIDE = 0.5  # of a detection's area in a grid
OVER = 0.7  # of a grid's area in a detected table
SURE = 0.5  # the score of a table that only its rules show
EDGELESS = 2.0  # points from the page's sides: grids that reach both are the ground of a slide
EDGE = 6.0  # points by which the ends of rules of one table differ
REACH = 60.0  # points from a detected table to its last rule
WIDE = 0.7  # of a table's width, that its rules have
PARAGRAPHS = 150  # words of a cell that is no cell of a table
MOST_WORDS = 0.6  # of a grid's words, in that cell
MOST_PASSES = 32  # over the rules that a table may grow to


def ruled_tables(page: PageDraft, _: NoThresholds) -> PageDraft:
    if not page.inspection.grids:
        return page
    lines = [line for line in page.inspection.lines if line.hidden is None]
    heads = _HeadLines(lines)
    width = page.inspection.width
    grids = [grid for grid in page.inspection.grids if grid.box.x0 > EDGELESS or grid.box.x1 < width - EDGELESS]
    boxes = list(_ruled_boxes(grids, lines))
    detections = _Detections(page.detections, boxes)
    made: set[int] = set()
    for k, box in enumerate(boxes):
        inside = detections.inside(k, box)
        covered = {number: d for number, d in detections.tables_over(box).items() if number not in made} | inside
        score = max((d.score for d in covered.values() if d.kind == "table"), default=SURE)
        detections.drop(covered.keys() - {number for number, d in inside.items() if heads.name_caption(d.box)})
        made.add(detections.add(Detection(kind="table", box=box, score=max(SURE, score)), made_for=k))
    return replace(page, detections=tuple(_cut_back(detections.kept(), boxes, heads)))


def tables_as_long_as_their_rules(page: PageDraft, _: NoThresholds) -> PageDraft:
    if not any(d.kind == "table" for d in page.detections):
        return page
    others = [d.box for d in page.detections if d.kind != "table"]
    apart = TablesApart([d.box for d in page.detections if d.kind == "table"], page.inspection.grids)
    ruled = apart.grids()
    grids = PointIndex(ruled.values())
    rulings = LevelRulings(page.inspection.rules)
    free = LevelRulings([rule for rule in page.inspection.rules if not grids.holding(*rule.box.center)])

    def grown(box: BoundingBox) -> BoundingBox:
        return (rulings if box in ruled else free).grown(box, others, apart.room(box))

    detections = (d.model_copy(update={"box": grown(d.box)}) if d.kind == "table" else d for d in page.detections)
    return replace(page, detections=tuple(detections))


def numbered_lines_are_no_table(page: PageDraft, limits: LineNumbers) -> PageDraft:
    lines = [line for line in page.inspection.lines if line.hidden is None and line.angle == 0]
    return replace(
        page,
        detections=tuple(
            d.as_kind("plain text") if d.kind == "table" and counts_lines(d.box, lines, limits) else d
            for d in page.detections
        ),
    )


def _cut_back(detections: Sequence[Detection], grids: Sequence[BoundingBox], heads: _HeadLines) -> Iterator[Detection]:
    """Text that reaches into a grid ends above it, or begins below it: a caption and the first row were seen as one.

    Text around a grid is what stands above it, and what stands below.
    """
    index = PointIndex(grids)
    around = _around(detections, grids)
    for at, d in enumerate(detections):
        box = d.box
        if at in around:
            yield from (d.model_copy(update={"box": part}) for part in heads.between(box, around[at]))
            continue
        if d.kind not in ("table", "figure"):
            for k in {*index.holding(box.center[0], box.y0), *index.holding(box.center[0], box.y1)}:
                box = heads.outside(box, grids[k]) or box
        yield d if box is d.box else d.model_copy(update={"box": box})


def _around(detections: Sequence[Detection], grids: Sequence[BoundingBox]) -> dict[int, list[BoundingBox]]:
    """The grids, from the top, that lie for the most part in text, by the number of its detection."""
    texts = [(k, d.box) for k, d in enumerate(detections) if d.kind not in ("table", "figure")]
    index = PointIndex(box for _, box in texts)
    around: dict[int, list[BoundingBox]] = {}
    for grid in sorted(grids, key=lambda box: box.y0):
        for k in index.holding(*grid.center):
            number, box = texts[k]
            if grid.intersection(box) > OVER * grid.area:
                around.setdefault(number, []).append(grid)
    return around


class _Detections:
    """The detections of a page by number, which few boxes are compared with: most of one lies where its middle does."""

    def __init__(self, detections: Sequence[Detection], boxes: Sequence[BoundingBox]) -> None:
        self._all: list[Detection] = []
        self._dropped: set[int] = set()
        self._index = PointIndex()
        self._boxes = PointIndex(boxes)
        self._middles_in: list[list[int]] = [[] for _ in boxes]
        for detection in detections:
            self.add(detection)

    def add(self, detection: Detection, *, made_for: int = -1) -> int:
        """The number of a detection, to be found from the next box on if it was made for one."""
        number = self._index.add(detection.box)
        self._all.append(detection)
        for k in self._boxes.holding(*detection.box.center):
            if k > made_for:
                self._middles_in[k].append(number)
        return number

    def inside(self, k: int, box: BoundingBox) -> dict[int, Detection]:
        """Those that lie for the most part in the box of number `k`."""
        middles = self._those(self._middles_in[k])
        return {number: d for number, d in middles.items() if d.box.intersection(box) > INSIDE * d.box.area}

    def tables_over(self, box: BoundingBox) -> dict[int, Detection]:
        """Tables that cover most of a box."""
        around = self._those(self._index.holding(*box.center)).items()
        return {number: d for number, d in around if d.kind == "table" and d.box.intersection(box) > OVER * box.area}

    def drop(self, numbers: Collection[int]) -> None:
        self._dropped.update(numbers)

    def kept(self) -> tuple[Detection, ...]:
        return tuple(self._those(range(len(self._all))).values())

    def _those(self, numbers: Iterable[int]) -> dict[int, Detection]:
        return {number: self._all[number] for number in numbers if number not in self._dropped}


class _HeadLines:
    """Lines by their middle, so that few are looked at to find the highest in a box."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = lines
        self._order = sorted(range(len(lines)), key=lambda k: lines[k].box.center[1])
        self._middles = [lines[k].box.center[1] for k in self._order]

    def name_caption(self, box: BoundingBox) -> bool:
        """Whether the highest line in a box begins as a caption does."""
        low, high = bisect_left(self._middles, box.y0), bisect_right(self._middles, box.y1)
        inside = (k for k in self._order[low:high] if box.contains(*self._lines[k].box.center))
        first = min(inside, key=lambda k: (self._lines[k].box.y0, k), default=None)
        return first is not None and caption_kind(self._lines[first].text) is not None

    def between(self, box: BoundingBox, grids: Sequence[BoundingBox]) -> Iterator[BoundingBox]:
        """The parts of a box above, between and below grids in it that hold lines; grids stand from the top."""
        top = box.y0
        for low, high in (*((grid.y0, grid.y1) for grid in grids), (box.y1, box.y1)):
            first, last = bisect_left(self._middles, top), bisect_right(self._middles, low)
            middles = (self._lines[k].box.center for k in self._order[first:last])
            if any(box.contains(*middle) for middle in middles):
                yield BoundingBox(x0=box.x0, y0=top, x1=box.x1, y1=max(top, low))
            top = max(top, high)

    def outside(self, box: BoundingBox, grid: BoundingBox) -> BoundingBox | None:
        """The part of a box above or below a grid, if lines of it stand there and others in the grid."""
        low, high = bisect_left(self._middles, box.y0), bisect_right(self._middles, box.y1)
        middles = [self._lines[k].box.center for k in self._order[low:high]]
        sides = {grid.contains(*middle) for middle in middles if box.contains(*middle)}
        if len(sides) < 2 or (box.y0 < grid.y0 and box.y1 > grid.y1):
            return None
        part = {"y1": grid.y0} if box.y0 < grid.y0 else {"y0": grid.y1}
        return box.model_copy(update=part)


def _ruled_boxes(grids: Sequence[Grid], lines: Sequence[TextLine]) -> Iterator[BoundingBox]:
    """The boxes of the grids that part words into rows and columns, less what their frames hold besides.

    A grid is read in the direction of most words in it.
    """
    index = PointIndex(grid.box for grid in grids)
    words: list[dict[int, list[PlacedWord]]] = [{} for _ in grids]
    for line in lines:
        for one in placed_words([line], line.angle):
            for k in index.holding(*one.word.box.center):
                words[k].setdefault(line.angle, []).append(one)
    for grid, by_angle in zip(grids, words, strict=True):
        angle = max(by_angle, key=lambda angle: len(by_angle[angle]), default=0)
        cut = cut_by_grid([unrotate(cell, angle) for cell in grid.cells], by_angle.get(angle, []))
        if cut is None or is_shaded_text(cut):
            continue
        if not _is_page_layout([count_words(slot.words) for slot in cut.slots]):
            boxes = [slot.box for slot in cut.slots if slot.box is not None]
            upright = BoundingBox.around([*boxes, *(one.box for slot in cut.slots for one in slot.words)])
            yield unrotate(upright, (360 - angle) % 360)


def _is_page_layout(counts: Sequence[int]) -> bool:
    """Whether one cell holds most of a grid's words, as many as several paragraphs: text beside or below pictures."""
    most = max(counts, default=0)
    return most >= PARAGRAPHS and most > MOST_WORDS * sum(counts)


class LevelRulings:
    """The level rulings of a page, by their ends: a table reaches as far as those of its own width stand."""

    def __init__(self, rulings: Sequence[Ruling]) -> None:
        self._boxes = [ruling.box for ruling in rulings if ruling.level]
        self._by_ends: dict[tuple[float, float], list[int]] = {}
        for k, box in enumerate(self._boxes):
            self._by_ends.setdefault((box.x0 // EDGE, box.x1 // EDGE), []).append(k)

    def grown(
        self, table: BoundingBox, others: Sequence[BoundingBox], room: tuple[float, float] = (-inf, inf)
    ) -> BoundingBox:
        """The table with the rulings near it that begin and end as its first does, unless most of another is between.

        It ends before it has left its `room`, from the top to the bottom.
        A ruling that is not reached, or has another region before it, is tried again once the table has grown.
        """
        like = [k for k in self._alike(table) if room[0] + 1 < self._boxes[k].y0 and self._boxes[k].y1 < room[1] - 1]
        tops = [self._boxes[k].y0 for k in like]
        beside = [other for other in others if min(other.x1, table.x1) > max(other.x0, table.x0)]
        box = table
        low, high = bisect_left(tops, box.y0 - REACH), bisect_right(tops, box.y1 + REACH)  # those that are reached
        now = sorted(like[low:high])
        for _ in range(MOST_PASSES):
            later: list[int] = []
            grown = False
            while now:
                at = heappop(now)
                ruling = self._boxes[at]
                if box.y0 <= ruling.y0 and ruling.y1 <= box.y1:
                    continue
                new = box.union(BoundingBox(x0=box.x0, y0=ruling.y0, x1=box.x1, y1=ruling.y1))
                if any(_taken(other, new, box) for other in beside):
                    later.append(at)
                    continue
                box, grown = new, True
                first, end = bisect_left(tops, box.y0 - REACH), bisect_right(tops, box.y1 + REACH)
                for k in (*like[first:low], *like[high:end]):
                    if k > at:
                        heappush(now, k)
                    else:
                        later.append(k)
                low, high = min(low, first), max(high, end)
            if not grown:
                break
            now = sorted(later)
        return box

    def _alike(self, table: BoundingBox) -> list[int]:
        """Rulings from the top that begin and end where the first of the file does that runs through the table."""
        wide = WIDE * table.width
        pattern = next((b for b in self._boxes if table.y0 - EDGE <= b.y0 <= table.y1 + EDGE and b.width >= wide), None)
        if pattern is None:
            return []
        left, right = pattern.x0 // EDGE, pattern.x1 // EDGE
        near = (k for i in (-1, 0, 1) for j in (-1, 0, 1) for k in self._by_ends.get((left + i, right + j), ()))
        alike = (
            k
            for k in near
            if abs(self._boxes[k].x0 - pattern.x0) <= EDGE
            and abs(self._boxes[k].x1 - pattern.x1) <= EDGE
            and self._boxes[k].width >= wide
        )
        return sorted(alike, key=lambda k: (self._boxes[k].y0, k))


def _taken(other: BoundingBox, new: BoundingBox, old: BoundingBox) -> bool:
    """Whether growing would take most of another region along."""
    return other.intersection(new) - other.intersection(old) > INSIDE * other.area
