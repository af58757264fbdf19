"""Reads HTML tables with data; tables for page layout are not tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from documents.office.packages.xml_parsing import Element, attribute, name_of
from documents.office.paragraph_text import Words
from documents.office.table_grid import GridCell, table_of
from documents.region_values import Table

LAYOUT_CONTENT = ("table", "h1", "h2", "h3", "h4", "h5", "h6", "form", "pre", "article", "section", "blockquote")
MAX_LIST_SHARE = 0.25  # maximum share of cells with lists in a single row of data
DATA_ROLES = ("table", "grid", "treegrid")
GROUPS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True, slots=True)
class WebTable:
    """The rows of a table; whether each stands in its head."""

    rows: list[tuple[Element, bool]]
    captions: list[Element]

    @classmethod
    def of(cls, table: Element) -> WebTable | None:
        """None for a table that only lays out: of one cell, or with tables or headings in its cells.

        What has header cells, a head, a caption or the role of a table is one of data, whatever its cells hold.
        """
        role = attribute(table, "role")
        if role in ("presentation", "none"):
            return None
        captions = [node for node in table if name_of(node) == "caption"]
        rows = list(_rows(table))
        cells = [cell for row, _ in rows for cell in _cells(row)]
        is_frame = len(cells) < 2 or all(len(list(_cells(row))) < 2 for row, _ in rows)
        has_headers = any(name_of(cell) == "th" for cell in cells)
        if not cells or (is_frame and not has_headers):
            return None
        is_marked = has_headers or bool(captions) or role in DATA_ROLES or any(in_head for _, in_head in rows)
        return cls(rows, captions) if is_marked or not _lays_out(rows, cells) else None

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


def _lays_out(rows: list[tuple[Element, bool]], cells: list[Element]) -> bool:
    """Whether cells without any mark of a table hold what a page is laid out of."""
    if any(next(cell.iter(*LAYOUT_CONTENT), None) is not None for cell in cells):
        return True
    num_lists = sum(next(cell.iter("ul", "ol"), None) is not None for cell in cells)
    return len(rows) < 2 and num_lists > MAX_LIST_SHARE * len(cells)


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
