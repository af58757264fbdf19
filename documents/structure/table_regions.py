"""Which detections are tables, once the rules are known: a grid of words is one, whatever a model took it for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from documents.inspection import Grid, Inspection, Ruling
from documents.structure.line_numbers import LineNumbers, counts_lines
from documents.structure.page_draft import PageDraft
from documents.structure.rule import NoThresholds
from documents.tables.cells import placed_words
from documents.tables.ruled import cut_by_grid
from documents.text.languages import caption_kind
from documents.values import BoundingBox, Detection

INSIDE = 0.5  # of a detection's area in a grid
SURE = 0.5  # the score of a table that only its rules show
EDGE = 6.0  # points by which the ends of rules of one table differ
REACH = 60.0  # points from a detected table to its last rule


def ruled_tables(page: PageDraft, _: NoThresholds) -> PageDraft:
    inspection = page.inspection
    found = list(page.detections)
    for grid in inspection.grids:
        box = _ruled(grid, inspection)
        if box is None:
            continue
        inside = [d for d in found if d.box.intersection(box) > INSIDE * d.box.area]
        over = [d for d in found if d.kind == "table" and d not in inside and d.box.intersection(box) > 0.7 * box.area]
        score = max((d.score for d in [*inside, *over] if d.kind == "table"), default=SURE)
        gone = [d for d in inside if not _is_caption(d, inspection)] + over
        found = [d for d in found if d not in gone] + [Detection(kind="table", box=box, score=max(SURE, score))]
    return replace(page, detections=tuple(found))


def tables_as_long_as_their_rules(page: PageDraft, _: NoThresholds) -> PageDraft:
    return replace(
        page,
        detections=tuple(
            _grown(d, page.inspection.rules, page.detections) if d.kind == "table" else d for d in page.detections
        ),
    )


def numbered_lines_are_no_table(page: PageDraft, limits: LineNumbers) -> PageDraft:
    lines = [line for line in page.inspection.lines if line.hidden is None and line.angle == 0]
    return replace(
        page,
        detections=tuple(
            _text(d) if d.kind == "table" and counts_lines(d.box, lines, limits) else d for d in page.detections
        ),
    )


def _text(found: Detection) -> Detection:
    return found.as_kind("plain text")


def _is_caption(found: Detection, inspection: Inspection) -> bool:
    lines = [line for line in inspection.lines if line.hidden is None and found.box.contains(*line.box.center)]
    return bool(lines) and caption_kind(min(lines, key=lambda line: line.box.y0).text) is not None


def _ruled(grid: Grid, inspection: Inspection) -> BoundingBox | None:
    """The box of a grid that parts words into rows and columns, less what its frame holds besides."""
    lines = [line for line in inspection.lines if line.hidden is None and line.angle == 0]
    words = [one for one in placed_words(lines, 0) if grid.box.contains(*one.box.center)]
    cut = cut_by_grid(grid.cells, words)
    if cut is None:
        return None
    boxes = [slot.box for slot in cut.slots if slot.box is not None]
    return BoundingBox.around([*boxes, *(one.box for slot in cut.slots for one in slot.words)])


def _grown(table: Detection, rules: Sequence[Ruling], others: Sequence[Detection]) -> Detection:
    """A table reaches as far as level rules of its own width stand above and below."""
    box = table.box
    level = [rule.box for rule in rules if rule.level and rule.box.width >= 0.7 * box.width]
    own = [r for r in level if box.y0 - EDGE <= r.y0 <= box.y1 + EDGE]
    if not own:
        return table
    pattern = own[0]
    grown = True
    while grown:
        grown = False
        for rule in level:
            same = abs(rule.x0 - pattern.x0) <= EDGE and abs(rule.x1 - pattern.x1) <= EDGE
            near = box.y0 - REACH <= rule.y0 <= box.y1 + REACH
            if not same or not near or (box.y0 <= rule.y0 and rule.y1 <= box.y1):
                continue
            new = box.union(BoundingBox(x0=box.x0, y0=rule.y0, x1=box.x1, y1=rule.y1))
            if any(d is not table and d.kind != "table" and _taken(d.box, new, box) for d in others):
                continue
            box, grown = new, True
    return table.model_copy(update={"box": box})


def _taken(other: BoundingBox, new: BoundingBox, old: BoundingBox) -> bool:
    """Whether growing would take most of another region along."""
    return other.intersection(new) - other.intersection(old) > INSIDE * other.area
