"""Passages that need no index."""

from documents.boxes import BoundingBox
from retrieval.search.passage import Passage, PassageBox, Scores


def passage_of(text, number=0, *, cosine=0.8, document_id="rules", headings=("Harbour", "Night")):
    """The chunk of that number of a document, which stands on the page after it."""
    return Passage(
        chunk_id=f"{document_id}:{number:06d}",
        ordinal=number,
        document_id=document_id,
        revision=1,
        text=text,
        page=number + 1,
        boxes=(PassageBox(page=number + 1, box=BoundingBox(x0=72, y0=90, x1=300, y1=110)),),
        heading_path=headings,
        kind="plain text",
        score=0.5,
        scores=Scores(vector=cosine),
    )
