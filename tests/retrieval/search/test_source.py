"""What documents are called."""

import pytest

from documents.boxes import BoundingBox
from documents.region_values import TitleRegion
from documents.values import Document, Page
from retrieval.search.source import source_of

BOX = BoundingBox(x0=0, y0=0, x1=9, y1=9)


def document(*regions, metadata=None, name=""):
    page = Page(number=1, size=(100, 100), regions=regions, name=name)
    return Document(id="doc", revision=1, pages=(page,), metadata=metadata or {})


def title(text, level=1):
    return TitleRegion(kind="title", box=BOX, score=1.0, text=text, level=level)


@pytest.mark.parametrize(
    ("regions", "metadata", "expected"),
    [
        ((title("Part", 2), title("Harbour\nRules"), title("Night")), {"title": "draft.doc"}, "Harbour Rules"),
        ((), {"title": "Harbour Rules"}, "Harbour Rules"),
        ((), {}, None),
    ],
)
def test_the_printed_title_stands_before_the_one_of_the_file(regions, metadata, expected):
    """Word writes the name of its template into the file's own title."""
    assert source_of(document(*regions, metadata=metadata), "a.pdf").title == expected


def test_a_page_is_called_as_the_file_calls_it():
    """A sheet has a name; a label that is the page's number says nothing."""
    assert source_of(document(), "a.pdf", ("i", "2", "")).page_labels == {1: "i"}
    assert source_of(document(name="Fees"), "a.xlsx").page_labels == {1: "Fees"}
