"""Reads HTML tables with data; tables for page layout are not tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from documents.office.paragraph_text import Words
from documents.office.table_grid import GridCell, table_of
from documents.office.xml_parsing import Element, attribute, name_of
from documents.values import Table

LAYS_OUT = ("table", "h1", "h2", "h3", "h4", "h5", "h6", "form", "pre", "article", "section", "ul", "ol", "blockquote")
MAX_LISTS = 0.25  # of the cells of a table of data that hold lists
GROUPS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True, slots=True)
class WebTable:
    """The rows of a table; whether each stands in its head."""

    rows: list[tuple[Element, bool]]
    captions: list[Element]

    @classmethod
    def of(cls, table: Element) -> WebTable | None:
        """None for a table that only lays out: of one cell, or with tables or headings in its cells."""
        if attribute(table, "role") in ("presentation", "none"):
            return None
        rows = list(_rows(table))
        cells = [cell for row, _ in rows for cell in _cells(row)]
        is_frame = len(cells) < 2 or all(len(list(_cells(row))) < 2 for row, _ in rows)
        if is_frame and not any(name_of(cell) == "th" for cell in cells):
            return None
        hard = tuple(name for name in LAYS_OUT if name not in ("ul", "ol"))
        if any(next(cell.iter(*hard), None) is not None for cell in cells):
            return None
        num_lists = sum(next(cell.iter("ul", "ol"), None) is not None for cell in cells)
        if num_lists > MAX_LISTS * len(cells):
            return None
        return cls(rows, [node for node in table if name_of(node) == "caption"])

    def table(self, words_of: Callable[[Element], Words]) -> Table | None:
        rows = [
            [
                GridCell.of(
                    words_of(cell),
                    _span(attribute(cell, "rowspan"), len(self.rows) - number),
                    _span(attribute(cell, "colspan"), 1),
                    is_header=in_head or name_of(cell) == "th",
                )
                for cell in _cells(row)
            ]
            for number, (row, in_head) in enumerate(self.rows)
        ]
        table = table_of(rows)
        if table is None or table.num_header_rows < table.num_rows:
            return table
        return table.model_copy(update={"num_header_rows": min(1, table.num_rows - 1)})


def _rows(table: Element) -> Iterator[tuple[Element, bool]]:
    for node in table:
        name = name_of(node)
        if name == "tr":
            yield node, False
        elif name in GROUPS:
            yield from ((row, name == "thead") for row in node if name_of(row) == "tr")


def _cells(row: Element) -> Iterator[Element]:
    return (node for node in row if name_of(node) in ("td", "th"))


def _span(text: str | None, of_zero: int) -> int:
    """How much a cell covers; 0 is all below."""
    value = (text or "1").strip()
    if not value.isdecimal() or len(value) > 5:
        return 1
    return int(value) or max(1, of_zero)
