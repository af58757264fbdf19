"""Takes row labels beside a grid as its first column, where most rows of the grid have one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.boxes import BoundingBox
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, is_value


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLimits:
    """When words beside a grid are labels of its rows."""

    labelled: float = 0.6  # of the rows with values: the least that have a label beside the grid
    max_words: int = 6  # of a label
    level: float = 0.6  # of a word's height by which labels stand lower or higher than their row


DEFAULT_LABEL_LIMITS = LabelLimits()


def with_labels_beside(cut: Cut, words: Sequence[PlacedWord], limits: LabelLimits = DEFAULT_LABEL_LIMITS) -> Cut:
    """The table with a column more at its left, if `words` outside of its grid are labels of its rows."""
    boxes = [slot.box for slot in cut.slots if slot.box is not None]
    if not boxes:
        return cut
    left = min(box.x0 for box in boxes)
    rows = _rows(cut)
    tops = [top for top, _, _ in rows]
    labels: dict[int, list[PlacedWord]] = {}
    for line in baselines([one for one in words if one.box.x1 <= left]):
        middle, room = line[0].box.center[1], limits.level * line[0].box.height
        at = bisect_right(tops, middle + room) - 1
        if at < 0 or middle > rows[at][1] + room or len(line) > limits.max_words:
            continue
        labels.setdefault(rows[at][2], []).extend(line)
    valued = {slot.row for slot in cut.slots if is_value("".join(one.word.text for one in slot.words))}
    if len(valued) < 2 or len(valued & labels.keys()) < limits.labelled * len(valued):
        return cut
    slots = [replace(slot, column=slot.column + 1) for slot in cut.slots]
    slots += [Slot(row, 0, words=label) for row, label in labels.items()]
    return replace(cut, num_columns=cut.num_columns + 1, slots=slots)


def _rows(cut: Cut) -> list[tuple[float, float, int]]:
    """Top and bottom of what stands in each row, from the top, and its number."""
    words: dict[int, list[BoundingBox]] = {}
    for slot in cut.slots:
        if slot.num_rows == 1:
            words.setdefault(slot.row, []).extend(one.box for one in slot.words)
    return sorted((min(b.y0 for b in boxes), max(b.y1 for b in boxes), row) for row, boxes in words.items() if boxes)
