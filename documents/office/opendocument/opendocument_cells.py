"""Reads the cells of OpenDocument tables and sheets."""

from __future__ import annotations

from collections.abc import Iterator

from documents.office.opendocument.opendocument_styles import OpenStyles
from documents.office.opendocument.opendocument_text import OpenText, joined
from documents.office.packages.unpack_limits import MAX_DEPTH, MAX_SPAN
from documents.office.packages.xml_parsing import Element, attribute, child, children, name_of
from documents.office.paragraph_text import Words, joined_words
from documents.office.sheets.sheet_cells import SheetCells
from documents.office.table_grid import GridCell, table_of
from documents.region_values import Table
from documents.sheet_lines import Run

GROUPS = ("table-rows", "table-row-group", "table-header-rows")
COLLAPSIBLE_GROUPS = ("{*}table-row-group", "{*}table-column-group")
NUMBERS = ("float", "percentage", "currency", "date", "time", "boolean")
MAX_REPEATED = 1000  # copies of a cell or row with text in a sheet
MAX_COPIES = 100  # maximum number of copies of a cell or row in a table of running text
Comment = tuple[tuple[int, int], Words]


def table_in(table: Element, styles: OpenStyles, beside: list[Element]) -> Table | None:
    """A table of running text; pictures and tables in its cells go to `beside`."""
    rows: list[list[GridCell]] = []
    num_headers = 0
    for row, in_head in _rows(table, in_head=False, depth=0):
        cells: list[GridCell] = []
        for cell in children(row, "table-cell"):
            words = _words(cell, styles, beside)
            height = _count(attribute(cell, "number-rows-spanned"))
            width = _count(attribute(cell, "number-columns-spanned"))
            copies = min(_count(attribute(cell, "number-columns-repeated")), MAX_COPIES)
            cells += [GridCell.of(words, height, width)] * copies
        num_headers += in_head and num_headers == len(rows)
        rows += [cells] * min(_count(attribute(row, "number-rows-repeated")), MAX_COPIES)
    return table_of(rows, num_header_rows=num_headers or int(len(rows) > 1))


def cells_of(table: Element, styles: OpenStyles, max_cells: int) -> tuple[SheetCells, list[Comment]]:
    """The cells of a sheet, and its comments with their rows and columns from 0."""
    sheet_cells = SheetCells()
    comments: list[Comment] = []
    hidden_rows: list[Run] = []
    at_row = 0
    for row, _ in _rows(table, in_head=False, depth=0):
        num_rows = _count(attribute(row, "number-rows-repeated"))
        if _is_hidden(row):
            hidden_rows.append((at_row, at_row + num_rows - 1))
        at_column = 0
        for cell in row:
            if name_of(cell) not in ("table-cell", "covered-table-cell"):
                continue
            num_columns = _count(attribute(cell, "number-columns-repeated"))
            words = _words(cell, styles, [])
            if words.text and name_of(cell) == "table-cell":
                _put(sheet_cells, cell, words, (at_row, at_column), (num_rows, num_columns), max_cells)
            note = child(cell, "annotation")
            if note is not None:
                comments.append(((at_row, at_column), joined(note, styles)))
            at_column += num_columns
        at_row += num_rows
    sheet_cells.hide(hidden_rows, _hidden_columns(table))
    return sheet_cells, comments


def _hidden_columns(table: Element) -> list[Run]:
    runs: list[Run] = []
    at = 0
    for column in table.iter("{*}table-column"):
        count = _count(attribute(column, "number-columns-repeated"))
        if _is_hidden(column):
            runs.append((at, at + count - 1))
        at += count
    return runs


def _is_hidden(line: Element) -> bool:
    """Whether a row or column is hidden: by a person, a filter, or a closed group."""
    if attribute(line, "visibility") in ("collapse", "filter"):
        return True
    return any(attribute(group, "display") == "false" for group in line.iterancestors(*COLLAPSIBLE_GROUPS))


def _put(
    sheet_cells: SheetCells, cell: Element, words: Words, at: tuple[int, int], repeated: tuple[int, int], max_cells: int
) -> None:
    row, column = at
    is_number = attribute(cell, "value-type") in NUMBERS
    for down in range(min(repeated[0], MAX_REPEATED)):
        for right in range(min(repeated[1], MAX_REPEATED)):
            if len(sheet_cells.texts) >= max_cells:
                sheet_cells.num_left_out += 1
                return
            place = row + down, column + right
            sheet_cells.put(place, words)
            if is_number:
                sheet_cells.numbers.add(place)
    height = _count(attribute(cell, "number-rows-spanned"))
    width = _count(attribute(cell, "number-columns-spanned"))
    if height * width > 1:
        sheet_cells.merged[at] = min(height, MAX_SPAN), min(width, MAX_SPAN)


def _rows(table: Element, *, in_head: bool, depth: int) -> Iterator[tuple[Element, bool]]:
    for node in table if depth <= MAX_DEPTH else ():
        name = name_of(node)
        if name == "table-row":
            yield node, in_head
        elif name in GROUPS:
            yield from _rows(node, in_head=in_head or name == "table-header-rows", depth=depth + 1)


def _words(cell: Element, styles: OpenStyles, beside: list[Element]) -> Words:
    """The paragraphs of a cell, a line each."""
    return joined_words(_lines(cell, styles, attribute(cell, "style-name"), beside, 0))


def _lines(
    container: Element, styles: OpenStyles, cell_style: str | None, beside: list[Element], depth: int
) -> Iterator[Words]:
    for node in container if depth <= MAX_DEPTH else ():
        match name_of(node):
            case "p" | "h":
                text = OpenText.of(node, styles, cell_style)
                yield text.words.words()
                beside += text.frames
            case "table":
                beside.append(node)
            case "annotation":
                continue
            case _:
                yield from _lines(node, styles, cell_style, beside, depth + 1)


def _count(text: str | None) -> int:
    return max(1, int(text)) if text is not None and text.isdecimal() and len(text) < 9 else 1
