"""Writes the comments on a page as texts in the notes layer of a DoclingDocument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from documents.exports.docling_json.key_values import docling_box
from documents.values import Page


def comment_items(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
    """A text for each comment, of what was written, else of the words that it marks; who and when are in its `meta`."""
    for annotation in page.annotations:
        text = annotation.text or annotation.words
        if not text:
            continue
        facts = annotation.model_dump(mode="json", include={"kind", "author", "date", "words"})
        prov = {"page_no": page.number, "bbox": docling_box(annotation.box), "charspan": [0, len(text)]}
        yield (
            "texts",
            {
                "label": "text",
                "orig": text,
                "text": text,
                "content_layer": "notes",
                "meta": {"pagemill__comment": facts},
                "prov": [prov] if annotation.place is None else [],
            },
        )
