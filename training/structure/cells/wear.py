"""Other looks of a table that has the same cells: cut out otherwise, without type or rules, shaken as OCR has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from documents.tables.judged.pieces import RegionWords, printed_lines
from training.structure.cells.samples import TableSample

KEEPS_OUTSIDE = 0.35  # probability that some of what stands near a table is taken for part of it
MAX_LINES_OUTSIDE = 3  # above or below
WINDOW = 0.15  # probability that only some lines of a table are seen
SCAN = 0.3  # probability that it is read by OCR
WITHOUT_RULES = 0.25
WITHOUT_STYLE = 0.15
STRETCH = 0.15  # standard deviation of how much wider and higher than 1
DEEP = frozenset("gjpqy,;()[]{}/|Q")  # characters below the line
HIGH = frozenset("bdfhklt()[]{}/|!?$%&@")  # and such that are as high as capitals
REALIGNED = 0.3  # probability that heads stand at the other end of the room that their columns have
TIGHTENED = 0.25  # probability that columns stand close
TIGHT = (0.35, 1.2)  # type sizes between two columns then, the least and the most
ROOM_BETWEEN = 0.8  # type sizes
SHAKE = 0.06  # type sizes, standard deviation of an edge of a word that OCR read
SIZE_ERROR = 0.07


def cut_out(sample: TableSample, chance: np.random.Generator, max_words: int) -> TableSample:
    """The table with some, or nothing, of what stands near it, sometimes only some of its lines."""
    lines = printed_lines(sample.words.box)
    inside = [number for number, line in enumerate(lines) if (sample.row[line] >= 0).any()]
    first, last = inside[0], inside[-1]
    if chance.random() < KEEPS_OUTSIDE:
        first = max(0, first - int(chance.integers(0, MAX_LINES_OUTSIDE + 1)))
        last = min(len(lines) - 1, last + int(chance.integers(0, MAX_LINES_OUTSIDE + 1)))
        keeps = np.ones(len(sample.row), bool)
    else:
        keeps = sample.row >= 0
    if last - first > 3 and chance.random() < WINDOW:
        first, last = _window(first, last, chance)
    while sum(len(lines[number]) for number in range(first, last + 1)) > max_words and last > first:
        first, last = _window(first, last, chance)
    index = np.array([k for number in range(first, last + 1) for k in lines[number] if keeps[k]], int)
    return _with_own_rules(sample.chosen(np.sort(index)))


def _window(first: int, last: int, chance: np.random.Generator) -> tuple[int, int]:
    """Half of the lines or more; most often from the first on."""
    count = max(2, int((last - first + 1) * chance.uniform(0.5, 0.95)))
    start = first if chance.random() < 0.5 else int(chance.integers(first, last - count + 2))
    return start, start + count - 1


def _with_own_rules(sample: TableSample, margin: float = 6.0) -> TableSample:
    """Without the rules that do not lie in the region of the words, as a region's rules are chosen."""
    words = sample.words
    if not len(words.box):
        return sample
    low, high = words.box[:, :2].min(0) - margin, words.box[:, 2:].max(0) + margin
    middle = (words.rules[:, :2] + words.rules[:, 2:]) / 2
    rules = words.rules[((middle >= low) & (middle <= high)).all(1)]
    return replace(sample, words=replace(words, rules=rules))


def worn(sample: TableSample, chance: np.random.Generator) -> TableSample:
    """The table in another look."""
    if chance.random() < REALIGNED:
        sample = realigned(sample, chance)
    if chance.random() < TIGHTENED:
        sample = tightened(sample, float(chance.uniform(*TIGHT)))
    words = sample.words
    words = _stretched(words, *(1 + np.abs(chance.normal(0, STRETCH, 2))).tolist())
    if chance.random() < SCAN:
        words = _read_by_ocr(words, chance)
    elif chance.random() < WITHOUT_STYLE:
        words = replace(words, bold=np.zeros_like(words.bold), italic=np.zeros_like(words.italic))
    if chance.random() < WITHOUT_RULES:
        words = replace(words, rules=words.rules[:0])
    elif chance.random() < WITHOUT_RULES:
        is_level = words.rules[:, 2] - words.rules[:, 0] >= words.rules[:, 3] - words.rules[:, 1]
        words = replace(words, rules=words.rules[is_level])
    return replace(sample, words=words)


def tightened(sample: TableSample, gap: float) -> TableSample:
    """Columns moved so close to one another that `gap` type sizes are between them, where there is more."""
    words = sample.words
    single = (sample.row >= 0) & (sample.num_columns == 1)
    columns = np.unique(sample.column[single]).tolist()
    if len(columns) < 2:
        return sample
    least = gap * float(np.median(words.size))
    old: list[float] = []
    new: list[float] = []
    shift: dict[int, float] = {}
    for column in columns:
        own = single & (sample.column == column)
        low, high = float(words.box[own, 0].min()), float(words.box[own, 2].max())
        if not old:
            start = low
        else:
            start = new[-1] + min(max(low - old[-1], 0.0), least) if low > old[-1] else low + new[-1] - old[-1]
        shift[column] = start - low
        old += [low, max(low + 0.1, high)]
        new += [start, max(start + 0.1, high + shift[column])]
    if np.any(np.diff(old) <= 0):  # columns that reach into one another stay
        return sample
    middle = (words.box[:, 0] + words.box[:, 2]) / 2
    moved = np.interp(middle, old, new) - middle
    moved += np.where(middle > old[-1], new[-1] - old[-1] - moved, 0)
    for column in columns:
        moved[single & (sample.column == column)] = shift[column]
    box = words.box + np.outer(moved, [1, 0, 1, 0]).astype(np.float32)
    rules = words.rules.copy()
    for edge in (0, 2):
        inside = np.interp(rules[:, edge], old, new)
        beyond = np.where(rules[:, edge] > old[-1], rules[:, edge] - old[-1], np.minimum(0, rules[:, edge] - old[0]))
        rules[:, edge] = inside + beyond
    return replace(sample, words=replace(words, box=box, rules=rules))


def realigned(sample: TableSample, chance: np.random.Generator) -> TableSample:
    """The first row at the left, in the middle or at the right of all the room between the columns beside its own.

    So a head may stand beside all that is in its column, not above it.
    """
    box = sample.words.box.copy()
    single = (sample.row >= 0) & (sample.num_columns == 1) & (sample.num_rows == 1)
    columns = np.unique(sample.column[single]).tolist()
    if not columns:
        return sample
    extents = {
        c: (box[single & (sample.column == c), 0].min(), box[single & (sample.column == c), 2].max()) for c in columns
    }
    heads = np.flatnonzero(single & (sample.row == sample.row[sample.row >= 0].min()))
    side = chance.choice([0.0, 0.5, 1.0])
    for index, column in enumerate(columns):
        own = heads[sample.column[heads] == column]
        gap = ROOM_BETWEEN * float(np.median(sample.words.size))
        low, high = extents[column]
        if index:
            low = min(low, extents[columns[index - 1]][1] + gap)
        if index + 1 < len(columns):
            high = max(high, extents[columns[index + 1]][0] - gap)
        for line in printed_lines(box[own]):
            members = own[line]
            room = (high - low) - (box[members, 2].max() - box[members, 0].min())
            if room > 0:
                box[members[:, None], [0, 2]] += low + side * room - box[members, 0].min()
    return replace(sample, words=replace(sample.words, box=box))


def _stretched(words: RegionWords, wide: float, high: float) -> RegionWords:
    """Wider letters and gaps, and lines further apart."""
    middle = (words.box[:, 1] + words.box[:, 3]) / 2
    box = words.box * np.array([wide, 1, wide, 1], np.float32)
    box[:, [1, 3]] += ((high - 1) * middle)[:, None]
    rules = words.rules * np.array([wide, high, wide, high], np.float32)
    return replace(words, box=box.astype(np.float32), rules=rules)


def _read_by_ocr(words: RegionWords, chance: np.random.Generator) -> RegionWords:
    """Boxes around the ink, whose edges and type sizes are not quite where they were; nothing is known of the type."""
    size = words.size * np.exp(chance.normal(0, SIZE_ERROR, len(words.size))).astype(np.float32)
    box = words.box.copy()
    low = np.array([DEEP.isdisjoint(text) for text in words.texts])
    flat = np.array(
        [not any(sign in HIGH or sign.isupper() or sign.isdigit() for sign in text) for text in words.texts]
    )
    height = box[:, 3] - box[:, 1]
    box[:, 1] += np.where(flat, 0.4, 0.2) * height
    box[:, 3] -= np.where(low, 0.2, 0.0) * height
    box += chance.normal(0, SHAKE, box.shape) * np.maximum(words.size, 4)[:, None]
    box[:, 2:] = np.maximum(box[:, 2:], box[:, :2] + 1)
    nothing = np.zeros_like(words.bold)
    return replace(words, box=box.astype(np.float32), size=size, bold=nothing, italic=nothing.copy(), typed=False)
