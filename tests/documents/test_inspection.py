"""Ink survives its packing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from page_making import inspection, line

from documents.inspection import InkGrid, Inspection


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_cells_come_back_as_they_were(rows, columns, seed):
    """Guards against a grid of ink that is shifted by its packing."""
    cells = np.random.default_rng(seed).random((rows, columns)) > 0.5
    assert (InkGrid.of(cells, 4.0).cells() == cells).all()


def test_an_inspection_travels_as_json():
    """Guards against evidence that is lost between child and parent."""
    page = inspection(line("a line"))
    assert Inspection.model_validate_json(page.model_dump_json()) == page
