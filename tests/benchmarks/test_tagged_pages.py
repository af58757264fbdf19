"""Tagged pages as training pages: the truth is a tagged PDF written object by object."""

from __future__ import annotations

import pymupdf
import pytest

from benchmarks.tagged_pages import labelled_page, labelled_pages, write_page
from tests.documents.tagged_making import Mark, tag, tagged_pdf
from training.layout.training_pages import read_pages

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave."
MARKS = [
    Mark("Harbour dues", y=80, size=16),
    *(Mark(PROSE, y=110 + 14 * k) for k in range(5)),
    Mark("Boat", x=60, y=300),
    Mark("Dues", x=300, y=300),
    Mark("Skiff", x=60, y=320),
    Mark("12.50", x=300, y=320),
    Mark("a first item", x=80, y=400),
    Mark("a second one", x=80, y=414),
]
ROWS = [tag("TR", *(tag("TD", 6 + 2 * row + column) for column in range(2))) for row in range(2)]
TREE = tag(
    "Document",
    tag("H1", 0),
    tag("P", 1, 2, 3, 4, 5),
    tag("Table", *ROWS),
    tag("L", tag("LI", 10), tag("LI", 11)),
    tag("Figure", 12),
)
PICTURE = (12, 60, 500, 400, 600)


@pytest.fixture
def path(tmp_path):
    made = tagged_pdf(TREE, MARKS, artifacts=[Mark("Page 4", y=770)], pictures=[PICTURE])
    (tmp_path / "a.pdf").write_bytes(made)
    return tmp_path / "a.pdf"


def test_each_block_of_the_tree_is_a_region_of_its_kind(path):
    """The list's items nearly touch: they are one region, as on drawn pages."""
    (page,) = labelled_pages(path)
    kinds = [kind for kind, _ in page.regions]
    assert kinds == ["title", "plain text", "table", "plain text", "figure", "abandon"]
    boxes = {kind: tuple(edge * 792 / 1120 for edge in box) for kind, box in page.regions}
    assert boxes["figure"] == pytest.approx((60, 500, 400, 600), abs=3)
    assert boxes["table"] == pytest.approx((60, 292, 326, 321), abs=4)
    assert boxes["abandon"][1] == pytest.approx(762, abs=4)


def test_a_page_whose_tree_lacks_text_is_no_truth(tmp_path):
    """Text that nobody labelled would teach the network not to see it."""
    made = tagged_pdf(TREE, MARKS, artifacts=[Mark(PROSE, y=460)], pictures=[PICTURE])
    with pymupdf.open("pdf", made) as document:
        assert labelled_page(document[0]) is None


def test_training_reads_the_pages_that_were_written(path, tmp_path):
    (page,) = labelled_pages(path)
    write_page(tmp_path / "0", page)
    (again,) = read_pages(tmp_path)
    assert again.jpeg.tobytes() == page.jpeg
    assert [tuple(row) for row in again.rows[:, 1:].tolist()] == [pytest.approx(box) for _, box in page.regions]
    assert [int(row[0]) for row in again.rows] == [0, 1, 5, 1, 3, 2]
    assert again.wide is False
