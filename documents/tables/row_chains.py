"""Groups printed lines of a ruled row into rows: by wide gaps and by what lines fill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from documents.tables.cells import is_number, is_value

MIN_ROW_PITCH = 1.3  # minimum distance of two rows, in usual distances of lines
MIN_SPACED_SHARE = 0.25  # a table has spaced rows if this share of its distances is as wide
MAX_SHIFTED_PITCH = 0.75  # at a smaller distance (in usual distances of lines), a line stands beside the middle of two


@dataclass(frozen=True, slots=True)
class TableLine:
    """A printed row: what it puts in which columns, from the left."""

    texts: Sequence[tuple[int, str]]  # each with its column
    top: float
    bottom: float

    @property
    def filled(self) -> set[int]:
        return {column for column, _ in self.texts}

    @property
    def values(self) -> set[int]:
        """The columns behind the first in which it has a number: no cell of a row has two."""
        return {column for column, text in self.texts if column > 0 and is_value(text)}

    @property
    def figures(self) -> bool:
        return all(is_number(text) for _, text in self.texts)

    @property
    def label(self) -> str:
        """What it has in the first column."""
        return next((text for column, text in self.texts if column == 0), "")


def row_chains(lines: Sequence[TableLine]) -> Iterator[list[list[TableLine]]]:
    """Rows of the body, in runs: lines that reach into one another stand beside the middle of several lines."""
    plain: list[TableLine] = []
    pitches = [b.top - a.top for a, b in pairwise(lines) if a.filled & b.filled]
    pitch = median(pitches) if pitches else 0.0  # of lines that have a cell in the same column
    k = 0
    while k < len(lines):
        end = k + 1
        while end < len(lines) and _reaches_into(lines[end - 1], lines[end], pitch):
            end += 1
        if end - k < 3:
            plain += lines[k:end]
        else:
            yield _body_groups(plain)
            plain = []
            yield _interleaved(lines[k:end])
        k = end
    yield _body_groups(plain)


def _body_groups(lines: Sequence[TableLine]) -> list[list[TableLine]]:
    """Lines by row."""
    if not lines:
        return []
    pitches = [b.top - a.top for a, b in pairwise(lines)]
    tight = median(sorted(pitches)[: max(1, len(pitches) // 2)]) if pitches else 0.0
    spaced_rows = sum(pitch > MIN_ROW_PITCH * tight for pitch in pitches) >= max(1, MIN_SPACED_SHARE * len(lines))
    groups = [[lines[0]]]
    for pitch, line in zip(pitches, lines[1:], strict=True):
        goes_on = _continues(groups[-1][0], line, spaced_rows) or _label_goes_on(groups[-1][-1], line)
        if pitch <= MIN_ROW_PITCH * tight and goes_on:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _reaches_into(above: TableLine, below: TableLine, pitch: float) -> bool:
    """Whether two lines share no column, and are nearer than lines of one cell or rows are."""
    return below.top - above.top < MAX_SHIFTED_PITCH * pitch and not above.filled & below.filled


def _interleaved(lines: Sequence[TableLine]) -> list[list[TableLine]]:
    """One row, unless a column has several values: then those are rows, and what stands between spans them."""
    values = Counter(column for line in lines for column in line.values)
    rows = [line for line in lines if any(values[column] > 1 for column in line.values)]
    if not rows:
        return [list(lines)]
    row_ids = {id(line) for line in rows}
    return [[rows[0], *(line for line in lines if id(line) not in row_ids)], *([row] for row in rows[1:])]


def _continues(first: TableLine, line: TableLine, parted: bool) -> bool:
    """Whether a line goes on in the cells of the row above it; `parted`: rows of this table are set apart.

    What goes on fills no other cells than the `first` line of the row does.
    """
    if not line.filled <= first.filled or line.values & first.values:
        return False
    if parted:
        return len(line.filled) < len(first.filled) or not line.figures
    if 0 in line.filled:
        return line.filled == {0} and line.label[:1].islower()
    return not line.figures and len(line.filled) < len(first.filled)


def _label_goes_on(above: TableLine, line: TableLine) -> bool:
    """Whether a line above holds nothing but the beginning of the label that a line with values ends."""
    if above.filled != {0} or len(line.filled) < 2 or not line.label:
        return False
    return line.label[0].islower() or above.label.endswith((",", "-", "(", "/", "&"))
