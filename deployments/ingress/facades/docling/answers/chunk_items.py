"""The chunks of a converted document: with their pages, boxes and items, and as docling-core's own DocChunk."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from deployments.ingress.facades.docling.answers.origin import origin_of
from deployments.ingress.facades.docling.response_models import ChunkItem
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.operations.conversions import Converted, file_name
from documents.boxes import BoundingBox
from documents.exports.docling_json.docling_document import docling
from documents.exports.docling_json.item_facts import facts_in
from documents.places import place_fields
from retrieval.chunking.chunk import Chunk
from retrieval.chunking.chunk_size import TokenCounter
from retrieval.chunking.chunker import chunk

SCHEMA_FIELDS = {"schema_name": "docling_core.transforms.chunker.DocMeta", "version": "1.0.0"}
ITEM_FIELDS = ("self_ref", "parent", "children", "content_layer", "label", "prov")  # a DocItem has no further ones
CELL_STEPS = re.compile(r"/tr\[[0-9]+\]/tc\[[0-9]+\]$")  # the last steps of a cell's path
_Item = dict[str, Any]


def chunk_items(converted: Converted, form: ResponseFormat, counter: TokenCounter) -> Iterator[ChunkItem]:
    """The chunks of a document; the hierarchical form has one for each of its parts, whatever their size."""
    document = converted.document
    if document is None:
        return
    budget = counter.max_tokens if form.max_tokens is None else form.max_tokens
    items = _Items(docling(document))
    for k, piece in enumerate(chunk(document, counter, budget, merge=form.merge and form.kind != "hierarchical")):
        refs = items.of(piece)
        headings = list(piece.heading_path) or None
        yield ChunkItem(
            filename=file_name(converted.job),
            chunk_index=k,
            text=_under_headings(piece),
            raw_text=piece.text if form.raw_text else None,
            num_tokens=piece.num_tokens,
            headings=headings,
            doc_items=refs,
            page_numbers=list(piece.pages),
            metadata={"kind": piece.kind, "boxes": _boxes(piece), **_written_places(piece)},
            meta=items.meta(refs, headings, origin_of(converted)),
        )


class _Items:
    """The items of a document in docling's JSON, by where they stand."""

    def __init__(self, document: _Item) -> None:
        self._items: dict[str, _Item] = {item["self_ref"]: item for item in (*document["texts"], *document["tables"])}
        self._facts = facts_in(document)
        self._boxes = _boxes_by_page(self._items)
        self._refs_by_place: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)  # of places without a box
        for ref, facts in self._facts.items():
            if "place" in facts and ref in self._items:
                self._refs_by_place[_place_key(facts["place"])].append(ref)

    def of(self, one: Chunk) -> list[str]:
        """Those that hold the chunk's lines: of each line the smallest box around its middle, and its equals.

        A line without a box has the items of the same place; in a sheet these are all of its tables.
        """
        refs: dict[str, None] = {}
        for span in one.spans:
            if span.box is None and span.place is not None:
                refs |= dict.fromkeys(self._refs_by_place.get(_place_key(place_fields(span.place)), ()))
            if span.box is None:
                continue
            around = [(box, ref) for box, ref in self._boxes.get(span.page, []) if box.contains(*span.box.center)]
            refs |= {ref: None for box, ref in around if box == around[0][0]}
        return list(refs)

    def meta(self, refs: list[str], headings: list[str] | None, origin: _Item | None) -> _Item | None:
        """A DocMeta of docling-core, which needs an item; OCR's confidence is in the `meta` of each."""
        if not refs:
            return None
        return {**SCHEMA_FIELDS, "doc_items": list(map(self._doc_item, refs)), "headings": headings, "origin": origin}

    def _doc_item(self, ref: str) -> _Item:
        fields = {name: value for name, value in self._items[ref].items() if name in ITEM_FIELDS}
        facts = {f"pagemill__{name}": value for name, value in self._facts.get(ref, {}).items()}
        return fields | ({"meta": facts} if facts else {})


def _place_key(place: Mapping[str, Any]) -> tuple[str, ...]:
    """What a table and its cells, a paragraph and its lines have in common."""
    path = CELL_STEPS.sub("", place.get("path", ""))
    names = ("kind", "inside", "file", "part", "sheet", "slide", "shape_id", "first", "last")
    return (path, *(str(place.get(name, "")) for name in names))


def _boxes_by_page(items: Mapping[str, _Item]) -> dict[int, list[tuple[BoundingBox, str]]]:
    """By page the boxes of all items with their names, the smallest first."""
    boxes_by_page: dict[int, list[tuple[BoundingBox, str]]] = {}
    for ref, item in items.items():
        for place in item.get("prov", ()):
            edges = place["bbox"]
            box = BoundingBox(x0=edges["l"], y0=edges["t"], x1=edges["r"], y1=edges["b"])
            boxes_by_page.setdefault(place["page_no"], []).append((box, ref))
    return {page: sorted(boxes, key=lambda one: one[0].area) for page, boxes in boxes_by_page.items()}


def _under_headings(one: Chunk) -> str:
    """The text below its headings, of which the last is often its first line."""
    path = one.heading_path
    above = path[:-1] if path and one.text.startswith(path[-1]) else path
    return "\n".join((*above, one.text))


def _boxes(one: Chunk) -> list[_Item]:
    """Where the chunk stands, a box a page: points from the top left corner."""
    by_page: dict[int, list[BoundingBox]] = {}
    for span in one.spans:
        if span.box is not None:
            by_page.setdefault(span.page, []).append(span.box)
    return [{"page": page, **BoundingBox.around(boxes).model_dump()} for page, boxes in by_page.items()]


def _written_places(one: Chunk) -> _Item:
    """Where its author wrote it, each place once."""
    places = [place_fields(span.place) for span in one.spans if span.place is not None]
    return {"places": [place for k, place in enumerate(places) if place not in places[:k]]} if places else {}
