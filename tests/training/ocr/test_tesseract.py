"""The second reader."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from documents.ocr_input.line_strips import cut, fold, square
from training.ocr.levenshtein import distance
from training.ocr.tesseract import PAD, TIMES, Tesseract, is_installed, unfolded

LINES = ("The harbour master keeps the log", "Ships wait for the tide at night", "Lamps burn until the morning")


def test_a_folded_line_is_laid_out_again():
    """A line that is shown in pieces would be read in pieces."""
    strip = np.full((32, 500), 255, np.uint8)
    strip[8:24, 10:480:3] = 0
    tape = unfolded((square(fold(strip)),))
    ink = np.flatnonzero((tape < 128).any(axis=0))
    assert tape.shape[0] == 32 * TIMES + 2 * PAD
    assert ink[-1] - ink[0] == pytest.approx(TIMES * 1.05 * 470, rel=0.03)
    assert np.diff(ink).max() <= 12


def test_words_keep_apart_where_a_line_was_folded():
    """Two words that are shown as one are read as one, and counted against the reader."""
    strip = np.full((32, 600), 255, np.uint8)
    for x in range(6, 580, 60):
        strip[8:24, x : x + 48] = 0
    tape = unfolded((square(fold(strip)),))
    ink = np.flatnonzero((tape < 128).any(axis=0))
    jumps = np.diff(ink)
    assert (jumps > 1).sum() == 9
    assert jumps[jumps > 1].min() > 0.6 * np.median(jumps[jumps > 1])


@pytest.mark.skipif(not is_installed(), reason="tesseract-ocr is not installed")
def test_tesseract_reads_one_text_a_line():
    """Texts that slip by one line make the comparison worthless."""
    blank = (np.full((256, 256, 3), 255, np.uint8),)
    result = Tesseract().joined([blank, *(printed(text) for text in LINES)])
    assert len(result) == 1 + len(LINES)
    for line, text in zip(LINES, result[1:], strict=True):
        assert distance(line, text) < len(line) / 2


def printed(text):
    """The line in the typeface that Pillow itself brings along, cut out as the reader cuts."""
    sheet = Image.new("L", (640, 40), 255)
    ImageDraw.Draw(sheet).text((10, 6), text, font=ImageFont.load_default(22), fill=0)
    (strip,) = cut(np.asarray(sheet))
    return strip.squares
