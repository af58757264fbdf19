"""A drawn line as the server would cut it out of a page."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from training.ocr.cutting import USUAL, as_cut

SIZE = 20


def drawn(text: str, paper: int = 200, ink: int = 40) -> np.ndarray:
    sheet = Image.new("L", (220, 34), paper)
    draw = ImageDraw.Draw(sheet)
    draw.text((30, 5), text, fill=ink, font=ImageFont.load_default(SIZE))
    return np.asarray(sheet)


def test_its_ink_alone_is_left_on_white_and_its_place_is_known():
    """What is learnt of grey paper is of no use: the server gives none."""
    line = drawn("Invoice")
    result = as_cut(line, SIZE, line < 128)
    assert result is not None
    picture, left, zoom = result
    assert zoom == USUAL / SIZE
    assert picture[0].min() == 255
    assert picture.min() == 0
    start = np.flatnonzero((line < 128).any(axis=0))[0]
    assert abs(start * zoom - left - np.flatnonzero((picture < 128).any(axis=0))[0]) <= 2


def test_a_rule_beside_it_is_gone():
    line = drawn("Invoice").copy()
    clean = line < 128
    line[32:34] = 40
    result = as_cut(line, SIZE, clean)
    assert result is not None
    assert result[0].shape[0] < 0.85 * 34 * result[2]


def test_a_line_of_which_too_little_is_left_is_not_cut():
    """Its text would be taught of paper."""
    line = drawn("Invoice")
    faint = line.copy()
    faint[:, 70:] = 200
    assert as_cut(faint, SIZE, line < 128) is None
    assert as_cut(np.full_like(line, 200), SIZE, line < 128) is None
