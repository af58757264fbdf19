"""Lines and boxes about a strip's letters."""

import random

import numpy as np
from PIL import Image, ImageDraw

from training.ocr.surroundings import surround

BOX = (60, 60, 260, 90)


def drawn(around, seed):
    sheet = Image.new("L", (340, 160), 255)
    reach = surround(ImageDraw.Draw(sheet), around, BOX, 84, 0, random.Random(seed))
    return np.asarray(sheet), reach


def test_a_line_to_write_on_is_within_what_is_cut_out():
    """A reach that is too short cuts the line off, and a strip with one below it is never seen in training."""
    below = 0
    for seed in range(60):
        sheet, (up, down) = drawn("form", seed)
        across = np.flatnonzero((sheet[:, 60:260] < 128).mean(axis=1) > 0.3)
        assert all(BOX[1] - up <= row < BOX[3] + down + 4 for row in across.tolist())
        below += down > 0
    assert 5 < below < 40  # some have one, some have none


def test_nothing_reaches_beyond_letters_that_stand_alone():
    for around in ("nothing", "line", "rules"):
        assert {drawn(around, seed)[1] for seed in range(8)} == {(0, 0)}
