"""Counts the rows or columns of a sheet with and without those that are hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

Run = tuple[int, int]  # the first and last of lines that follow one another, from 0


class SheetLines:
    """Rows or columns of a sheet, all of them by their index, the visible ones also by their place among themselves."""

    def __init__(self, hidden: Iterable[Run] = ()) -> None:
        runs: list[Run] = []
        for first, last in sorted(hidden):
            if runs and first <= runs[-1][1] + 1:
                runs[-1] = runs[-1][0], max(last, runs[-1][1])
            elif last >= first:
                runs.append((first, last))
        self.hidden = tuple(runs)
        self._starts = [first for first, _ in runs]
        self._num_hidden = [0]  # before each run, and in all of them
        for first, last in runs:
            self._num_hidden.append(self._num_hidden[-1] + last - first + 1)
        self._places = [first - before for first, before in zip(self._starts, self._num_hidden, strict=False)]

    def is_hidden(self, index: int) -> bool:
        number = bisect_right(self._starts, index) - 1
        return number >= 0 and index <= self.hidden[number][1]

    def place(self, index: int) -> int:
        """How many visible lines stand before a line."""
        number = bisect_right(self._starts, index) - 1
        if number < 0:
            return index
        return index - self._num_hidden[number] - (min(index - 1, self.hidden[number][1]) - self._starts[number] + 1)

    def index(self, place: int) -> int:
        """Of the visible line before which so many visible ones stand."""
        return place + self._num_hidden[bisect_right(self._places, place)]

    def within(self, first: int, last: int) -> tuple[Run, ...]:
        """The hidden runs between two lines."""
        start = max(0, bisect_right(self._starts, first) - 1)
        end = bisect_right(self._starts, last)
        return tuple((max(first, a), min(last, b)) for a, b in self.hidden[start:end] if b >= first)


@lru_cache(maxsize=64)
def hidden_lines(names: str) -> tuple[SheetLines, SheetLines]:
    """The rows and the columns of which some are hidden, as `4:4,B:C` names them."""
    rows: list[Run] = []
    columns: list[Run] = []
    for name in filter(None, names.split(",")):
        first, _, last = name.partition(":")
        if first.isdecimal() and last.isdecimal():
            rows.append((int(first) - 1, int(last) - 1))
        else:
            columns.append((_column(first), _column(last)))
    return SheetLines(rows), SheetLines(columns)


def _column(name: str) -> int:
    column = 0
    for letter in name.upper():
        column = 26 * column + ord(letter) - 64
    return column - 1
