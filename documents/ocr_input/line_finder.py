"""Finds the printed lines in a picture, by connected components."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from documents.ocr_input.text_line import ALIKE, TextLine, in_rows, joined, with_marks, without_parts

SMALLEST, TALLEST = 5, 160  # pixels of a letter's height
WIDEST = 14.0  # heights of letters that touch, a whole word of them at most
FULLEST = 0.9  # of its box that a letter's ink covers; a block is none, unless it is slender or small
THINNEST = 40.0  # heights per width of a letter; a stroke of a bar code has as many
RAYS = (0.2, 0.4, 0.6, 0.8)  # of a letter's height: where its neighbour to the right is looked for
FARTHEST = 1.8  # heights to the next letter of a line
CAST_AT_ONCE = 256  # letters whose rays are cast together, those of like length
OVERLAP = 0.5  # of the lower of two neighbours, that stands level with the other
TALLER = 1.25  # times the usual letter, that capitals and tails of small letters are
SOME = 0.12  # share of letters that has them
MIXED, EVEN = (1.75, 0.65), (1.3, 0.35)  # heights of a letter above and below the base, of lines with and without them
JUDGED = 5  # letters of a chain by which it is judged
SMALL = 0.35  # of the usual height of a letter: so small ones are specks
STRAY, ALIGNED = 0.2, 0.55  # heights off the line, and the share of letters that stand so near to it
BARS = 8  # that many slender strokes of one height are a bar code
SLENDER = 5.0  # heights per width of such a stroke
TALL = 3.2  # heights of its letters: so tall is no line
LONE = (0.55, 3.0)  # of the usual height of a letter, that so few letters have
FEWEST, LONG = 8, 10.0  # letters, and heights of them, of a line that tells its own slope
NUM_SLOPES = 49  # that are tried
AS_GOOD = 0.85  # of the letters that the best slope levels, that the usual slope of the picture levels
STEEPEST = 0.12  # pixels that a line falls per pixel to the right, at most


@dataclass(frozen=True, slots=True)
class Chain:
    """Letters that stand side by side, by `indices` and `boxes` of components; few of them have no slope."""

    indices: np.ndarray
    boxes: np.ndarray
    slope: float = 0.0  # at which most of their lower edges are level
    stands: bool = False  # whether most of so many letters begin or end at one line

    @classmethod
    def of(cls, boxes: np.ndarray, indices: np.ndarray) -> Chain:
        own = boxes[indices]
        if len(own) < JUDGED:
            return cls(indices, own)
        slope, share = _slopes(own)
        return cls(indices, own, slope, share >= ALIGNED or _is_aligned_above(own))


def find_lines(ink: np.ndarray) -> list[TextLine]:
    """The lines of a picture by its ink, bool (height, width), from the top, then from the left."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    boxes = np.asarray(stats, np.int64)
    boxes[0] = (0, 0, 1, 1, 0)  # the paper
    letters = _letters(boxes)
    if not letters.any():
        return []
    chains = [Chain.of(boxes, group) for group in _chains(np.asarray(labels), boxes, letters)]
    usual = _usual_height(chains)
    chains = [chain for chain in chains if _like_text(chain, usual)]
    usual_slope = _usual_slope(chains)
    lines = joined([_line(chain, usual_slope) for chain in chains])
    marks = np.ones(len(boxes), bool)
    marks[0] = False
    marks[[index for chain in chains for index in chain.indices if len(chain.indices) > 2]] = False
    lines = joined(without_parts(with_marks(lines, boxes[marks])))
    return in_rows([line for line in lines if line.height <= TALL * line.letter])


def _letters(boxes: np.ndarray) -> np.ndarray:
    """Which components may be letters, or letters that touch, by box and area; the first one is the paper."""
    wide, high, area = (boxes[:, k] for k in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    fits = (high >= SMALLEST) & (high <= TALLEST) & (wide <= WIDEST * high) & (wide >= 1)
    fill = area / (wide * high)
    fits &= (fill <= FULLEST) | (wide <= 0.5 * high)
    fits &= (fill >= 0.08) & (high <= THINNEST * wide)
    fits[0] = False
    return fits


def _chains(labels: np.ndarray, boxes: np.ndarray, letters: np.ndarray) -> list[np.ndarray]:
    """Letters that stand side by side, as indices of components."""
    right = _right_neighbours(labels, boxes, letters)
    parent = np.arange(len(boxes))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = int(parent[index])
        return index

    for index in np.flatnonzero(right >= 0).tolist():
        parent[root(index)] = root(int(right[index]))
    groups: dict[int, list[int]] = {}
    for index in np.flatnonzero(letters).tolist():
        groups.setdefault(root(index), []).append(index)
    return [np.array(group) for group in groups.values()]


def _right_neighbours(labels: np.ndarray, boxes: np.ndarray, letters: np.ndarray) -> np.ndarray:
    """For each component the letter that follows it on its line, -1 where none does."""
    x, y, wide, high = (boxes[:, k] for k in (cv2.CC_STAT_LEFT, cv2.CC_STAT_TOP, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    only = np.where(letters, np.arange(len(boxes)), 0).astype(np.int32)[labels]
    index = np.flatnonzero(letters)
    starts = x[index] + wide[index] // 2
    steps = np.minimum(x[index] + wide[index] + (FARTHEST * high[index]).astype(int), labels.shape[1]) - starts
    right = np.full(len(boxes), -1)
    by_steps = np.argsort(steps, kind="stable")
    for first in range(0, len(index), CAST_AT_ONCE):
        part = by_steps[first : first + CAST_AT_ONCE]
        cast = index[part]
        columns = starts[part, None] + np.arange(max(0, int(steps[part].max())))
        within = columns < (starts + steps)[part, None]
        columns = np.minimum(columns, labels.shape[1] - 1)
        nearest = np.full(len(part), np.inf)
        for share in RAYS:
            rows = y[cast] + np.minimum((share * high[cast]).astype(int), high[cast] - 1)
            hits = only[rows[:, None], columns]
            other = within & (hits > 0) & (hits != cast[:, None])
            of = np.flatnonzero(other.any(axis=1))
            to = hits[of, other[of].argmax(axis=1)]
            gap = np.maximum(0, x[to] - (x[cast[of]] + wide[cast[of]]))
            better = _side_by_side(boxes[cast[of]], boxes[to]) & (gap < nearest[of])
            nearest[of[better]] = gap[better]
            right[cast[of[better]]] = to[better]
    return right


def _side_by_side(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether components `b` may follow `a` on a line."""
    top, bottom = cv2.CC_STAT_TOP, cv2.CC_STAT_HEIGHT
    high_a, high_b = a[:, bottom], b[:, bottom]
    low = np.minimum(high_a, high_b)
    shared = np.minimum(a[:, top] + high_a, b[:, top] + high_b) - np.maximum(a[:, top], b[:, top])
    middle_a = a[:, cv2.CC_STAT_LEFT] + a[:, cv2.CC_STAT_WIDTH] / 2
    middle_b = b[:, cv2.CC_STAT_LEFT] + b[:, cv2.CC_STAT_WIDTH] / 2
    return (shared >= OVERLAP * low) & (np.maximum(high_a, high_b) <= ALIKE * low) & (middle_b > middle_a)


def _usual_height(chains: list[Chain]) -> float:
    """The height of most letters that stand on lines, of all that there are if none do."""
    aligned = [chain for chain in chains if chain.stands]
    return float(np.median(np.concatenate([chain.boxes for chain in aligned or chains])[:, cv2.CC_STAT_HEIGHT]))


def _usual_slope(chains: list[Chain]) -> float:
    """The slope of most text of a picture, from its longer lines."""
    slopes = [(len(chain.boxes), chain.slope) for chain in chains if _is_long(chain.boxes)]
    if not slopes:
        return 0.0
    slopes.sort(key=lambda pair: pair[1])
    middle = np.searchsorted(np.cumsum([count for count, _ in slopes]), sum(count for count, _ in slopes) / 2)
    return slopes[int(middle)][1]


def _is_long(boxes: np.ndarray) -> bool:
    """Whether a line has so many letters that they tell its slope."""
    if len(boxes) < FEWEST:
        return False
    x, _, wide, high = (boxes[:, k].astype(float) for k in range(4))
    return bool((x + wide).max() - x.min() >= LONG * _median(high))


def _slopes(boxes: np.ndarray, usual: float = 0.0) -> tuple[float, float]:
    """The slope at which most lower edges of letters are level, or `usual` if nearly as many are; and their share."""
    x, y, wide, high = (boxes[:, k].astype(float) for k in range(4))
    near = max(1.5, STRAY * _median(high))
    tried = np.append(np.linspace(-STEEPEST, STEEPEST, NUM_SLOPES), usual)
    level = np.sort((y + high)[:, None] - (x + wide / 2)[:, None] * tried, axis=0)
    counts = _densest(level, near)
    best = int(np.argmax(counts - np.abs(tried)))
    best = len(tried) - 1 if counts[-1] >= AS_GOOD * counts[best] else best
    return _refined(x + wide / 2, y + high, float(tried[best]), near), float(counts[best]) / len(boxes)


def _refined(x: np.ndarray, y: np.ndarray, slope: float, near: float) -> float:
    """The slope fitted to the points that it levels."""
    level = y - slope * x
    order = np.sort(level)
    first = int(np.argmax(np.searchsorted(order, order + near, side="right") - np.arange(len(order))))
    on_it = (level >= order[first]) & (level <= order[first] + near)
    if on_it.sum() < 3 or np.ptp(x[on_it]) == 0:
        return slope
    fitted = float(np.polyfit(x[on_it], y[on_it], 1)[0])
    return fitted if abs(fitted - slope) <= STEEPEST / NUM_SLOPES * 4 else slope


def _densest(columns: np.ndarray, near: float) -> np.ndarray:
    """How many values of each sorted column, (values, columns), lie within `near` of each other, at most."""
    count, num_columns = columns.shape
    least, most = np.ones(num_columns, int), np.full(num_columns, count)
    rows, limits = np.arange(count)[:, None], columns + near
    while (least < most).any():
        tried = (least + most + 1) // 2
        last = rows + tried - 1
        together = (np.take_along_axis(columns, np.minimum(last, count - 1), 0) <= limits) & (last < count)
        fits = together.any(axis=0)
        least = np.where(fits, tried, least)
        most = np.where(fits, most, tried - 1)
    return least


def _line(chain: Chain, usual_slope: float) -> TextLine:
    """The line of a chain, which slopes as most of the picture does if its letters do not tell its own slope."""
    boxes = chain.boxes
    x, y, wide, high = (boxes[:, k].astype(float) for k in range(4))
    letter = _median(high)
    x0, x1 = float(x.min()), float((x + wide).max())
    slope = _slopes(boxes, usual_slope)[0] if _is_long(boxes) else usual_slope
    fall = slope * (x + wide / 2 - (x0 + x1) / 2)
    tops, bottoms = y - fall, y + high - fall
    base = _median(bottoms)
    above, below = MIXED if float((high >= TALLER * letter).mean()) >= SOME else EVEN
    top = max(float(tops.min()), base - above * letter)
    bottom = min(float(bottoms.max()), base + below * letter)
    return TextLine(x0=int(x0), x1=int(x1), top=top, bottom=bottom, slope=slope, letter=letter, num_letters=len(boxes))


def _like_text(chain: Chain, usual: float) -> bool:
    """Whether the letters of a chain stand on a line and are no bar code; few or small ones are as tall as usual."""
    boxes = chain.boxes
    wide, high = boxes[:, cv2.CC_STAT_WIDTH], boxes[:, cv2.CC_STAT_HEIGHT]
    letter = _median(high)
    if len(boxes) < JUDGED or letter < SMALL * usual:
        return LONE[0] * usual <= letter <= LONE[1] * usual
    is_bars = len(boxes) >= BARS and float((high >= SLENDER * wide).mean()) > 0.6
    return not is_bars and chain.stands


def _is_aligned_above(boxes: np.ndarray) -> bool:
    """Whether most letters begin at one line."""
    turned = boxes.copy()  # upside down: the upper edges are the lower ones
    turned[:, cv2.CC_STAT_TOP] = -(boxes[:, cv2.CC_STAT_TOP] + boxes[:, cv2.CC_STAT_HEIGHT])
    return _slopes(turned)[1] >= ALIGNED


def _median(values: np.ndarray) -> float:
    """As numpy's, which takes five times as long over the letters of one line."""
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle]) if len(ordered) % 2 else float(ordered[middle - 1] + ordered[middle]) / 2
