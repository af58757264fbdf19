"""Limits the text that is delivered of a file, whatever the file repeats: shared strings, copied cells, long paths."""

from __future__ import annotations

from collections.abc import Iterator

from documents.office.packages.unpack_limits import (
    MAX_CELL_CHARACTERS,
    MAX_CELLS,
    MAX_CHARACTERS,
    MAX_EXPANSION,
    MAX_PAGE_CHARACTERS,
    MAX_SLOTS,
    MIN_CHARACTERS,
)
from documents.office.paragraph_text import Words
from documents.places import Place
from documents.region_values import Table, TableCell
from documents.values import PageWarning


class TextBudget:
    """One document with all its attachments delivers at most `num_allowed` characters."""

    def __init__(self, num_bytes: int) -> None:
        """`num_bytes`: of the file."""
        self.num_allowed = min(MAX_CHARACTERS, max(MIN_CHARACTERS, MAX_EXPANSION * num_bytes))
        self._num_left = self.num_allowed

    def take(self, num_characters: int) -> int:
        """How many of so many characters may be delivered; they count as delivered."""
        num_taken = min(num_characters, self._num_left)
        self._num_left -= num_taken
        return num_taken


class DeliveryLimits:
    """What one file delivers stays within the limits of a cell, a row and a table; what is left out is counted."""

    def __init__(self, budget: TextBudget) -> None:
        self._budget = budget
        self._num_cells = self._num_slots = 0
        self.num_cells_cut = self._num_characters_cut = 0

    def allowed(self, words: Words, place: Place, room: int) -> Words:
        """What is delivered of a text that has room for so many characters."""
        length, others = len(words.text), _overhead(words, place)
        num_allowed = self._budget.take(others + max(0, min(length, room))) - others
        if num_allowed >= length:
            return words
        self._num_characters_cut += length - max(0, num_allowed)
        return _part(words, 0, max(0, num_allowed))

    def allowed_table(self, table: Table) -> Table | None:
        """The rows of a table that are delivered, or what fits of its first row; None where nothing does."""
        max_rows = (MAX_SLOTS - self._num_slots) // max(1, table.num_columns)
        cells: list[TableCell] = []
        row = room = 0
        for cell in table.cells:
            if cell.row != row or not cells:
                row, room = cell.row, MAX_PAGE_CHARACTERS
            text = cell.text[: min(MAX_CELL_CHARACTERS, room)]
            is_full = self._num_cells + len(cells) >= MAX_CELLS or row >= max_rows
            length = len(text) + sum(len(formula.latex) for formula in cell.formulas)
            if is_full or self._budget.take(length) < length:
                self.num_cells_cut += len(table.cells) - len(cells)
                cells = [one for one in cells if one.row < row] or cells
                table = table.model_copy(update={"num_rows": max(1, row)})
                break
            room -= len(text)
            self._num_characters_cut += len(cell.text) - len(text)
            cells.append(
                cell
                if text == cell.text
                else cell.model_copy(update={"text": text, "struck": (), "formulas": (), "scripts": ()})
            )
        self._num_cells += len(cells)
        self._num_slots += table.num_rows * table.num_columns
        return table.model_copy(update={"cells": tuple(cells)}) if cells else None

    def takes_cells(self, num_cells: int) -> bool:
        """Whether there is room for so many cells more, which then count."""
        if self._num_cells + num_cells > MAX_CELLS:
            self.num_cells_cut += num_cells
            return False
        self._num_cells += num_cells
        return True

    def warnings(self) -> list[PageWarning]:
        """A `cut_short` for each kind of thing that was left out."""
        messages: list[str] = []
        if self.num_cells_cut:
            limits = f"{MAX_CELLS} cells and {self._budget.num_allowed} characters"
            messages.append(f"{self.num_cells_cut} cells or more were left out: at most {limits} are read")
        if self._num_characters_cut:
            limits = f"{self._budget.num_allowed} of the document, {MAX_CELL_CHARACTERS} of a cell"
            messages.append(f"{self._num_characters_cut} characters were left out: at most {limits} are read")
        return [PageWarning(code="cut_short", message=message) for message in messages]


def _overhead(words: Words, place: Place) -> int:
    """Characters that a block delivers beside its text: its path, where its links lead, its formulas as LaTeX."""
    num_linked = sum(len(link.text) + len(link.uri) for link in words.links)
    return len(getattr(place, "path", "")) + num_linked + sum(len(formula.latex) for formula in words.formulas)


def pieces(words: Words, max_characters: int) -> Iterator[Words]:
    """A text in parts of at most so many characters, cut at the end of a line or at a space where there is one."""
    text = words.text
    start = 0
    while len(text) - start > max_characters:
        end = text.rfind("\n", start + 1, start + max_characters)
        end = end if end > 0 else text.rfind(" ", start + 1, start + max_characters)
        end = end if end > 0 else start + max_characters
        yield _part(words, start, end)
        start = end + 1 if text[end] in "\n " else end
    if start < len(text):
        yield _part(words, start, len(text)) if start else words


def _part(words: Words, start: int, end: int) -> Words:
    """Characters `start` to `end` with what is marked in them."""
    places = (
        place._replace(start=max(place.start, start) - start, end=min(place.end, end) - start)
        for place in words.places
        if place.start < end and place.end > start
    )
    return Words(words.text[start:end], tuple(places))
