"""A document as DoclingDocument JSON: every region an item with page, box and label, furniture in its own layer."""

from __future__ import annotations

import json
import re
from typing import Any

from documents.prose import BULLET
from documents.values import BoundingBox, Document, Page, Region, Table, TableCell

VERSION = "1.10.0"  # of the schema that this is written for
LABELS = {
    "plain text": "text",
    "figure_caption": "caption",
    "table_caption": "caption",
    "table_footnote": "footnote",
    "isolate_formula": "formula",
    "formula_caption": "text",
}
_Item = dict[str, Any]


def to_docling(document: Document) -> str:
    """UTF-8 JSON that docling-core reads as a DoclingDocument."""
    writer = _Writer(document)
    return json.dumps(writer.written(), ensure_ascii=False, separators=(",", ":"))


class _Writer:
    """Holds the items written so far; a reference is the kind and number of an item."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._items: dict[str, list[_Item]] = {"texts": [], "tables": [], "pictures": [], "groups": []}
        self._body: list[_Item] = []
        self._list: _Item | None = None  # the group of list items that is open

    def written(self) -> _Item:
        for page in self._document.pages:
            for region in page.regions:
                self._add(page, region)
        return {
            "schema_name": "DoclingDocument",
            "version": VERSION,
            "name": self._document.metadata.get("title") or self._document.id,
            "furniture": _root("furniture", []),
            "body": _root("body", self._body),
            **self._items,
            "key_value_items": [],
            "form_items": [],
            "pages": {str(page.number): _page(page) for page in self._document.pages},
        }

    def _add(self, page: Page, region: Region) -> None:
        if region.kind == "figure":
            self._list = None
            self._append("pictures", page, region, {"label": "picture", "captions": [], "annotations": []})
        elif region.kind == "table" and region.table is not None:
            self._list = None
            self._append("tables", page, region, {"label": "table", "captions": [], "data": _table(region.table)})
        elif region.text.strip():
            for text in [region.text] if region.code else region.text.split("\n\n"):
                self._text(page, region, text)

    def _text(self, page: Page, region: Region, text: str) -> None:
        lines = text.splitlines() or [text]
        if region.kind == "plain text" and not region.code and any(map(BULLET.match, lines)):
            for line in lines:
                self._list_item(page, region, line) if BULLET.match(line) else self._plain(page, region, line)
        else:
            self._plain(page, region, text)

    def _plain(self, page: Page, region: Region, text: str) -> None:
        self._list = None
        item: _Item = {"label": LABELS.get(region.kind, "text"), "orig": text, "text": text}
        if region.kind == "title":
            item |= {"label": "section_header", "level": region.level or 1}
        elif region.code:
            item["label"] = "code"
        elif region.kind == "abandon":
            low = region.box.center[1] > page.size[1] / 2
            item |= {"label": "page_footer" if low else "page_header", "content_layer": "furniture"}
        self._append("texts", page, region, item)

    def _list_item(self, page: Page, region: Region, line: str) -> None:
        if self._list is None:
            self._list = self._append("groups", page, region, {"label": "list", "name": "list"}, place=False)
        mark, _, rest = line.partition(" ")
        item = {
            "label": "list_item",
            "orig": line,
            "text": rest,
            "marker": mark,
            "enumerated": bool(re.search(r"\w", mark)),
        }
        self._append("texts", page, region, item, parent=self._list)

    def _append(
        self, kind: str, page: Page, region: Region, item: _Item, *, parent: _Item | None = None, place: bool = True
    ) -> _Item:
        name = f"#/{kind}/{len(self._items[kind])}"
        whole = {
            "self_ref": name,
            "parent": {"$ref": parent["self_ref"] if parent else "#/body"},
            "children": [],
            "content_layer": "body",
            **item,
        }
        if place:
            length = len(item.get("orig", ""))
            whole["prov"] = [{"page_no": page.number, "bbox": _box(region.box), "charspan": [0, length]}]
        self._items[kind].append(whole)
        (parent["children"] if parent else self._body).append({"$ref": name})
        return whole


def _root(name: str, children: list[_Item]) -> _Item:
    ref = f"#/{name}"
    return {"self_ref": ref, "children": children, "content_layer": name, "name": "_root_", "label": "unspecified"}


def _page(page: Page) -> _Item:
    return {"size": {"width": page.size[0], "height": page.size[1]}, "page_no": page.number}


def _box(box: BoundingBox) -> _Item:
    return {"l": box.x0, "t": box.y0, "r": box.x1, "b": box.y1, "coord_origin": "TOPLEFT"}


def _table(table: Table) -> _Item:
    cells = [_cell(cell, table) for cell in table.cells]
    return {"table_cells": cells, "num_rows": table.num_rows, "num_cols": table.num_columns}


def _cell(cell: TableCell, table: Table) -> _Item:
    return {
        "bbox": _box(cell.box),
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
