"""Reads the cells of an XLSX sheet row by row."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  it tells no types

from documents.errors import UnreadableDocument
from documents.inspection import Rise
from documents.office.cell_formats import Form, written
from documents.office.paragraph_text import Words, WordsWriter, clean, with_rise
from documents.office.word_styles import is_on
from documents.office.xml_parsing import Element, attribute, child, children, name_of, text_within
from documents.places import cell_at
from documents.text.placed_text import STRUCK, Place
from documents.text.symbol_fonts import in_symbols
from documents.values import TextRange

READ = ("row", "mergeCell", "hyperlink")
MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
TRUTH = {"1": "TRUE", "0": "FALSE"}
RISES: dict[str, Rise] = {"superscript": "super", "subscript": "sub"}


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

    def put(self, place: tuple[int, int], words: Words) -> None:
        """The words of the cell at this row and column."""
        self.texts[place] = words.text
        if words.places and words.struck:
            self.struck[place] = words.struck


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReader:
    """Reads cells with what the workbook says of all of them."""

    strings: Sequence[Words]
    forms: Sequence[Form]
    fonts: Sequence[str]
    struck_forms: Container[int]  # those of `forms` whose font is struck out
    since_1904: bool

    def read(self, stream: BinaryIO, max_cells: int) -> SheetCells:
        """Raises UnreadableDocument where the sheet is no XML from its begin on."""
        sheet_cells = SheetCells()
        row_number = -1
        try:
            for _, element in etree.iterparse(
                stream,
                tag=[f"{{*}}{name}" for name in READ],
                resolve_entities=False,
                no_network=True,
                huge_tree=False,
                recover=True,
            ):
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
        except (etree.XMLSyntaxError, ValueError) as error:
            if not sheet_cells.texts:
                raise UnreadableDocument("a sheet of the file is not XML") from error
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
            if not words.text or not (0 <= own_row < MAX_ROW and 0 <= column < MAX_COLUMN):
                continue
            if len(sheet_cells.texts) >= max_cells:
                sheet_cells.num_left_out += 1
                continue
            sheet_cells.put((own_row, column), in_struck_font(words) if form in self.struck_forms else words)
            if attribute(cell, "t") in (None, "n", "d", "b"):
                sheet_cells.numbers.add((own_row, column))
        return number

    def _words(self, cell: Element, form: int) -> Words:
        kind = attribute(cell, "t") or "n"
        words = self._value(cell, kind, form)
        has_letters = kind in ("inlineStr", "s", "str") and form < len(self.fonts)
        return words.with_text(in_symbols(words.text, self.fonts[form])) if has_letters else words

    def _value(self, cell: Element, kind: str, index: int) -> Words:
        if kind == "inlineStr":
            return rich_words(child(cell, "is"))
        value = text_within(child(cell, "v"), "v") or (getattr(child(cell, "v"), "text", None) or "")
        match kind:
            case "s":
                place = int(value) if value.isdecimal() and len(value) < 9 else -1
                return self.strings[place] if 0 <= place < len(self.strings) else Words("")
            case "b":
                return Words(TRUTH.get(value.strip(), value))
            case "n":
                form: Form = self.forms[index] if index < len(self.forms) else "number"
                return Words(written(value.strip(), form, since_1904=self.since_1904) if value.strip() else "")
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
        rise = RISES.get(attribute(child(settings, "vertAlign"), "val") or "")
        font = attribute(child(settings, "rFont"), "val")
        for part in (node,) if name_of(node) == "t" else children(node, "t"):
            writer.add(with_rise(in_symbols(part.text or "", font), rise))
        if is_on(child(settings, "strike")):
            writer.strike(start)
        elif settings is None and has_fonts:
            writer.mark(start, None)
    return writer.words()


def in_struck_font(words: Words) -> Words:
    """The words in a cell whose font is struck out; parts with a font of their own are as that has them."""
    if not words.places:
        return Words(words.text, (Place(0, 0, len(words.text), STRUCK),))
    return Words(words.text, tuple(place._replace(mark=STRUCK) for place in words.places))


def strings_of(stream: BinaryIO | None) -> list[Words]:
    """The shared strings by their index; those before the first damage."""
    strings: list[Words] = []
    if stream is None:
        return strings
    try:
        for _, element in etree.iterparse(
            stream, tag="{*}si", resolve_entities=False, no_network=True, huge_tree=False, recover=True
        ):
            strings.append(rich_words(element))
            _free(element)
    except (etree.XMLSyntaxError, ValueError):
        return strings
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
