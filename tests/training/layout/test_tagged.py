"""Tagged pages as training pages: the truth is a tagged PDF written object by object."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from tagged_making import Mark, tag, tagged_pdf

from training.layout.classes import ABANDON, FIGURE, TABLE, TEXT, TITLE
from training.layout.tagged import labelled_page, labelled_pages
from training.layout.training_pages import read_pages, write_page

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


def regions(page):
    """Class and box in points of each region, from the top."""
    scale = 1120 / 792
    return {int(row[0]): tuple(round(float(edge) / scale) for edge in row[1:]) for row in page.rows}


def test_each_block_of_the_tree_is_a_region_of_its_kind(path):
    """The list's items nearly touch: they are one region, as on drawn pages."""
    (page,) = labelled_pages(path)
    assert [int(cls) for cls in page.rows[:, 0]] == [TITLE, TEXT, TABLE, TEXT, FIGURE, ABANDON]
    boxes = regions(page)
    assert boxes[FIGURE] == pytest.approx((60, 500, 400, 600), abs=3)
    assert boxes[TABLE] == pytest.approx((60, 292, 326, 321), abs=4)
    assert boxes[ABANDON][1] == pytest.approx(762, abs=4)


def test_a_page_whose_tree_lacks_text_is_no_truth(tmp_path):
    """Text that nobody labelled would teach the network not to see it."""
    made = tagged_pdf(TREE, MARKS, artifacts=[Mark(PROSE, y=460)], pictures=[PICTURE])
    with pymupdf.open("pdf", made) as document:
        assert labelled_page(document[0]) is None


def test_pages_that_were_written_are_read_again(path, tmp_path):
    (page,) = labelled_pages(path)
    write_page(tmp_path / "0", page)
    (again,) = read_pages(tmp_path)
    assert np.array_equal(again.jpeg, page.jpeg)
    assert again.rows == pytest.approx(page.rows, abs=0.06)
    assert again.wide is page.wide is False
