"""Reads DOCX tables with merged cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, name_of
from documents.office.paragraph_text import Words, joined_words
from documents.office.table_grid import GridCell, table_of
from documents.office.word.word_runs import Runs
from documents.office.word.word_styles import is_on
from documents.region_values import Table

FIRST_ROW = 0x0020  # bit of tblLook
WRAPPERS = ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")


@dataclass(slots=True)
class _Cell:
    words: Words
    num_columns: int
    num_rows: int = 1


class WordTable:
    """Rows of a table as they are read; `cell_text` reads the text of one cell."""

    def __init__(self, cell_text: Callable[[Element, Runs], Words]) -> None:
        self._cell_text = cell_text
        self._rows: list[list[_Cell]] = []
        self._num_headers = 0
        self._has_first_row = True
        self.only_cell: Element | None = None  # of a table that has no other

    def read(self, table: Element, beside: Runs) -> None:
        """Take in all rows; what is no text of a cell goes to `beside`."""
        rows = list(within(table, "tr"))
        if len(rows) == 1:
            cells = list(within(rows[0], "tc"))
            if len(cells) == 1:
                self.only_cell = cells[0]
                return
        self._has_first_row = _has_first_row(child(table, "tblPr", "tblLook"))
        open_cells: dict[int, _Cell] = {}  # that may go on below, by their first column
        for number, row in enumerate(rows, 1):
            settings = child(row, "trPr")
            if child(settings, "del") is not None:
                continue
            if self._num_headers == len(self._rows) and is_on(child(settings, "tblHeader")):
                self._num_headers += 1
            self._rows.append(self._row(row, number, settings, open_cells, beside))

    def table(self) -> Table | None:
        headers = self._num_headers or int(self._has_first_row and len(self._rows) > 1)
        rows = [[GridCell.of(cell.words, cell.num_rows, cell.num_columns) for cell in row] for row in self._rows]
        return table_of(rows, num_header_rows=headers)

    def _row(
        self, row: Element, number: int, settings: Element | None, open_cells: dict[int, _Cell], beside: Runs
    ) -> list[_Cell]:
        cells: list[_Cell] = []
        column = _count(attribute(child(settings, "gridBefore"), "val"), 0)
        cells += (_Cell(Words(""), 1) for _ in range(column))
        for place, cell in enumerate(within(row, "tc"), 1):
            own = child(cell, "tcPr")
            width = max(1, _count(attribute(child(own, "gridSpan"), "val"), 1))
            merge = child(own, "vMerge")
            num_tables = len(beside.tables)
            words = self._cell_text(cell, beside)
            steps = f"tr[{number}]/tc[{place}]"
            beside.tables[num_tables:] = ((f"{steps}/{path}", inner) for path, inner in beside.tables[num_tables:])
            above = open_cells.get(column)
            goes_on = merge is not None and attribute(merge, "val") != "restart"
            if goes_on and above is not None and above.num_columns == width:
                above.num_rows += 1
                above.words = joined_words((above.words, words))
            else:
                fresh = _Cell(words, width)
                cells.append(fresh)
                open_cells.pop(column, None)
                if merge is not None:
                    open_cells[column] = fresh
            column += width
        for begin in [begin for begin in open_cells if begin >= column]:
            del open_cells[begin]
        return cells


def is_grid(table: Element) -> bool:
    """Whether a table has rows and columns: more than one of either."""
    counts = [sum(1 for _ in within(row, "tc")) for row in within(table, "tr")]
    return len(counts) > 1 and max(counts) > 1


def within(element: Element, name: str, depth: int = 0) -> Iterator[Element]:
    """Its children of a name, those too that something without a meaning is around."""
    for node in element:
        if name_of(node) == name:
            yield node
        elif name_of(node) in WRAPPERS and depth < MAX_DEPTH:
            yield from within(node, name, depth + 1)


def _has_first_row(look: Element | None) -> bool:
    first = attribute(look, "firstRow")
    if first is not None:
        return first in ("1", "true", "on")
    try:
        return bool(int(attribute(look, "val") or "04A0", 16) & FIRST_ROW)
    except ValueError:
        return True


def _count(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 4 else default
