"""The value Chunk: a text with its headings and the page, box and region of each of its parts."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Literal, TypeAlias

from documents.boxes import BoundingBox, Value
from documents.places import Place
from documents.region_values import RegionKind

NUM_DIGEST_BYTES = 10  # of the digest in a chunk's id
ChunkKind: TypeAlias = RegionKind | Literal["comment"]  # of most of its text


class ChunkSpan(Value):
    """One line, or its part, inside a chunk: `text[text_start:text_end]` stands in `box` of `page`, or at `place`.

    At least one of both is known: the box of what is printed or shown on a slide, the place of what an author wrote.
    """

    page: int  # counts from 1
    box: BoundingBox | None
    place: Place | None = None
    text_start: int
    text_end: int


class Chunk(Value):
    """A unit of retrieval; outside its spans the text holds nothing but line breaks, and " | " between the
    cells of a table's row.

    `num_tokens` is what `embedding_text` costs; `heading_path` is cut from the left where it would cost too much.
    """

    id: str
    text: str
    heading_path: tuple[str, ...]
    spans: tuple[ChunkSpan, ...]
    num_tokens: int
    kind: ChunkKind

    @property
    def embedding_text(self) -> str:
        """What is embedded: the text under its headings, which no citation quotes."""
        return heading_prefix(self.heading_path) + self.text

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that the chunk stands on, in order; of a table that of its rows, whatever header is said again."""
        spans = self.spans[-1:] if self.kind == "table" else self.spans
        return tuple(dict.fromkeys(span.page for span in spans))


def heading_prefix(heading_path: tuple[str, ...]) -> str:
    return " > ".join(heading_path) + "\n" if heading_path else ""


class ChunkIds:
    """Gives the chunks of one document their ids: each stays while the chunk's text and headings do, wherever it moves.

    An id is a digest of them, with a number where they repeat; the index has the chunk's place as its key.
    """

    def __init__(self, document_id: str, of: Literal["text", "comments"] = "text") -> None:
        self._document_id = document_id
        self._of = of
        self._counts = Counter[str]()

    def next(self, heading_path: tuple[str, ...], text: str) -> str:
        """The id of the chunk that comes now."""
        content = f"{self._of}\n{heading_prefix(heading_path)}{text}"
        digest = hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=NUM_DIGEST_BYTES).hexdigest()
        self._counts[digest] += 1
        repeat = f"-{self._counts[digest]}" if self._counts[digest] > 1 else ""
        return f"{self._document_id}:{digest}{repeat}"
