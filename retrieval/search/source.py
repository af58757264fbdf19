"""How a document is called in search results: file name, title, and page labels."""

from __future__ import annotations

from collections.abc import Sequence

from documents.exports.marked_digits import marked_region
from documents.region_values import Region, TitleRegion
from documents.values import Document
from retrieval.search.passage import DocumentSource

MAX_TITLE_CHARACTERS = 200


def source_of(document: Document, file_name: str, page_labels: Sequence[str] = ()) -> DocumentSource:
    """`page_labels` are the file's own, one per page; pages with a name (sheets, slides) are called by it."""
    labels = {number: label for number, label in enumerate(page_labels, 1) if label and label != str(number)}
    names = {page.number: page.name for page in document.pages if page.name}
    return DocumentSource(file_name=file_name or None, title=title_of(document), page_labels=labels | names)


def title_of(document: Document) -> str | None:
    """The first title of the highest level that the first page prints, else the one that the file names."""
    titles = (
        [marked_region(region) for region in document.pages[0].regions if isinstance(region, TitleRegion)]
        if document.pages
        else []
    )
    highest = min((_level(region) for region in titles), default=1)
    printed = (" ".join(region.text.split()) for region in titles if _level(region) == highest)
    title = next(filter(None, printed), "") or " ".join(document.metadata.get("title", "").split())
    return title[:MAX_TITLE_CHARACTERS] or None


def _level(region: Region) -> int:
    return region.level or 1 if isinstance(region, TitleRegion) else 1
