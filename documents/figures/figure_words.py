"""Grows a figure over the words right beside it that belong to its drawing: numbers and names of axes, legends."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from documents.boxes import BoundingBox
from documents.draft.near_lines import NearLines
from documents.draft.text_source import Layer
from documents.inspection import TextLine
from documents.tables.cells import is_value
from documents.text.word_count import num_words

NOTE_MARK = ": "  # text such as "Source: ..." is a note on a figure and no name in it


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureWords:
    """Which lines beside a figure are its own. Lengths are in sizes of the type."""

    value_gap: float = 1.0  # to a number of an axis
    value_column: float = 2.0  # between the middles of numbers one below the other
    value_row: float = 0.5  # between the middles of numbers side by side
    min_values: int = 3  # of an axis, in a row or one below the other: one alone may be the page's
    side_gap: float = 2.5  # to words left or right of it
    side_words: int = 4
    level_gap: float = 1.6  # to words above or below it
    level_words: int = 8
    small: float = 0.95  # of the body's type: words above or below are smaller, or as small as its numbers
    touching: float = 0.7  # to words below in the body's type, as below a symbol
    touching_words: int = 3
    growth: float = 60.0  # points by which a figure grows at each side
    growth_share: float = 0.15  # of its longer side, by which it grows if that is more
    held: float = 0.5  # of a line's area, that lies in a drawing: it is in it
    reached: float = 0.99  # of a line's area, where the figure may grow
    max_passes: int = 6


def with_words_beside(
    drawing: BoundingBox, lines: NearLines, free: Collection[int], layer: Layer, limits: FigureWords
) -> BoundingBox:
    """The drawing with the lines that belong to it; a line may stand beside one that was taken before.

    `free` holds the ids of the lines that may stand beside it.
    """
    own = [line for line in lines.touching(drawing) if _lies_in(line, drawing, limits.held)]
    box = BoundingBox.around([drawing, *(line.box for line in own)])
    growth = max(limits.growth, limits.growth_share * max(box.width, box.height))
    most = box.widened(growth, growth)
    near = [
        line
        for line in lines.touching(most)
        if id(line) in free and _lies_in(line, most, limits.reached) and not _lies_in(line, box, limits.held)
    ]
    if not near:
        return box
    figure = _Figure(drawing, own, near, layer, limits)
    for _ in range(limits.max_passes):
        taken = [line for line in near if figure.owns(line, box)]
        if not taken:
            break
        box = BoundingBox.around([box, *(line.box for line in taken)])
        near = [line for line in near if not _lies_in(line, box, limits.held)]
    return box


class _Figure:
    """Decides by a figure's drawing and own words which lines beside it are its own, too."""

    def __init__(
        self,
        drawing: BoundingBox,
        own: Sequence[TextLine],
        near: Sequence[TextLine],
        layer: Layer,
        limits: FigureWords,
    ) -> None:
        self._drawing = drawing
        self._limits = limits
        self._layer = layer
        values = [line for line in (*own, *near) if is_value(line.text)]
        middles = [word.box.center for line in values for word in line.words]
        self._across = sorted(x for x, _ in middles)
        self._down = sorted(y for _, y in middles)
        sizes = [line.font_size for line in own if is_value(line.text)]
        self._small = max(limits.small * layer.body, median(sizes) if sizes else 0.0)

    def owns(self, line: TextLine, box: BoundingBox) -> bool:
        """Whether a line stands beside `box` as words of a figure do."""
        limits, size, own = self._limits, line.font_size, line.box
        if is_value(line.text):
            return self._is_of_axis(line)
        across, down = -own.overlap_x(box), -own.overlap_y(box)
        x, y = own.center
        count = num_words(line.text)
        if box.y0 <= y <= box.y1 and across <= limits.side_gap * size:
            return count <= (limits.side_words if self._layer.is_usual(line) else limits.level_words)
        if not (box.x0 <= x <= box.x1 and down <= limits.level_gap * size):
            return False
        if size <= self._small:
            return count <= limits.level_words and NOTE_MARK not in line.text
        below = y > box.y1 and size <= self._layer.body
        return below and count <= limits.touching_words and down <= limits.touching * size

    def _is_of_axis(self, line: TextLine) -> bool:
        size, box, limits = line.font_size, self._drawing, self._limits
        x, y = line.box.center
        gap = -min(line.box.overlap_x(box), line.box.overlap_y(box))
        if gap > limits.value_gap * size:
            return False
        if box.y0 <= y <= box.y1:
            alike = _num_within(self._across, x, limits.value_column * size)
        elif box.x0 <= x <= box.x1:
            alike = _num_within(self._down, y, limits.value_row * size)
        else:
            return False
        return alike >= limits.min_values


def _num_within(ordered: Sequence[float], middle: float, room: float) -> int:
    return bisect_right(ordered, middle + room) - bisect_left(ordered, middle - room)


def _lies_in(line: TextLine, box: BoundingBox, share: float) -> bool:
    return line.box.intersection(box) >= share * line.box.area
