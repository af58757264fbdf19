"""Lines that rise or fall are cut as if they were level, and their boxes lie where they stood."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from benchmarks.letters import SENTENCE
from documents.ocr_input.slope import find_slope
from documents.ocr_input.strips import INK, cut

WORDS = SENTENCE.split()
PITCH = 34


def printed(num_lines: int, degrees: float, num_words: int = 9) -> np.ndarray:
    """Lines of 24 pixels, turned clockwise about the middle; uint8 (height, width)."""
    sheet = Image.new("L", (760, PITCH * num_lines + 80), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=24)
    for line in range(num_lines):
        words = [WORDS[(5 * line + k) % len(WORDS)] for k in range(num_words)]
        pen.text((20, 40 + PITCH * line), " ".join(words), fill="black", font=font)
    return np.asarray(sheet.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor="white"))


@pytest.mark.parametrize("num_lines", [1, 2, 6])
@pytest.mark.parametrize("degrees", [-3.0, -1.5, 1.5, 3.0])
def test_each_line_of_a_turned_crop_is_one_strip(num_lines: int, degrees: float) -> None:
    """Guards against lines that run into each other because the crop leans."""
    picture = printed(num_lines, degrees)
    assert math.degrees(math.atan(find_slope(picture < INK))) == pytest.approx(degrees, abs=0.3)
    strips = cut(picture)
    assert len(strips) == num_lines
    for strip in strips:
        assert strip.box.y1 - strip.box.y0 == pytest.approx(24 + (strip.box.x1 - strip.box.x0) * 0.052, abs=22)
        box = strip.box
        assert (picture[int(box.y0) : math.ceil(box.y1), int(box.x0) : int(box.x1)] < INK).any()
        assert 0 <= box.y0 < box.y1 <= picture.shape[0]


@pytest.mark.parametrize("num_words", [1, 2, 9])
@pytest.mark.parametrize("num_lines", [1, 3])
def test_level_lines_are_left_as_they_are(num_lines: int, num_words: int) -> None:
    """Guards against letters that are sheared because a word seems clearer when it leans."""
    assert find_slope(printed(num_lines, 0.0, num_words) < INK) == 0


def test_a_crop_without_ink_or_of_a_few_pixels_is_level() -> None:
    for shape in ((40, 400), (1, 1), (300, 3)):
        assert find_slope(np.zeros(shape, bool)) == 0
        assert find_slope(np.ones(shape, bool)) == 0
