"""How the coverage of real pages is counted."""

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from documents.layout.doclayout.detector import Detector
from training.layout.coverage import centres, coverage

ROOT = Path(__file__).parents[3]


def test_gathering_leaves_no_character_without_a_region():
    """A detector that finds nothing covers nothing; gathering finds all of it."""
    blind = Detector(
        ROOT / "checkpoints" / "layout-compact", class_confidence=dict.fromkeys(("title", "plain text"), 1.0)
    )
    detected, gathered, as_figure, total = coverage(blind, ROOT / "tests" / "data" / "columns.pdf")
    assert detected < total == gathered
    assert 0 <= as_figure <= detected


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_characters_are_where_the_upright_page_shows_them(rotation):
    """Characters told before the page's rotation would be sought in the wrong place."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=200, height=400)
        page.insert_text((20, 30), "a b", fontsize=10)
        page.set_rotation(rotation)
        x, y = centres(page)
        assert x.shape == y.shape == (2, 1)
        drawing = page.get_pixmap()
        ink = np.argwhere(
            np.frombuffer(drawing.samples, np.uint8).reshape(drawing.height, drawing.width, 3).min(2) < 128
        )
        assert np.abs(ink.mean(0) - (y.mean(), x.mean())).max() < 4
