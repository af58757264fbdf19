"""Groups printed lines of a ruled row into rows: by rules, wide gaps and what lines fill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from documents.tables.table_lines import TableLine, segment_text

ROOMY = 1.3  # times the usual pitch of lines: more parts two rows
INTO = 0.75  # of the usual distance of lines: nearer, one stands beside the middle of two


def row_chains(lines: Sequence[TableLine]) -> Iterator[list[list[TableLine]]]:
    """Rows of the body, in runs: lines that reach into one another stand beside the middle of several lines."""
    plain: list[TableLine] = []
    pitch = _pitch(lines)
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
    ruled_rows = sum(line.ruled for line in lines) >= max(2, 0.2 * len(lines))
    spaced_rows = sum(pitch > ROOMY * tight for pitch in pitches) >= max(1, 0.25 * len(lines))
    groups = [[lines[0]]]
    for pitch, line in zip(pitches, lines[1:], strict=True):
        roomy = line.ruled or pitch > ROOMY * tight
        if not roomy and (
            _continues(groups[-1][0], line, ruled_rows or spaced_rows)
            or _label_goes_on(groups[-1][-1], line)
            or _ends_ruled_row(groups[-1], line)
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _pitch(lines: Sequence[TableLine]) -> float:
    """The usual distance between lines one below the other that have a cell in the same column."""
    pitches = [b.top - a.top for a, b in pairwise(lines) if a.filled & b.filled]
    return median(pitches) if pitches else 0.0


def _reaches_into(above: TableLine, below: TableLine, pitch: float) -> bool:
    """Whether two lines share no column, and are nearer than lines of one cell or rows are."""
    return not below.ruled and below.top - above.top < INTO * pitch and not above.filled & below.filled


def _interleaved(lines: Sequence[TableLine]) -> list[list[TableLine]]:
    """One row, unless a column has several values: then those are rows, and what stands between spans them."""
    values = Counter(column for line in lines for column in line.values)
    rows = [line for line in lines if any(values[column] > 1 for column in line.values)]
    if not rows:
        return [list(lines)]
    row_ids = {id(line) for line in rows}
    beside = [replace(line, num_rows=len(rows)) for line in lines if id(line) not in row_ids]
    return [[rows[0], *beside], *([row] for row in rows[1:])]


def _continues(first: TableLine, line: TableLine, parted: bool) -> bool:
    """Whether a line goes on in the cells of the row above it; `parted`: rows of this table are set apart.

    What goes on fills no other cells than the `first` line of the row does.
    """
    if line.spans or not line.filled <= first.filled or line.values & first.values:
        return False
    if parted:
        return len(line.filled) < len(first.filled) or not line.figures
    if 0 in line.filled:
        starts = segment_text(line.places[0][2])[:1]
        return line.filled == {0} and starts.islower()
    return not line.figures and len(line.filled) < len(first.filled)


def _label_goes_on(above: TableLine, line: TableLine) -> bool:
    """Whether a line above holds nothing but the beginning of the label that a line with values ends."""
    if above.filled != {0} or len(line.filled) < 2 or not line.label:
        return False
    return line.label[0].islower() or above.label.endswith((",", "-", "(", "/", "&"))


def _ends_ruled_row(above: Sequence[TableLine], line: TableLine) -> bool:
    """Whether a line has the label and values of a row whose longer cells began below the rule above it."""
    if not above[0].ruled or 0 not in line.filled or len(line.filled) < 2:
        return False
    return all(0 not in one.filled and not one.values and one.filled <= line.filled for one in above)
