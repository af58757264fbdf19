"""Reads the cells of an XLSX sheet row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from documents.office.cell_formats import Form, written
from documents.office.paragraph_text import clean
from documents.office.xml_parsing import Element, attribute, child, children, elements_of, name_of, text_within
from documents.places import cell_at

READ = ("row", "mergeCell", "hyperlink")
MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
TRUTH = {"1": "TRUE", "0": "FALSE"}


@dataclass(slots=True)
class SheetCells:
    """What a sheet says: texts by row and column (from 0), and the cells that cover others, with their sizes."""

    texts: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    numbers: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])  # cells whose value is none of words
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict[tuple[int, int], tuple[int, int]])
    num_left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReader:
    """Reads cells with what the workbook says of all of them."""

    strings: Sequence[str]
    forms: Sequence[Form]
    since_1904: bool

    def read(self, stream: BinaryIO, max_cells: int) -> SheetCells:
        """Raises as `elements_of`."""
        sheet_cells = SheetCells()
        row_number = -1
        for element in elements_of(stream, READ):
            match name_of(element):
                case "row":
                    row_number = self._row(element, row_number, sheet_cells, max_cells)
                case "mergeCell":
                    _merge(attribute(element, "ref") or "", sheet_cells)
                case _:
                    pass
            _free(element)
            if sheet_cells.num_left_out:
                break
        return sheet_cells

    def _row(self, row: Element, before: int, sheet_cells: SheetCells, max_cells: int) -> int:
        number = _index(attribute(row, "r"), before)
        column = -1
        for cell in children(row, "c"):
            try:
                column, own_row = cell_at(attribute(cell, "r") or "")
            except ValueError:
                column, own_row = column + 1, number
            text = self._text(cell)
            if not text or not (0 <= own_row < MAX_ROW and 0 <= column < MAX_COLUMN):
                continue
            if len(sheet_cells.texts) >= max_cells:
                sheet_cells.num_left_out += 1
                continue
            sheet_cells.texts[own_row, column] = text
            if attribute(cell, "t") in (None, "n", "d", "b"):
                sheet_cells.numbers.add((own_row, column))
        return number

    def _text(self, cell: Element) -> str:
        kind = attribute(cell, "t") or "n"
        if kind == "inlineStr":
            return clean(rich_text(child(cell, "is")))
        value = text_within(child(cell, "v"), "v") or (getattr(child(cell, "v"), "text", None) or "")
        match kind:
            case "s":
                place = int(value) if value.isdecimal() and len(value) < 9 else -1
                return self.strings[place] if 0 <= place < len(self.strings) else ""
            case "b":
                return TRUTH.get(value.strip(), value)
            case "n":
                style = attribute(cell, "s") or "0"
                index = int(style) if style.isdecimal() and len(style) < 6 else 0
                form: Form = self.forms[index] if index < len(self.forms) else "number"
                return written(value.strip(), form, since_1904=self.since_1904) if value.strip() else ""
            case _:
                return clean(value)


def rich_text(element: Element | None) -> str:
    """The text of a string, without what says how it is pronounced."""
    texts: list[str] = []
    for node in element if element is not None else ():
        match name_of(node):
            case "t":
                texts.append(node.text or "")
            case "r":
                texts += (part.text or "" for part in children(node, "t"))
            case _:
                continue
    return "".join(texts)


def strings_of(stream: BinaryIO | None) -> list[str]:
    """The shared strings by their index; those before the first damage. Raises as `elements_of`."""
    strings: list[str] = []
    for element in elements_of(stream, ("si",)) if stream is not None else ():
        strings.append(clean(rich_text(element)))
        _free(element)
    return strings


def _merge(reference: str, sheet_cells: SheetCells) -> None:
    first, _, last = reference.partition(":")
    try:
        (left, top), (right, bottom) = cell_at(first), cell_at(last or first)
    except ValueError:
        return
    if right >= left and bottom >= top:
        sheet_cells.merged[top, left] = (bottom - top + 1, right - left + 1)


def _index(text: str | None, before: int) -> int:
    return int(text) - 1 if text is not None and text.isdecimal() and len(text) < 9 else before + 1


def _free(element: Element) -> None:
    """Give back an element that was read, and those before it."""
    element.clear()  # pyright: ignore[reportAttributeAccessIssue]
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:  # pyright: ignore[reportAttributeAccessIssue]
        del parent[0]  # pyright: ignore[reportIndexIssue]
