"""`documents.straighten.uneven_light`: paper under one lamp."""

import numpy as np
from drawn_text import sheet_of_text, under_lamp

from documents.straighten.uneven_light import evened, is_uneven, paper_light


def test_paper_under_a_lamp_is_made_even() -> None:
    """Guards against one threshold for a page that is dark on one side."""
    dim = under_lamp(sheet_of_text(), 0.4)
    light = paper_light(dim[:, :, 0].copy())
    assert is_uneven(light)
    paper = np.percentile(evened(dim, light)[:, :, 0].reshape(1200, 9, 100), 90, axis=(0, 2))
    assert paper.max() < 1.1 * paper.min()


def test_even_paper_with_a_dark_field_is_left_as_it_is() -> None:
    """Guards against a shaded box that is bleached as if it were shadow."""
    page = sheet_of_text().copy()
    page[100:400, 500:850] = 120
    assert not is_uneven(paper_light(page[:, :, 0].copy()))
