"""Finds tables between horizontal rules of equal width: above the header, below it and at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.inspection import Ruling
from documents.tables.cells import count_words
from documents.tables.search.several_tables import Surroundings
from documents.tables.settings import DEFAULT
from documents.tables.strategies import TableArea, best_cut
from documents.tables.table_columns import Segment
from documents.text.languages import caption_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledStretches:
    """What stands between the rules of one table. Lengths are in points."""

    ends: float = 4.0  # by which the ends of its rules differ
    min_stretches: int = 2  # between rules: a header and rows
    long: float = 0.6  # of the rules' width: a line of text that is alone in its row is no row
    max_words: int = 6  # of such a line
    known: float = 0.5  # of the area of a detected table, that lies between the rules


def tables_between_rules(
    rows: Sequence[Sequence[Segment]],
    around: Surroundings,
    grids: Sequence[BoundingBox],
    ruled: Sequence[BoundingBox],
    limits: RuledStretches,
) -> Iterator[BoundingBox]:
    """Boxes around runs of stretches that hold rows of cells, and of which the network saw at least a part.

    Tables in `grids`, whose cells are ruled on all sides, are left to these; a `ruled` table parts what stands around.
    """
    tables = [table for table in around.known if not any(grid.intersection(table) > 0 for grid in grids)]
    for rules in _alike(around.levels, limits):
        run = [rules[0]]
        for above, below in [*pairwise(rules), (rules[-1], None)]:
            stretch = [] if below is None or _meets(above, below, ruled, limits) else _between(rows, above, below)
            if below is not None and _holds_rows(stretch, below, around.titles, limits):
                run.append(below)
                continue
            if len(run) > limits.min_stretches:
                box = BoundingBox.around(run)
                known = any(table.intersection(box) > limits.known * table.area for table in tables)
                if known and _is_cut(_between(rows, run[0], run[-1]), run):
                    yield box
            run = [below] if below is not None else []


def _meets(above: BoundingBox, below: BoundingBox, ruled: Sequence[BoundingBox], limits: RuledStretches) -> bool:
    """Whether a ruled table stands between two rules, or has one of them."""
    top, end = above.y0 - limits.ends, below.y1 + limits.ends
    return any(table.y0 < end and table.y1 > top and table.x0 < above.x1 and table.x1 > above.x0 for table in ruled)


def _alike(levels: Sequence[BoundingBox], limits: RuledStretches) -> list[list[BoundingBox]]:
    """Rules by their ends, each group from the top; what is drawn twice counts once."""
    groups: dict[tuple[int, int], list[BoundingBox]] = {}
    for rule in sorted(levels, key=lambda rule: rule.y0):
        near = (
            (round(rule.x0 / limits.ends) + i, round(rule.x1 / limits.ends) + j) for i in (0, -1, 1) for j in (0, -1, 1)
        )
        ends = next((key for key in near if key in groups), None)
        group = groups.setdefault(ends or (round(rule.x0 / limits.ends), round(rule.x1 / limits.ends)), [])
        if not group or rule.y0 - group[-1].y1 > limits.ends:
            group.append(rule)
    return [group for group in groups.values() if len(group) > limits.min_stretches]


def _between(rows: Sequence[Sequence[Segment]], above: BoundingBox, below: BoundingBox) -> list[list[Segment]]:
    """The parts of rows that stand between two rules."""
    box = BoundingBox.around([above, below])
    parts = ([segment for segment in row if box.contains(*segment.box.center)] for row in rows)
    return [part for part in parts if part]


def _holds_rows(
    rows: Sequence[Sequence[Segment]], rule: BoundingBox, titles: Sequence[BoundingBox], limits: RuledStretches
) -> bool:
    """Whether there are rows, none of them a heading, a caption or a line of text."""
    if not rows or any(is_heading(row, titles) for row in rows):
        return False
    return not any(
        len(row) == 1 and row[0].box.width > limits.long * rule.width and count_words(row[0].words) > limits.max_words
        for row in rows
    )


def _is_cut(rows: Sequence[Sequence[Segment]], run: Sequence[BoundingBox]) -> bool:
    words = [one for row in rows for segment in row for one in segment.words]
    return best_cut(TableArea(words, [Ruling(box=rule) for rule in run], []), DEFAULT) is not None


def is_heading(row: Sequence[Segment], titles: Sequence[BoundingBox]) -> bool:
    """Whether a printed row is a caption by its words, or all of it stands where the network saw one of `titles`."""
    if caption_kind(" ".join(one.word.text for one in row[0].words)) is not None:
        return True
    return len(row) == 1 and any(title.contains(*row[0].box.center) for title in titles)
