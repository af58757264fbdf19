"""The value TextLine, and joining of line parts, accents and descenders to whole lines."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

WORD_GAP = 3.4  # heights of a letter: what stands farther apart is a line of its own
MIN_LOWER_OVERLAP = 0.6  # minimum overlap of two parts of a line, as a share of the lower part's height
SAME_BAND_OVERLAPS = 0.8, 0.6  # two lines are one if they overlap by these shares of the lower and of the taller one
MIN_BAND_OVERLAP = 0.4  # minimum overlap of two parts of a line, as a share of the taller part's height
MAX_TAIL_PARTS = 2  # maximum number of parts of a broken tail
MAX_TAIL_GAP = 0.25  # maximum distance between a line and the start of a tail below it, in letter heights
MAX_TAIL_REACH = 1.0  # maximum distance between a line and the end of a tail below it, in letter heights
MARK_REACH = 0.12  # heights above and below its letters, where marks and dots belong to a line
MAX_SIZE_RATIO = 2.1  # maximum ratio of the letter heights of two neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A printed line: `top` and `bottom` are where its letters begin and end at the middle of it, in pixels."""

    x0: int
    x1: int
    top: float
    bottom: float
    slope: float = 0.0  # pixels that it falls per pixel to the right
    letter: float = 1.0  # the usual height of its letters
    num_letters: int = 1

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def shift(self, x: float) -> float:
        """How far down it has come at `x`, from its middle."""
        return self.slope * (x - (self.x0 + self.x1) / 2)


def in_rows(lines: list[TextLine]) -> list[TextLine]:
    """From the top, and what stands in one row from the left."""
    ordered: list[TextLine] = []
    row: list[TextLine] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        if row and (line.top + line.bottom) / 2 > row[0].bottom - (row[0].bottom - row[0].top) / 4:
            ordered += sorted(row, key=lambda line: line.x0)
            row = []
        row.append(line)
    return ordered + sorted(row, key=lambda line: line.x0)


def joined(lines: list[TextLine]) -> list[TextLine]:
    """Parts of one line as one: they stand no farther apart than words, or each has letters between the other's."""
    rest = sorted(lines, key=lambda line: line.x0)
    reach = _max_fall(lines)
    joined: list[TextLine] = []
    for line in rest:
        best, least = -1, np.inf
        overlap = -0.5 * line.height
        low, high = line.top - reach, line.bottom + reach
        for k, other in enumerate(joined):
            if other.bottom < low or other.top > high:
                continue
            gap = line.x0 - other.x1
            if gap >= min(least, WORD_GAP * max(other.letter, line.letter)):
                continue
            if (gap > overlap or _in_one_band(other, line)) and _level(other, line):
                best, least = k, gap
        if best >= 0:
            joined[best] = _both(joined[best], line)
        else:
            joined.append(line)
    return joined


def _max_fall(lines: list[TextLine]) -> float:
    """By how much two lines come nearer to each other, at most, where they are compared: others never meet."""
    if not lines:
        return 0.0
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    return 2 * width * max(abs(line.slope) for line in lines)


def _in_one_band(left: TextLine, right: TextLine) -> bool:
    """Whether both stand where only one line can: of broken letters every other one may be missed by a chain."""
    if right.x0 >= left.x1:
        return False
    x = (right.x0 + min(left.x1, right.x1)) / 2
    fall, fall_other = left.shift(x), right.shift(x)
    shared = min(left.bottom + fall, right.bottom + fall_other) - max(left.top + fall, right.top + fall_other)
    low, high = sorted((left.height, right.height))
    return shared >= max(SAME_BAND_OVERLAPS[0] * low, SAME_BAND_OVERLAPS[1] * high)


def _level(left: TextLine, right: TextLine) -> bool:
    """Whether one goes on where the other ends."""
    longer = left if left.x1 - left.x0 >= right.x1 - right.x0 else right
    x = (right.x0 + left.x1) / 2
    fall = longer.slope * (x - (longer.x0 + longer.x1) / 2)
    other = right if longer is left else left
    fall_other = longer.slope * (x - (other.x0 + other.x1) / 2)
    shared = min(longer.bottom + fall, other.bottom + fall_other) - max(longer.top + fall, other.top + fall_other)
    alike = max(left.letter, right.letter) <= MAX_SIZE_RATIO * min(left.letter, right.letter)
    heights = sorted((left.height, right.height))
    return alike and shared >= max(MIN_LOWER_OVERLAP * heights[0], MIN_BAND_OVERLAP * heights[1])


def _both(left: TextLine, right: TextLine) -> TextLine:
    """Two parts of a line as one, which slopes as the longer part does."""
    widths = [left.x1 - left.x0, right.x1 - right.x0]
    slope = left.slope if widths[0] >= widths[1] else right.slope
    x0, x1 = min(left.x0, right.x0), max(left.x1, right.x1)
    middle = (x0 + x1) / 2
    falls = [slope * (middle - (part.x0 + part.x1) / 2) for part in (left, right)]
    letter = (left.letter * widths[0] + right.letter * widths[1]) / max(1, sum(widths))
    return TextLine(
        x0=x0,
        x1=x1,
        top=min(left.top + falls[0], right.top + falls[1]),
        bottom=max(left.bottom + falls[0], right.bottom + falls[1]),
        slope=slope,
        letter=letter,
        num_letters=left.num_letters + right.num_letters,
    )


def without_parts(lines: list[TextLine]) -> list[TextLine]:
    """Lines that stand in others, as parts of broken letters do, as one with them."""
    whole: list[TextLine] = []
    reach = _max_fall(lines)
    for line in sorted(lines, key=lambda line: line.x0 - line.x1):
        low, high = line.top - reach, line.bottom + reach
        for k, other in enumerate(whole):
            if other.bottom + MAX_TAIL_GAP * other.letter < low or other.top > high:
                continue
            shared = min(line.x1, other.x1) - max(line.x0, other.x0)
            if shared <= 0.5 * (line.x1 - line.x0):
                continue
            if _is_tail(line, other) or (line.height < 1.5 * other.height and _inside(line, other)):
                whole[k] = _both(other, line)
                break
        else:
            whole.append(line)
    return whole


def _inside(part: TextLine, line: TextLine) -> bool:
    fall = line.shift((part.x0 + part.x1) / 2)
    shared = min(part.bottom, line.bottom + fall) - max(part.top, line.top + fall)
    return shared >= MIN_LOWER_OVERLAP * min(part.height, line.height)


def _is_tail(part: TextLine, line: TextLine) -> bool:
    """Whether it is what a broken g or y leaves below the line, which the next line is too far away to be."""
    bottom = line.bottom + line.shift((part.x0 + part.x1) / 2)
    is_near = part.top <= bottom + MAX_TAIL_GAP * line.letter and part.bottom <= bottom + MAX_TAIL_REACH * line.letter
    return part.num_letters <= MAX_TAIL_PARTS < line.num_letters and part.bottom > bottom and is_near


def with_marks(lines: list[TextLine], boxes: np.ndarray) -> list[TextLine]:
    """The lines with what stands by their letters: dots, accents, commas, dashes and parts of broken letters."""
    heights = boxes[:, cv2.CC_STAT_TOP] + boxes[:, cv2.CC_STAT_HEIGHT] / 2
    order = np.argsort(heights)
    boxes, heights = boxes[order], heights[order]
    width = max(int((boxes[:, cv2.CC_STAT_LEFT] + boxes[:, cv2.CC_STAT_WIDTH]).max(initial=0)), 1)
    lines_with_marks: list[TextLine] = []
    for line in lines:
        reach = MARK_REACH * line.letter
        fall = abs(line.slope) * max(width, line.x1)
        first, last = np.searchsorted(heights, (line.top - reach - fall, line.bottom + reach + fall))
        x, y, wide, high, area = (boxes[first:last, k] for k in range(5))
        middle = y + high / 2 - line.slope * (x + wide / 2 - (line.x0 + line.x1) / 2)
        near = (middle > line.top - reach) & (middle < line.bottom + reach) & (high <= 1.3 * line.height)
        near &= (x + wide > line.x0 - line.letter) & (x < line.x1 + line.letter) & (wide <= 3 * line.height)
        near &= (area >= (0.1 * line.letter) ** 2) & (area >= 2)
        if not near.any():
            lines_with_marks.append(line)
            continue
        x0, x1 = min(line.x0, int(x[near].min())), max(line.x1, int((x + wide)[near].max()))
        fall = line.slope * ((x0 + x1) / 2 - (line.x0 + line.x1) / 2)
        tops = (y - line.slope * (x + wide / 2 - (line.x0 + line.x1) / 2))[near]
        top = min(line.top, max(float(tops.min()), line.top - reach))
        bottom = max(line.bottom, min(float((tops + high[near]).max()), line.bottom + reach))
        lines_with_marks.append(replace(line, x0=x0, x1=x1, top=top + fall, bottom=bottom + fall))
    return lines_with_marks
