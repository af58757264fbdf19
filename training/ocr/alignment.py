"""Where the lines that were read stand in a page's text, by Levenshtein's alignment of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def aligned(read: Sequence[str], truth: str) -> list[str]:
    """For each line that was read, the piece of `truth` it stands for, of whole words; "" where there is none.

    A word that was read as divided at a line's end stays divided, with its hyphen.
    """
    plain = " ".join(truth.split())
    read_text = " ".join(read)
    places = _places(read_text, plain)
    pieces: list[str] = []
    at, end = 0, 0
    for text in read:
        start, stop = places[at], places[at + len(text)]
        divided = text.endswith("-") and 0 < stop < len(plain)
        begin = end if plain[end : end + 1].strip() and end and plain[end - 1] != " " else _word_start(plain, start)
        if divided and stop > begin and plain[stop - 1].isalpha() and plain[stop].isalpha():
            pieces.append(plain[begin:stop].strip() + "-")
            end = stop
        else:
            end = _word_end(plain, stop)
            pieces.append(plain[begin:end].strip() if end > begin else "")
        at += len(text) + 1
    return pieces


def _places(read: str, truth: str) -> list[int]:
    """For each position between the characters of `read`, the one of `truth` that the cheapest edits put there.

    What `truth` has before or behind all of `read` costs nothing: pages were cut off, or lines not found.
    """
    table = np.empty((len(read) + 1, len(truth) + 1), np.int32)
    codes, steps = np.array([ord(c) for c in truth], np.int64), np.arange(len(truth) + 1)
    table[0] = 0
    for k, char in enumerate(read, 1):
        fresh = np.concatenate(([k], np.minimum(table[k - 1, 1:] + 1, table[k - 1, :-1] + (codes != ord(char)))))
        table[k] = np.minimum.accumulate(fresh - steps) + steps
    row, column = len(read), int(np.argmin(table[-1]))
    places = [0] * (len(read) + 1)
    places[row] = column
    while row:
        here = table[row, column]
        if column and here == table[row - 1, column - 1] + (read[row - 1] != truth[column - 1]):
            row, column = row - 1, column - 1
            places[row] = column
        elif here == table[row - 1, column] + 1:
            row -= 1
            places[row] = column
        else:
            column -= 1
    return places


def _word_start(text: str, at: int) -> int:
    """The start of the word that `at` stands in, or before."""
    return text.rfind(" ", 0, at) + 1


def _word_end(text: str, at: int) -> int:
    """The end of the word that `at` stands in, or behind; of no word where a space follows."""
    if at == 0 or text[at - 1] == " ":
        return at
    end = text.find(" ", at)
    return len(text) if end < 0 else end
