"""Reads the cells of an XLSX sheet row by row."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from documents.inspection import Rise
from documents.office.packages.xml_parsing import Element, attribute, child, children, elements_of, name_of, text_within
from documents.office.paragraph_text import Words, WordsWriter, clean, with_rise
from documents.office.sheets.cell_formats import CellFormat
from documents.office.word.word_styles import is_on
from documents.places import cell_at
from documents.region_values import TextRange
from documents.sheet_lines import Run, SheetLines
from documents.text.placed_text import STRIKE_MARK, Place
from documents.text.symbol_fonts import in_symbols, symbol_table

SHEET_ELEMENTS = ("col", "row", "mergeCell", "hyperlink")
MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
BOOLEAN_TEXTS = {"1": "TRUE", "0": "FALSE"}
EMPTY_CELL_FONT = (Place(0, 0, 0),)  # place of no words: all parts of the text have fonts of their own
RISES_BY_NAME: dict[str, Rise] = {"superscript": "super", "subscript": "sub"}


@dataclass(slots=True)
class SheetCells:
    """What a sheet says: texts by row and column (from 0), and the cells that cover others, with their sizes."""

    texts: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    numbers: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])  # cells whose value is none of words
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict[tuple[int, int], tuple[int, int]])
    struck: dict[tuple[int, int], tuple[TextRange, ...]] = field(
        default_factory=dict[tuple[int, int], tuple[TextRange, ...]]
    )
    num_left_out: int = 0
    num_hidden: int = 0  # cells with text that nobody sees
    rows: SheetLines = field(default_factory=SheetLines)
    columns: SheetLines = field(default_factory=SheetLines)

    def is_hidden(self, row: int, column: int) -> bool:
        return self.rows.is_hidden(row) or self.columns.is_hidden(column)

    def hide(self, rows: Sequence[Run], columns: Sequence[Run]) -> None:
        """Leave out the cells of hidden rows and columns; those behind them move up, as a reader sees them."""
        self.rows = SheetLines(rows)
        self.columns = SheetLines(columns)
        if not rows and not columns:
            return
        texts, numbers, merged = self.texts, self.numbers, self.merged
        struck, self.struck = self.struck, {}
        self.texts = {}
        self.numbers = set()
        self.merged = {}
        for (row, column), text in texts.items():
            height, width = merged.get((row, column), (1, 1))
            top, left = self.rows.place(row), self.columns.place(column)
            bottom, right = self.rows.place(row + height), self.columns.place(column + width)
            if bottom == top or right == left:
                self.num_hidden += 1
                continue
            self.texts[top, left] = text
            if (row, column) in numbers:
                self.numbers.add((top, left))
            if (row, column) in struck:
                self.struck[top, left] = struck[row, column]
            if height * width > 1:
                self.merged[top, left] = bottom - top, right - left

    def put(self, place: tuple[int, int], words: Words) -> None:
        """The words of the cell at this row and column."""
        self.texts[place] = words.text
        if words.places and words.struck:
            self.struck[place] = words.struck


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReader:
    """Reads cells with what the workbook says of all of them."""

    strings: Sequence[Words]
    formats: Sequence[CellFormat]
    fonts: Sequence[str]
    struck_forms: Container[int]  # those of `formats` whose font is struck out
    since_1904: bool

    def read(self, stream: BinaryIO, max_cells: int) -> SheetCells:
        """Raises as `elements_of`."""
        sheet_cells = SheetCells()
        rows: list[Run] = []
        columns: list[Run] = []
        row_number = -1
        for element in elements_of(stream, SHEET_ELEMENTS):
            match name_of(element):
                case "col" if _is_hidden(element, "width"):
                    first, last = _index(attribute(element, "min"), -1), _index(attribute(element, "max"), -1)
                    columns.append((first, min(last, MAX_COLUMN)))
                case "row":
                    row_number = self._row(element, row_number, sheet_cells, max_cells)
                    if _is_hidden(element, "ht"):
                        rows.append((row_number, row_number))
                case "mergeCell":
                    _merge(attribute(element, "ref") or "", sheet_cells)
                case _:
                    pass
            _free(element)
            if sheet_cells.num_left_out:
                break
        sheet_cells.hide(rows, columns)
        return sheet_cells

    def _row(self, row: Element, before: int, sheet_cells: SheetCells, max_cells: int) -> int:
        number = _index(attribute(row, "r"), before)
        column = -1
        for cell in children(row, "c"):
            try:
                column, own_row = cell_at(attribute(cell, "r") or "")
            except ValueError:
                column, own_row = column + 1, number
            style = attribute(cell, "s") or "0"
            form = int(style) if style.isdecimal() and len(style) < 6 else 0
            words = self._words(cell, form)
            if words is None:
                sheet_cells.num_hidden += 1
            if not words or not words.text or not (0 <= own_row < MAX_ROW and 0 <= column < MAX_COLUMN):
                continue
            if len(sheet_cells.texts) >= max_cells:
                sheet_cells.num_left_out += 1
                continue
            if attribute(cell, "t") in ("inlineStr", "s", "str") and form < len(self.fonts):
                words = in_cell_font(words, self.fonts[form])
            sheet_cells.put((own_row, column), in_struck_font(words) if form in self.struck_forms else words)
            if attribute(cell, "t") in (None, "n", "d", "b"):
                sheet_cells.numbers.add((own_row, column))
        return number

    def _words(self, cell: Element, index: int) -> Words | None:
        """What a person sees in a cell; None where its format hides that."""
        kind = attribute(cell, "t") or "n"
        cell_format = self.formats[index] if index < len(self.formats) else CellFormat()
        if kind == "inlineStr":
            words = rich_words(child(cell, "is"))
        else:
            value = text_within(child(cell, "v"), "v") or (getattr(child(cell, "v"), "text", None) or "")
            if kind == "n":
                text = cell_format.shown(value.strip(), since_1904=self.since_1904) if value.strip() else ""
                return None if text is None else Words(text)
            words = self._other_words(value, kind)
        return None if words.text and cell_format.hides_text else words

    def _other_words(self, value: str, kind: str) -> Words:
        match kind:
            case "s":
                place = int(value) if value.isdecimal() and len(value) < 9 else -1
                return self.strings[place] if 0 <= place < len(self.strings) else Words("")
            case "b":
                return Words(BOOLEAN_TEXTS.get(value.strip(), value))
            case _:
                return Words(clean(value))


def rich_words(element: Element | None) -> Words:
    """The text of a string, without what says how it is pronounced; parts in the font of its cell have no mark."""
    writer = WordsWriter()
    has_fonts = any(child(run, "rPr") is not None for run in children(element, "r"))
    for node in element if element is not None else ():
        if name_of(node) not in ("t", "r"):
            continue
        start = writer.num_characters
        settings = child(node, "rPr")
        rise = RISES_BY_NAME.get(attribute(child(settings, "vertAlign"), "val") or "")
        font = attribute(child(settings, "rFont"), "val")
        for part in (node,) if name_of(node) == "t" else children(node, "t"):
            writer.add(with_rise(in_symbols(part.text or "", font), rise))
        if is_on(child(settings, "strike")):
            writer.strike(start)
        elif settings is None and has_fonts:
            writer.mark(start, None)
    words = writer.words()
    return Words(words.text, EMPTY_CELL_FONT) if has_fonts and not words.places else words


def in_cell_font(words: Words, font: str) -> Words:
    """The words in a cell of this font, which may be one of symbols; parts with a font of their own stay."""
    if symbol_table(font) is None:
        return words
    characters = list(words.text)
    for start, end in ((place.start, place.end) for place in words.places if place.mark is None):
        characters[start:end] = in_symbols(words.text[start:end], font)
    return words.with_text("".join(characters) if words.places else in_symbols(words.text, font))


def in_struck_font(words: Words) -> Words:
    """The words in a cell whose font is struck out; parts with a font of their own are as that has them."""
    if not words.places:
        return Words(words.text, (Place(0, 0, len(words.text), STRIKE_MARK),))
    return Words(words.text, tuple(place._replace(mark=STRIKE_MARK) for place in words.places))


def strings_of(stream: BinaryIO | None) -> list[Words]:
    """The shared strings by their index; those before the first damage. Raises as `elements_of`."""
    strings: list[Words] = []
    for element in elements_of(stream, ("si",)) if stream is not None else ():
        strings.append(rich_words(element))
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


def _is_hidden(element: Element, size: str) -> bool:
    """Whether a row or column is hidden: by a person, a filter, a closed group, or since it has no size."""
    return attribute(element, "hidden") in ("1", "true") or attribute(element, size) in ("0", "0.0")


def _index(text: str | None, before: int) -> int:
    return int(text) - 1 if text is not None and text.isdecimal() and len(text) < 9 else before + 1


def _free(element: Element) -> None:
    """Give back an element that was read, and those before it."""
    element.clear()  # pyright: ignore[reportAttributeAccessIssue]
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:  # pyright: ignore[reportAttributeAccessIssue]
        del parent[0]  # pyright: ignore[reportIndexIssue]
