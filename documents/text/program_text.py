"""Makes the text of a program from its printed rows: a line each, set in as far as it is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from documents.text.placed_text import Place, PlacedText, concatenated
from documents.text.printed_rows import Row, RowWord
from documents.text.running_text import RunningText, TextLimits

LINE_NUMBER = re.compile(r"(\d{1,5})[.:|)]?")
NUMBER_SEPARATOR = re.compile(r"[.:|│┃)>]")  # stands between a line's number and the line


def program_text(rows: Sequence[Row], limits: TextLimits | None = None) -> RunningText:
    """Rows as lines with the spaces that are printed before and in them, and empty lines kept.

    Numbers of the lines are a column of their own: a line is set in as far as it stands from the leftmost behind them.
    """
    if not rows:
        return RunningText("", ())
    pieces = [row.words or (RowWord(row.text, row.box, row.places),) for row in rows]
    character = median(word.box.width / max(1, len(word.text)) for words in pieces for word in words) or 1.0
    num_before = _num_before_code(pieces)
    starts = [row[count].box.x0 for row, count in zip(pieces, num_before, strict=True) if len(row) > count]
    edge = min(starts, default=0.0)
    numbers = [_text(row[:count], character) for row, count in zip(pieces, num_before, strict=True)]
    width = max(len(number.text) for number in numbers)
    pitch = min((b.box.y0 - a.box.y0 for a, b in pairwise(rows)), default=0.0)
    blank_line = (limits or TextLimits()).program_blank_line
    lines: list[PlacedText] = []
    for k, (row, count, number) in enumerate(zip(pieces, num_before, numbers, strict=True)):
        if k and rows[k].box.y0 - rows[k - 1].box.y0 > blank_line * pitch > 0:
            lines.append(PlacedText(""))
        column = [PlacedText(" " * (width - len(number.text))), number]
        code = row[count:]
        if code:
            indent = round((code[0].box.x0 - edge) / character) + (width > 0)
            column += [PlacedText(" " * indent), _text(code, character)]
        lines.append(concatenated(column))
    text = concatenated(lines, "\n")
    return RunningText(text.text, (), tuple(_whole_lines(text.places)))


def _text(words: Sequence[RowWord], character: float) -> PlacedText:
    """Words of one row with as many spaces between them as have room there."""
    parts: list[PlacedText] = []
    for k, word in enumerate(words):
        if k:
            num_spaces = round((word.box.x0 - words[k - 1].box.x1) / character)
            parts.append(PlacedText(" " * max(int(word.spaced), num_spaces * word.spaced)))
        parts.append(PlacedText(word.text, word.places).normal())
    text = concatenated(parts)
    return PlacedText(text.text, tuple(_whole_lines(text.places)))


def _whole_lines(places: Sequence[Place]) -> Iterator[Place]:
    """What is struck out, and each printed line from its first to its last word, by their ends."""
    printed = [place for place in places if place.mark is None]
    lines = [list(own) for _, own in groupby(printed, key=lambda place: place.line)]
    whole = [Place(own[0].line, own[0].start, own[-1].end) for own in lines]
    marks = [place for place in places if place.mark is not None]
    yield from sorted([*marks, *whole], key=lambda place: place.end)


def _num_before_code(rows: Sequence[Sequence[RowWord]]) -> list[int]:
    """How many pieces of each row are its number in the program, with what parts it from the line."""
    matches = [LINE_NUMBER.fullmatch(row[0].text) if row else None for row in rows]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) < 2 or 2 * len(numbers) < len(rows) or any(b != a + 1 for a, b in pairwise(numbers)):
        return [0] * len(rows)
    numbered = [row for row, match in zip(rows, matches, strict=True) if match]
    is_parted = all(len(row) > 1 and NUMBER_SEPARATOR.fullmatch(row[1].text) for row in numbered)
    return [(2 if is_parted else 1) if match else 0 for match in matches]
