"""Writes a document as DoclingDocument JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from documents.exports.text_blocks import figures
from documents.places import place_fields
from documents.text.list_markers import is_number
from documents.values import (
    NOWHERE,
    BoundingBox,
    CaptionRegion,
    Document,
    FigureRegion,
    FurnitureRegion,
    ListItem,
    Page,
    Region,
    Table,
    TableCell,
    TextRegion,
    TitleRegion,
    table_in,
)

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
    return json.dumps(docling(document), ensure_ascii=False, separators=(",", ":"))


def docling(document: Document, *, name: str | None = None, pictures: Mapping[str, _Item] | None = None) -> _Item:
    """The same as values; named `name`, with the ImageRefs of figures by `documents.exports.text_blocks.figures`."""
    return _Writer(document, pictures or {}).written(name or document.metadata.get("title") or document.id)


class _Writer:
    """Holds the items written so far; a reference is the kind and number of an item."""

    def __init__(self, document: Document, pictures: Mapping[str, _Item]) -> None:
        self._document = document
        self._images = {id(region): pictures.get(name) for name, _, region in figures(document)}
        self._items: dict[str, list[_Item]] = {"texts": [], "tables": [], "pictures": [], "groups": []}
        self._body: list[_Item] = []
        self._lists: list[tuple[int, _Item, _Item]] = []  # the groups that are open: level, group, its last item

    def written(self, name: str) -> _Item:
        for page in self._document.pages:
            captions = _captions(page)
            written_with_others = {id(caption) for group in captions.values() for caption in group}
            for region in page.regions:
                if id(region) not in written_with_others:
                    self._add(page, region, captions[region.order])
        return {
            "schema_name": "DoclingDocument",
            "version": VERSION,
            "name": name,
            "furniture": _root("furniture", []),
            "body": _root("body", self._body),
            **self._items,
            "key_value_items": [],
            "form_items": [],
            "pages": {str(page.number): _page(page) for page in self._document.pages if page.size != (0, 0)},
        }

    def _add(self, page: Page, region: Region, captions: Sequence[Region]) -> None:
        table = table_in(region)
        if isinstance(region, FigureRegion) or table is not None:
            self._lists.clear()
            item: _Item = {"captions": [], "footnotes": []}
            if table is not None:
                whole = self._append("tables", page, region, {"label": "table", "data": _table(table), **item})
            else:
                image = self._images.get(id(region))
                item |= {"image": image} if image is not None else {}
                whole = self._append("pictures", page, region, {"label": "picture", "annotations": [], **item})
            for caption in captions:
                text = self._plain(page, caption, caption.text, parent=whole)
                whole["footnotes" if caption.kind == "table_footnote" else "captions"].append(
                    {"$ref": text["self_ref"]}
                )
        elif isinstance(region, TextRegion) and region.items:
            self._listed(page, region)
        elif region.text.strip():
            is_code = isinstance(region, TextRegion) and region.code
            for text in [region.text] if is_code else region.text.split("\n\n"):
                self._plain(page, region, text)

    def _listed(self, page: Page, region: TextRegion) -> None:
        """A text with items of lists; what stands between these is paragraphs."""
        items = {item.line: item for item in region.items}
        for k, line in enumerate(region.text.split("\n")):
            if k in items:
                self._list_item(page, region, items[k], line)
            elif line:
                self._plain(page, region, line)

    def _plain(self, page: Page, region: Region, text: str, *, parent: _Item | None = None) -> _Item:
        self._lists.clear()
        item: _Item = {"label": LABELS.get(region.kind, "text"), "orig": text, "text": text}
        match region:
            case TitleRegion():
                item |= {"label": "section_header", "level": region.level or 1}
            case TextRegion(code=True):
                item["label"] = "code"
            case TextRegion(note=str()) | CaptionRegion(note=str()):
                item["label"] = "footnote"
            case FurnitureRegion():
                low = region.box.center[1] > page.size[1] / 2 or _is_footer(region)
                item |= {"label": "page_footer" if low else "page_header", "content_layer": "furniture"}
            case _:
                pass
        return self._append("texts", page, region, item, parent=parent)

    def _list_item(self, page: Page, region: Region, list_entry: ListItem, line: str) -> None:
        self._lists = [one for one in self._lists if one[0] <= list_entry.level]
        if not self._lists or self._lists[-1][0] < list_entry.level:
            above = self._lists[-1][2] if self._lists else None
            group = self._append("groups", page, region, {"label": "list", "name": "list"}, parent=above, place=False)
        else:
            group = self._lists.pop()[1]
        item = {
            "label": "list_item",
            "orig": line,
            "text": line.removeprefix(list_entry.marker).lstrip(),
            "marker": list_entry.marker,
            "enumerated": is_number(list_entry.marker),
        }
        self._lists.append((list_entry.level, group, self._append("texts", page, region, item, parent=group)))

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
        if region.place is not None and kind != "groups":
            whole["meta"] = {"pagemill__place": place_fields(region.place)}
        if place and region.box != NOWHERE:
            length = len(item.get("orig", ""))
            whole["prov"] = [{"page_no": page.number, "bbox": _box(region.box), "charspan": [0, length]}]
        self._items[kind].append(whole)
        (parent["children"] if parent else self._body).append({"$ref": name})
        return whole


def _captions(page: Page) -> defaultdict[int, list[CaptionRegion]]:
    """The captions and notes of each figure and table, by its `order`."""
    described = {
        region.order for region in page.regions if isinstance(region, FigureRegion) or table_in(region) is not None
    }
    captions: defaultdict[int, list[CaptionRegion]] = defaultdict(list)
    for region in page.regions:
        if isinstance(region, CaptionRegion) and region.describes in described and region.text.strip():
            captions[region.describes].append(region)
    return captions


def _is_footer(region: Region) -> bool:
    return region.place is not None and region.place.kind == "document" and region.place.path.startswith("footer")


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
        "bbox": None if cell.box == NOWHERE else _box(cell.box),
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
