"""Finds the printed lines in a picture, by connected components."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from documents.ocr_input.line_slope import LetterEdges
from documents.ocr_input.text_ink import TextInk
from documents.ocr_input.text_line import MAX_SIZE_RATIO, TextLine, in_rows, joined, with_marks, without_parts

MIN_LETTER_HEIGHT = 5  # minimum height of a letter, in pixels
MAX_LETTER_HEIGHT = 160  # maximum height of a letter, in pixels
MAX_LETTER_ASPECT = 14.0  # maximum width of letters that touch (a whole word), in their heights
# maximum share of its box that a letter's ink covers; a fuller box is a block, unless it is slender or small
MAX_FILL = 0.9
MAX_HEIGHT_PER_WIDTH = 40.0  # maximum height of a letter, in its widths; a stroke of a bar code has as many
RAY_HEIGHTS = (0.2, 0.4, 0.6, 0.8)  # the neighbour to the right of a letter is searched at these shares of its height
MAX_LETTER_DISTANCE = 1.8  # maximum distance to the next letter of a line, in letter heights
BATCH_RAYS = 256  # number of letters whose rays are traced together, those of similar length
MIN_OVERLAP = 0.5  # minimum vertical overlap of two neighbours, as a share of the lower one's height
MIN_TALL_LETTER = 1.25  # minimum height of capitals and of letters with ascenders, in usual letter heights
MIN_TALL_SHARE = 0.12  # a line has tall letters if this share of its letters is tall
MIXED_EXTENT = (1.75, 0.65)  # letter heights above and below the middle of a line with tall letters
EVEN_EXTENT = (1.3, 0.35)  # the same of a line without tall letters
MIN_CHAIN_LETTERS = 5  # minimum number of letters by which a chain is judged
MIN_RELATIVE_LETTER = 0.35  # minimum height of a letter, as a share of the usual height: smaller ones are specks
MIN_ALIGNED_SHARE = 0.55  # minimum share of a line's letters that are so near to it
MIN_BARS = 8  # this many slender strokes of one height are a bar code
MIN_BAR_ASPECT = 5.0  # minimum height of a stroke of a bar code, in its widths
MAX_LINE_HEIGHT = 3.2  # maximum height of a line, in heights of its letters
SHORT_LINE_LETTERS = (0.55, 3.0)  # range of the letter height of a line of few letters, in usual letter heights
MIN_SLOPE_LETTERS = 8  # minimum number of letters of a line that has a slope of its own
MIN_SLOPE_LENGTH = 10.0  # minimum length of such a line, in letter heights


@dataclass(frozen=True, slots=True)
class Chain:
    """Letters that stand side by side, by `indices` and `boxes` of components."""

    indices: np.ndarray
    boxes: np.ndarray
    letter: float  # the usual height of its letters
    edges: LetterEdges | None = None  # the lower ones; None of few letters
    stands: bool = False  # whether most of so many letters begin or end at one line

    @classmethod
    def of(cls, boxes: np.ndarray, indices: np.ndarray) -> Chain:
        own = boxes[indices]
        letter = _median(own[:, cv2.CC_STAT_HEIGHT])
        if len(own) < MIN_CHAIN_LETTERS:
            return cls(indices, own, letter)
        x, y, wide, high = (own[:, k].astype(float) for k in range(4))
        below, above = (LetterEdges.of(x + wide / 2, edge, letter) for edge in (y + high, -y))
        stands = below.stand_level(MIN_ALIGNED_SHARE) or above.stand_level(MIN_ALIGNED_SHARE)
        return cls(indices, own, letter, below, stands)

    def has_slope(self) -> bool:
        """Whether it has so many letters that they tell its slope."""
        if len(self.boxes) < MIN_SLOPE_LETTERS:
            return False
        x, wide = self.boxes[:, cv2.CC_STAT_LEFT], self.boxes[:, cv2.CC_STAT_WIDTH]
        return bool((x + wide).max() - x.min() >= MIN_SLOPE_LENGTH * self.letter)


def find_lines(ink: TextInk) -> list[TextLine]:
    """The lines of a picture by its ink, from the top, then from the left."""
    labels, stats = ink.components
    boxes = stats.astype(np.int64)
    boxes[0] = (0, 0, 1, 1, 0)  # the paper
    letters = _letters(boxes)
    if not letters.any():
        return []
    chains = [Chain.of(boxes, group) for group in _chains(labels, boxes, letters)]
    usual = _usual_height(chains)
    chains = [chain for chain in chains if _like_text(chain, usual)]
    usual_slope = _usual_slope(chains)
    lines = joined([_line(chain, usual_slope) for chain in chains])
    marks = np.ones(len(boxes), bool)
    marks[0] = False
    for chain in chains:
        if len(chain.indices) > 2:
            marks[chain.indices] = False
    lines = joined(without_parts(with_marks(lines, boxes[marks])))
    return in_rows([line for line in lines if line.height <= MAX_LINE_HEIGHT * line.letter])


def _letters(boxes: np.ndarray) -> np.ndarray:
    """Which components may be letters, or letters that touch, by box and area; the first one is the paper."""
    wide, high, area = (boxes[:, k] for k in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    fits = (high >= MIN_LETTER_HEIGHT) & (high <= MAX_LETTER_HEIGHT) & (wide <= MAX_LETTER_ASPECT * high) & (wide >= 1)
    fill = area / (wide * high)
    fits &= (fill <= MAX_FILL) | (wide <= 0.5 * high)
    fits &= (fill >= 0.08) & (high <= MAX_HEIGHT_PER_WIDTH * wide)
    fits[0] = False
    return fits


def _chains(labels: np.ndarray, boxes: np.ndarray, letters: np.ndarray) -> list[np.ndarray]:
    """Letters that stand side by side, as indices of components."""
    right = _right_neighbours(labels, boxes, letters)
    last = np.where(right >= 0, right, np.arange(len(boxes)))  # in the end the last letter of a chain
    while (last[last] != last).any():
        last = last[last]
    index = np.flatnonzero(letters)
    _, first, chain = np.unique(last[index], return_index=True, return_inverse=True)
    groups = np.split(index[np.argsort(chain, kind="stable")], np.cumsum(np.bincount(chain))[:-1])
    return [groups[k] for k in np.argsort(first)]


def _right_neighbours(labels: np.ndarray, boxes: np.ndarray, letters: np.ndarray) -> np.ndarray:
    """For each component the letter that follows it on its line, -1 where none does."""
    x, y, wide, high = (boxes[:, k] for k in (cv2.CC_STAT_LEFT, cv2.CC_STAT_TOP, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    only = np.where(letters, np.arange(len(boxes)), 0)
    index = np.flatnonzero(letters)
    starts = x[index] + wide[index] // 2
    width, pixels = labels.shape[1], labels.ravel()
    steps = np.minimum(x[index] + wide[index] + (MAX_LETTER_DISTANCE * high[index]).astype(int), width) - starts
    right = np.full(len(boxes), -1)
    by_steps = np.argsort(steps, kind="stable")
    for first in range(0, len(index), BATCH_RAYS):
        part = by_steps[first : first + BATCH_RAYS]
        cast = index[part]
        columns = starts[part, None] + np.arange(max(0, int(steps[part].max())))
        within = columns < (starts + steps)[part, None]
        columns = np.minimum(columns, width - 1)
        nearest = np.full(len(part), np.inf)
        for share in RAY_HEIGHTS:
            rows = y[cast] + np.minimum((share * high[cast]).astype(int), high[cast] - 1)
            hits = only[pixels[rows[:, None] * width + columns]]
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
    return (shared >= MIN_OVERLAP * low) & (np.maximum(high_a, high_b) <= MAX_SIZE_RATIO * low) & (middle_b > middle_a)


def _usual_height(chains: list[Chain]) -> float:
    """The height of most letters that stand on lines, of all that there are if none do."""
    aligned = [chain for chain in chains if chain.stands]
    return float(np.median(np.concatenate([chain.boxes for chain in aligned or chains])[:, cv2.CC_STAT_HEIGHT]))


def _usual_slope(chains: list[Chain]) -> float:
    """The slope of most text of a picture, from its longer lines."""
    slopes = [(len(c.boxes), c.edges.fitted(0.0)) for c in chains if c.edges is not None and c.has_slope()]
    if not slopes:
        return 0.0
    slopes.sort(key=lambda pair: pair[1])
    middle = np.searchsorted(np.cumsum([count for count, _ in slopes]), sum(count for count, _ in slopes) / 2)
    return slopes[int(middle)][1]


def _line(chain: Chain, usual_slope: float) -> TextLine:
    """The line of a chain, which slopes as most of the picture does if its letters do not tell its own slope."""
    boxes = chain.boxes
    x, y, wide, high = (boxes[:, k].astype(float) for k in range(4))
    letter = chain.letter
    x0, x1 = float(x.min()), float((x + wide).max())
    slope = chain.edges.fitted(usual_slope) if chain.edges is not None and chain.has_slope() else usual_slope
    fall = slope * (x + wide / 2 - (x0 + x1) / 2)
    tops, bottoms = y - fall, y + high - fall
    base = _median(bottoms)
    above, below = MIXED_EXTENT if float((high >= MIN_TALL_LETTER * letter).mean()) >= MIN_TALL_SHARE else EVEN_EXTENT
    top = max(float(tops.min()), base - above * letter)
    bottom = min(float(bottoms.max()), base + below * letter)
    return TextLine(x0=int(x0), x1=int(x1), top=top, bottom=bottom, slope=slope, letter=letter, num_letters=len(boxes))


def _like_text(chain: Chain, usual: float) -> bool:
    """Whether the letters of a chain stand on a line and are no bar code; few or small ones are as tall as usual."""
    boxes, letter = chain.boxes, chain.letter
    wide, high = boxes[:, cv2.CC_STAT_WIDTH], boxes[:, cv2.CC_STAT_HEIGHT]
    if len(boxes) < MIN_CHAIN_LETTERS or letter < MIN_RELATIVE_LETTER * usual:
        return SHORT_LINE_LETTERS[0] * usual <= letter <= SHORT_LINE_LETTERS[1] * usual
    is_bars = len(boxes) >= MIN_BARS and float((high >= MIN_BAR_ASPECT * wide).mean()) > 0.6
    return not is_bars and chain.stands


def _median(values: np.ndarray) -> float:
    """As numpy's, which takes five times as long over the letters of one line."""
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle]) if len(ordered) % 2 else float(ordered[middle - 1] + ordered[middle]) / 2
