"""Finds the printed lines of a picture by their letters: what hangs together, and what stands beside it."""

from __future__ import annotations

import cv2
import numpy as np

from documents.ocr_input.text_line import ALIKE, TextLine, in_rows, joined, with_marks, without_parts

SMALLEST, TALLEST = 5, 160  # pixels of a letter's height
WIDEST = 14.0  # heights of letters that touch, a whole word of them at most
FULLEST = 0.9  # of its box that a letter's ink covers; a block is none, unless it is slender or small
THINNEST = 40.0  # heights per width of a letter; a stroke of a bar code has as many
RAYS = (0.2, 0.4, 0.6, 0.8)  # of a letter's height: where its neighbour to the right is looked for
FARTHEST = 1.8  # heights to the next letter of a line
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


def find_lines(ink: np.ndarray) -> list[TextLine]:
    """The lines of a picture by its ink, bool (height, width), from the top, then from the left."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    boxes = np.asarray(stats, np.int64)
    boxes[0] = (0, 0, 1, 1, 0)  # the paper
    letters = _letters(boxes)
    if not letters.any():
        return []
    chains = _chains(np.asarray(labels), boxes, letters)
    usual = _usual_height([boxes[chain] for chain in chains])
    chains = [chain for chain in chains if _like_text(boxes[chain], usual)]
    usual_slope = _usual_slope([boxes[chain] for chain in chains])
    lines = joined([_line(boxes[chain], usual_slope) for chain in chains])
    marks = np.ones(len(boxes), bool)
    marks[0] = False
    marks[[index for chain in chains for index in chain if len(chain) > 2]] = False
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
    right = np.full(len(boxes), -1)
    nearest = np.full(len(index), np.inf)
    reach = (FARTHEST * high[index]).astype(int)
    for share in RAYS:
        row = y[index] + np.minimum((share * high[index]).astype(int), high[index] - 1)
        open_rays = np.arange(len(index))
        start = x[index] + wide[index] // 2
        for step in range(int((reach + wide[index]).max(initial=0)) + 1):
            column = start[open_rays] + step
            inside = (column < labels.shape[1]) & (
                column < x[index][open_rays] + wide[index][open_rays] + reach[open_rays]
            )
            open_rays, column = open_rays[inside], column[inside]
            if not len(open_rays):
                break
            hit = only[row[open_rays], column]
            other = (hit > 0) & (hit != index[open_rays])
            of, to = open_rays[other], hit[other]
            fit = _side_by_side(boxes[index[of]], boxes[to])
            gap = np.maximum(0, x[to] - (x[index[of]] + wide[index[of]]))
            better = fit & (gap < nearest[of])
            nearest[of[better]] = gap[better]
            right[index[of[better]]] = to[better]
            open_rays = open_rays[~other]
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


def _usual_height(chains: list[np.ndarray]) -> float:
    """The height of most letters that stand on lines, of all that there are if none do."""
    aligned = [boxes for boxes in chains if len(boxes) >= JUDGED and _stand_on_line(boxes)]
    return float(np.median(np.concatenate(aligned or chains)[:, cv2.CC_STAT_HEIGHT]))


def _usual_slope(chains: list[np.ndarray]) -> float:
    """The slope of most text of a picture, from its longer lines."""
    slopes = [(len(boxes), slope) for boxes in chains if (slope := _own_slope(boxes)) is not None]
    if not slopes:
        return 0.0
    slopes.sort(key=lambda each: each[1])
    middle = np.searchsorted(np.cumsum([count for count, _ in slopes]), sum(count for count, _ in slopes) / 2)
    return slopes[int(middle)][1]


def _own_slope(boxes: np.ndarray) -> float | None:
    """The slope of a line of so many letters that they tell it."""
    x, _, wide, high = (boxes[:, k].astype(float) for k in range(4))
    if len(boxes) < FEWEST or (x + wide).max() - x.min() < LONG * float(np.median(high)):
        return None
    return _slopes(boxes)[0]


def _slopes(boxes: np.ndarray, usual: float = 0.0) -> tuple[float, float]:
    """The slope at which most lower edges of letters are level, or `usual` if nearly as many are; and their share."""
    x, y, wide, high = (boxes[:, k].astype(float) for k in range(4))
    near = max(1.5, STRAY * float(np.median(high)))
    tried = np.append(np.linspace(-STEEPEST, STEEPEST, NUM_SLOPES), usual)
    level = np.sort((y + high)[:, None] - (x + wide / 2)[:, None] * tried, axis=0)
    counts = np.array([_densest(column, near) for column in level.T])
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


def _densest(values: np.ndarray, near: float) -> int:
    """How many of sorted values lie within `near` of each other, at most."""
    return int((np.searchsorted(values, values + near, side="right") - np.arange(len(values))).max())


def _line(boxes: np.ndarray, usual_slope: float) -> TextLine:
    """The line of these components, which slopes as most of the picture does if they do not tell its own slope."""
    x, y, wide, high = (boxes[:, k].astype(float) for k in range(4))
    letter = float(np.median(high))
    x0, x1 = float(x.min()), float((x + wide).max())
    is_long = len(boxes) >= FEWEST and x1 - x0 >= LONG * letter
    slope = _slopes(boxes, usual_slope)[0] if is_long else usual_slope
    fall = slope * (x + wide / 2 - (x0 + x1) / 2)
    tops, bottoms = y - fall, y + high - fall
    base = float(np.median(bottoms))
    above, below = MIXED if float((high >= TALLER * letter).mean()) >= SOME else EVEN
    top = max(float(tops.min()), base - above * letter)
    bottom = min(float(bottoms.max()), base + below * letter)
    return TextLine(x0=int(x0), x1=int(x1), top=top, bottom=bottom, slope=slope, letter=letter, num_letters=len(boxes))


def _like_text(boxes: np.ndarray, usual: float) -> bool:
    """Whether the letters of a chain stand on a line and are no bar code; few or small ones are as tall as usual."""
    wide, high = boxes[:, cv2.CC_STAT_WIDTH], boxes[:, cv2.CC_STAT_HEIGHT]
    letter = float(np.median(high))
    if len(boxes) < JUDGED or letter < SMALL * usual:
        return LONE[0] * usual <= letter <= LONE[1] * usual
    is_bars = len(boxes) >= BARS and float((high >= SLENDER * wide).mean()) > 0.6
    return not is_bars and _stand_on_line(boxes)


def _stand_on_line(boxes: np.ndarray) -> bool:
    """Whether most of so many letters begin or end at one line."""
    if _slopes(boxes)[1] >= ALIGNED:
        return True
    turned = boxes.copy()  # upside down: the upper edges are the lower ones
    turned[:, cv2.CC_STAT_TOP] = -(boxes[:, cv2.CC_STAT_TOP] + boxes[:, cv2.CC_STAT_HEIGHT])
    return _slopes(turned)[1] >= ALIGNED
