"""Writes a document as DoclingDocument JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from documents.boxes import NO_BOX
from documents.exports.docling_json.comment_items import comment_items
from documents.exports.docling_json.item_facts import RegionFacts, meta_of
from documents.exports.docling_json.item_words import Words, parts_of, words_of
from documents.exports.docling_json.key_values import docling_box, key_values
from documents.exports.docling_json.nodes import cell_of, page_of, root_of
from documents.exports.linked_text import Run, lines_of, on_one_line, struck_text
from documents.exports.marked_digits import with_marks
from documents.exports.text_blocks import figures
from documents.region_values import (
    CaptionRegion,
    FigureRegion,
    FurnitureRegion,
    ListItem,
    Region,
    Table,
    TextRegion,
    TitleRegion,
    table_in,
)
from documents.text.list_markers import is_number
from documents.values import Document, Page

SCHEMA_VERSION = "1.10.0"  # the version of docling's schema that is written
LABELS = {
    "plain text": "text",
    "figure_caption": "caption",
    "table_caption": "caption",
    "table_footnote": "footnote",
    "isolate_formula": "formula",
    "formula_caption": "text",
}
STRIKE_FORMAT = {"formatting": {"strikethrough": True}}
_Item = dict[str, Any]


def to_docling(document: Document) -> str:
    """UTF-8 JSON that docling-core reads as a DoclingDocument."""
    return json.dumps(docling(document), ensure_ascii=False, separators=(",", ":"))


def docling(
    document: Document,
    *,
    name: str | None = None,
    pictures: Mapping[str, _Item] | None = None,
    origin: _Item | None = None,
) -> _Item:
    """The same as values; named `name`, with the ImageRefs of figures by `documents.exports.text_blocks.figures`, and
    with the DocumentOrigin of its file.
    """
    written = _Writer(with_marks(document), pictures or {}).written(
        name or document.metadata.get("title") or document.id
    )
    return written if origin is None else written | {"origin": origin}


class _Writer:
    """Holds the items written so far; a reference is the kind and number of an item."""

    def __init__(self, document: Document, pictures: Mapping[str, _Item]) -> None:
        self._document = document
        self._images = {id(region): pictures.get(name) for name, _, region in figures(document)}
        self._items: dict[str, list[_Item]] = {
            "texts": [],
            "tables": [],
            "pictures": [],
            "groups": [],
            "key_value_items": [],
        }
        self._body: list[_Item] = []
        self._facts: dict[str, _Item] = {}  # by the reference of the item
        self._last_facts: tuple[Region, RegionFacts] | None = None  # of the region whose items are being written
        self._lists: list[tuple[int, _Item, _Item]] = []  # the groups that are open: level, group, its last item

    def written(self, name: str) -> _Item:
        for page in self._document.pages:
            self._lists.clear()  # docling-core misplaces the page's break in a list that goes on over it
            captions = _captions(page)
            written_with_others = {id(caption) for group in captions.values() for caption in group}
            for region in page.regions:
                if id(region) not in written_with_others:
                    self._add(page, region, captions[region.order])
            self._add_beside(page)
        return {
            "schema_name": "DoclingDocument",
            "version": SCHEMA_VERSION,
            "name": name,
            "furniture": root_of("furniture", []) | meta_of(self._facts),
            "body": root_of("body", self._body),
            **self._items,
            "form_items": [],
            "pages": {str(page.number): page_of(page) for page in self._document.pages if page.size != (0, 0)},
        }

    def _add(self, page: Page, region: Region, captions: Sequence[Region]) -> None:
        table = table_in(region)
        if isinstance(region, FigureRegion) or table is not None:
            self._lists.clear()
            item: _Item = {"captions": [], "footnotes": []}
            if table is not None:
                whole = self._append("tables", page, region, {"label": "table", **item})
                whole["data"] = self._table(page, region, table, whole)
            else:
                image = self._images.get(id(region))
                item |= {"image": image} if image is not None else {}
                whole = self._append("pictures", page, region, {"label": "picture", "annotations": [], **item})
            for caption in captions:
                text = self._plain(page, caption, words_of(caption), parent=whole)
                whole["footnotes" if caption.kind == "table_footnote" else "captions"].append(
                    {"$ref": text["self_ref"]}
                )
        elif isinstance(region, TextRegion) and region.items:
            self._listed(page, region)
        elif region.text.strip():
            is_code = isinstance(region, TextRegion) and region.code
            for words in [words_of(region)] if is_code else parts_of(region, "\n\n"):
                self._plain(page, region, words)

    def _add_beside(self, page: Page) -> None:
        """What no export of docling writes by default: fields of a form, whose values the texts have, and comments."""
        for kind, item in (*key_values(page), *comment_items(page)):
            name = f"#/{kind}/{len(self._items[kind])}"
            self._items[kind].append({"self_ref": name, "parent": {"$ref": "#/body"}, "children": [], **item})
            self._body.append({"$ref": name})

    def _listed(self, page: Page, region: TextRegion) -> None:
        """A text with items of lists; what stands between these is paragraphs."""
        items = {item.line: item for item in region.items}
        for k, line in enumerate(parts_of(region, "\n")):
            if k in items:
                self._list_item(page, region, items[k], line)
            elif line.text:
                self._plain(page, region, line)

    def _plain(self, page: Page, region: Region, words: Words, *, parent: _Item | None = None) -> _Item:
        self._lists.clear()
        item: _Item = {"label": LABELS.get(region.kind, "text"), "orig": words.text}
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
        return self._text(page, region, item, words, parent)

    def _text(self, page: Page, region: Region, item: _Item, words: Words, parent: _Item | None) -> _Item:
        """A text, of which the format can say that all of it is struck out; else its parts are a group in or for it."""
        runs = [run for line in lines_of(words.text, (), words.struck) for run in line if run.text.strip()]
        is_all = bool(runs) and all(run.struck for run in runs)
        if is_all or not words.struck or item["label"] not in ("text", "list_item", "section_header"):
            text = words.text if is_all else struck_text(words.text, words.struck)
            item |= {"text": text} | (STRIKE_FORMAT if is_all else {})
            return self._append("texts", page, region, item, words, parent=parent)
        if item["label"] == "text":
            return self._inline(page, region, runs, words, parent)
        whole = self._append("texts", page, region, item | {"text": ""}, words, parent=parent)
        self._inline(page, region, runs, words, whole)
        return whole

    def _inline(
        self, page: Page, region: Region, runs: Sequence[Run], words: Words | None, parent: _Item | None
    ) -> _Item:
        """A group of what is struck out of `words` and what is not."""
        group = {"label": "inline", "name": "inline"}
        whole = self._append("groups", page, region, group, parent=parent, place=False)
        for run in runs:
            item = {"label": "text", "orig": run.text, "text": run.text.strip()} | (STRIKE_FORMAT if run.struck else {})
            self._append("texts", page, region, item, words, parent=whole)
        return whole

    def _list_item(self, page: Page, region: Region, list_entry: ListItem, line: Words) -> None:
        self._lists = [one for one in self._lists if one[0] <= list_entry.level]
        if not self._lists or self._lists[-1][0] < list_entry.level:
            above = self._lists[-1][2] if self._lists else None
            group = self._append("groups", page, region, {"label": "list", "name": "list"}, parent=above, place=False)
        else:
            group = self._lists.pop()[1]
        item = {
            "label": "list_item",
            "orig": line.text,
            "marker": list_entry.marker,
            "enumerated": is_number(list_entry.marker),
        }
        words = line.from_character(len(line.text) - len(line.text.removeprefix(list_entry.marker).lstrip()))
        self._lists.append((list_entry.level, group, self._text(page, region, item, words, group)))

    def _table(self, page: Page, region: Region, table: Table, whole: _Item) -> _Item:
        cells: list[_Item] = []
        for cell in table.cells:
            cells.append(cell_of(cell, table))
            if cell.struck:  # its text is that of a group
                runs = on_one_line(lines_of(cell.text, (), cell.struck))
                cells[-1]["ref"] = {"$ref": self._inline(page, region, runs, None, whole)["self_ref"]}
        return {"table_cells": cells, "num_rows": table.num_rows, "num_cols": table.num_columns}

    def _append(
        self,
        kind: str,
        page: Page,
        region: Region,
        item: _Item,
        words: Words | None = None,
        *,
        parent: _Item | None = None,
        place: bool = True,
    ) -> _Item:
        """Write an item that holds these words of the region, or all of it."""
        name = f"#/{kind}/{len(self._items[kind])}"
        whole = {
            "self_ref": name,
            "parent": {"$ref": parent["self_ref"] if parent else "#/body"},
            "children": [],
            "content_layer": "body",
            **item,
        }
        start, end = (0, len(region.text)) if words is None else (words.start, words.end)
        if kind != "groups" and (facts := self._facts_of(region).within(start, end)):
            self._facts[name] = facts
        if place and region.box != NO_BOX:
            length = len(item.get("orig", ""))
            whole["prov"] = [{"page_no": page.number, "bbox": docling_box(region.box), "charspan": [0, length]}]
        self._items[kind].append(whole)
        (parent["children"] if parent else self._body).append({"$ref": name})
        return whole

    def _facts_of(self, region: Region) -> RegionFacts:
        if self._last_facts is None or self._last_facts[0] is not region:
            self._last_facts = region, RegionFacts(region)
        return self._last_facts[1]


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
