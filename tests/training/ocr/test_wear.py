"""Wear spoils a line and leaves it where it is."""

import random

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from documents.ocr_input.strip_folding import levels
from training.ocr import paper_wear, wear

WEARS = (wear.office, wear.inverse, wear.fax, wear.photographed, wear.uneven, wear.worn)
PAPER = (
    paper_wear.form,
    paper_wear.thermal,
    paper_wear.dot_matrix,
    paper_wear.typed,
    paper_wear.carbon,
    paper_wear.book,
)


@pytest.fixture(scope="module")
def line():
    sheet = Image.new("L", (300, 34), 255)
    ImageDraw.Draw(sheet).text((6, 3), "Worn but legible", font=ImageFont.load_default(24), fill=0)
    return np.asarray(sheet)


@pytest.mark.parametrize("spoil", WEARS, ids=lambda spoil: spoil.__name__)
def test_a_spoilt_line_keeps_its_shape_and_most_of_its_ink(spoil, line):
    """Letters that have moved no longer stand where the places say, and letters that are gone cannot be read."""
    ink = line < 128
    for seed in range(12):
        spoilt = spoil(line, 24, random.Random(seed), np.random.default_rng(seed))
        assert spoilt.shape == line.shape
        assert spoilt.dtype == np.uint8
        visited = levels(spoilt).astype(float)
        assert visited[ink].mean() < visited[~ink].mean() - 25


@pytest.mark.parametrize("spoil", PAPER, ids=lambda spoil: spoil.__name__)
def test_paper_keeps_a_lines_shape_and_the_places_of_its_letters(spoil, line):
    """Some prints fade completely, and callers draw them again; in the others the remaining ink keeps its position."""
    ink, visited = line < 128, []
    for seed in range(24):
        spoilt = spoil(line, 24, random.Random(seed), np.random.default_rng(seed))
        assert spoilt.shape == line.shape
        assert spoilt.dtype == np.uint8
        levelled = levels(spoilt).astype(float)
        visited.append(levelled[~ink].mean() - levelled[ink].mean())
    assert np.median(visited) > 70


def test_a_matrix_printer_leaves_paper_between_its_dots(line):
    """Without the gaps it is a bold face, which is read already."""
    solid = np.zeros((40, 200), np.uint8)
    shares = [
        (paper_wear.dot_matrix(solid, 24, random.Random(seed), np.random.default_rng(seed)) > 200).mean()
        for seed in range(12)
    ]
    assert max(shares) > 0.1


def test_inverse_letters_are_lighter_than_their_ground(line):
    spoilt = wear.inverse(line, 24, random.Random(0), np.random.default_rng(0))
    assert spoilt[line < 128].mean() > spoilt[line >= 128].mean() + 50
