"""The value Passage: a chunk found by a query, with what a citation of it needs."""

from __future__ import annotations

from pydantic import Field

from documents.boxes import BoundingBox, Value
from documents.places import Place
from retrieval.chunking.chunk import ChunkKind


class PassageBox(Value):
    """Where a line of the passage stands: in a box of the page, at a place, or both on slides."""

    page: int  # counts from 1
    box: BoundingBox | None
    place: Place | None = None


class DocumentSource(Value):
    """What a person knows a document by; None, or no label, where the file does not say."""

    file_name: str | None = None
    title: str | None = None
    page_labels: dict[int, str] = Field(default={})  # of pages that the file calls otherwise than by their number


class Highlight(Value):
    """The sentence of a passage, or the row of a table, that holds most of the query."""

    text: str
    text_start: int  # `text` is `passage.text[text_start:text_end]`
    text_end: int
    page: int  # on which it begins, from 1
    boxes: tuple[PassageBox, ...]  # of its lines
    terms: tuple[str, ...]  # its words that the query has, too, or forms of them, as they are printed


class Scores(Value):
    """What each search said of a passage; None: that search did not find it, or was not made."""

    vector: float | None = None  # cosine of query and passage
    full_text: float | None = None  # BM25
    fused: float | None = None  # reciprocal rank fusion


class StoredChunk(Value):
    """A chunk as the index keeps it."""

    chunk_id: str
    ordinal: int  # of the chunk in its document, from 0
    document_id: str
    revision: int
    text: str
    page: int = Field(description="where the words of the query stand, or most of the text")
    boxes: tuple[PassageBox, ...]
    heading_path: tuple[str, ...]
    kind: ChunkKind
    file_name: str | None = Field(default=None, description="under which the document was uploaded last")
    title: str | None = Field(default=None, description="that the document prints on its first page, or its file names")
    page_label: str | None = Field(default=None, description="what the file calls the page, if not its number: `xii`")
    metadata: dict[str, str] = Field(default={})


class Passage(StoredChunk):
    """One hit; scores compare only within one answer."""

    score: float = Field(
        description="of `scores`, the one that orders this answer: it says which passage is better, not how good one is"
    )
    scores: Scores
    highlight: Highlight | None = Field(default=None, description="null where no sentence has a word of the query")
    before: tuple[StoredChunk, ...] = ()  # neighbours in the document, in its order
    after: tuple[StoredChunk, ...] = ()


class IndexedDocument(Value):
    """A document that search knows."""

    document_id: str
    revision: int
    num_chunks: int
    num_embedded: int  # chunks that have a vector
    metadata: dict[str, str] = Field(default={})
