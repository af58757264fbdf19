"""Decides which page to open for a passage: the one with the query's words, else with most of its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.chunking.chunk import ChunkKind
from retrieval.index.fulltext_terms import words_of


def page_of(kind: ChunkKind, text: str, spans: Sequence[Mapping[str, Any]], query: str = "") -> int:
    """The page of a chunk whose lines stand in `spans`; of a table that of its rows, whatever header is said again."""
    pages = dict.fromkeys(span["page"] for span in spans)
    if kind == "table" or len(pages) == 1:
        return spans[-1]["page"]
    parts = {
        page: "\n".join(text[span["text_start"] : span["text_end"]] for span in spans if span["page"] == page)
        for page in pages
    }
    query_words = words_of(query)
    return max(parts, key=lambda page: (len(query_words & words_of(parts[page])), len(parts[page])))
