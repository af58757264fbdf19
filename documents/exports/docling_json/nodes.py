"""Nodes of a DoclingDocument that need nothing but their own values: its roots, its pages, cells of tables."""

from __future__ import annotations

from typing import Any

from documents.boxes import NO_BOX
from documents.exports.docling_json.key_values import docling_box
from documents.region_values import Table, TableCell
from documents.values import Page

_Item = dict[str, Any]


def root_of(name: str, children: list[_Item]) -> _Item:
    """One of the two nodes that all others are under."""
    ref = f"#/{name}"
    return {"self_ref": ref, "children": children, "content_layer": name, "name": "_root_", "label": "unspecified"}


def page_of(page: Page) -> _Item:
    """The number and the size of a page."""
    return {"size": {"width": page.size[0], "height": page.size[1]}, "page_no": page.number}


def cell_of(cell: TableCell, table: Table) -> _Item:
    """A cell of a table."""
    return {
        "bbox": None if cell.box == NO_BOX else docling_box(cell.box),
        "row_span": cell.num_rows,
        "col_span": cell.num_columns,
        "start_row_offset_idx": cell.row,
        "end_row_offset_idx": cell.row + cell.num_rows,
        "start_col_offset_idx": cell.column,
        "end_col_offset_idx": cell.column + cell.num_columns,
        "text": cell.text,
        "column_header": cell.row < table.num_header_rows,
        "row_header": False,
        "row_section": False,
    }
