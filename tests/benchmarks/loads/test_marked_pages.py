"""`benchmarks.loads.marked_pages`: pdfium draws the words where the marks say, and each mark has words of its own."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

from benchmarks.loads.marked_pages import Mark, marked_pages

SCALE = 4  # pixels per point
TOLERANCE = 2.5  # points: a line without tall letters at an edge leaves room


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def marks(folder: Path) -> list[Mark]:
    return marked_pages(folder)


def test_forty_pages_are_drawn_and_no_word_is_printed_twice(marks: list[Mark], folder: Path) -> None:
    """Else a unit would carry the words of two marks."""
    assert sum(len(pdfium.PdfDocument(file)) for file in folder.glob("*.pdf")) == 40
    assert len({(mark.file, mark.page) for mark in marks}) == 40
    assert set(Counter(itertools.chain.from_iterable(mark.words for mark in marks)).values()) == {1}


def test_the_boxes_are_around_the_ink_that_pdfium_draws(marks: list[Mark], folder: Path) -> None:
    """Guards against a mapping of turned and cropped pages that is wrong in the same way as ours."""
    for name in ("upright.pdf", "turned.pdf", "cropped.pdf", "columns.pdf", "scans.pdf"):
        document = pdfium.PdfDocument(folder / name)
        for number, page in enumerate(document, 1):
            picture = page.render(scale=SCALE, grayscale=True).to_numpy().squeeze()
            boxes = [mark.box for mark in marks if (mark.file, mark.page) == (name, number)]
            remaining = picture.copy()
            for box in boxes:
                ink = _ink(picture, box)
                assert ink == pytest.approx(box, abs=TOLERANCE), (name, number)
                x0, y0, x1, y1 = _pixels(box)
                remaining[y0:y1, x0:x1] = 255
            assert remaining.min() > 128, "all ink is in the boxes"


def test_a_table_has_its_rules_and_its_words(marks: list[Mark]) -> None:
    tables = [mark for mark in marks if mark.frame is not None]
    assert len(tables) == 4
    for mark in tables:
        assert mark.frame is not None
        assert mark.frame[0] < mark.box[0] < mark.box[2] < mark.frame[2]
        assert mark.frame[1] < mark.box[1] < mark.box[3] < mark.frame[3]


def _ink(picture: np.ndarray, box: tuple[float, ...]) -> tuple[float, ...]:
    x0, y0, x1, y1 = _pixels(box)
    rows, columns = np.nonzero(picture[y0:y1, x0:x1] < 128)
    left, top, right, bottom = columns.min() + x0, rows.min() + y0, columns.max() + x0 + 1, rows.max() + y0 + 1
    return left / SCALE, top / SCALE, right / SCALE, bottom / SCALE


def _pixels(box: tuple[float, ...]) -> tuple[int, int, int, int]:
    """With half a line around."""
    x0, y0, x1, y1 = box
    return int((x0 - 6) * SCALE), int((y0 - 6) * SCALE), int((x1 + 6) * SCALE), int((y1 + 6) * SCALE)
