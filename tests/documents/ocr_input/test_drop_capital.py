"""A drop capital is put before the first line beside it, and no other line has a slice of it."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from documents.ocr_input.drop_capital import drop_capital
from documents.ocr_input.line_strips import cut
from documents.ocr_input.text_ink import TextInk

PITCH, SIZE = 32, 24
INK = 140  # grey below which a pixel is ink


def printed(capital: str, tall: int, num_lines: int = 6) -> np.ndarray:
    """Lines of text, the first `tall` of which begin after a capital of that height; uint8 (height, width)."""
    sheet = Image.new("L", (700, PITCH * num_lines + 40), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=SIZE)
    large = ImageFont.load_default(size=round(((tall - 1) * PITCH + 0.73 * SIZE) / 0.73))
    base = 20 + 0.8 * SIZE
    pen.text((20, base + (tall - 1) * PITCH), capital, fill="black", font=large, anchor="ls")
    indent = large.getlength(capital) + 8 if capital else 0
    for line in range(num_lines):
        left = 20 + (indent if line < tall else 0)
        pen.text((left, base + line * PITCH), "log of ships that wait for", fill="black", font=font, anchor="ls")
    return np.asarray(sheet)


@pytest.mark.parametrize("tall", [2, 3, 4])
@pytest.mark.parametrize("capital", ["C", "W", "A", "O"])
def test_the_capital_belongs_to_the_first_line_alone(capital: str, tall: int) -> None:
    """Guards against lines that each begin with a slice of one letter, and against a word without its first."""
    with_it, without = cut(printed(capital, tall)), cut(printed("", tall))
    assert len(with_it) == len(without) == 6
    assert with_it[0].box.x0 < 30, "the line begins where the capital does"
    plain = without[0].squares[0].shape
    assert with_it[0].squares[0].shape == plain
    ink = [(strip.squares[0][..., 0] < INK).sum() for strip in (*with_it[1:tall], with_it[0])]
    assert max(ink[:-1]) - min(ink[:-1]) <= 0.1 * min(ink), "a line beside the capital has a part of it"
    assert ink[-1] > ink[0], "the first line has it"
    for strip in with_it[1:tall]:
        assert strip.box.x0 > 30


@pytest.mark.parametrize("capital", ["", "|", "[", "{"])
def test_what_is_no_capital_stays_where_it_is(capital: str) -> None:
    """Guards against a bracket before several lines that is read as a letter of the first."""
    picture = printed(capital, 3)
    assert drop_capital(TextInk(picture, picture < INK)) is None


def test_a_large_letter_alone_is_no_drop_capital() -> None:
    sheet = Image.new("L", (300, 120), "white")
    ImageDraw.Draw(sheet).text((10, 10), "A", fill="black", font=ImageFont.load_default(size=80))
    picture = np.asarray(sheet)
    assert drop_capital(TextInk(picture, picture < INK)) is None
    assert drop_capital(TextInk(np.full((5, 5), 255, np.uint8), np.zeros((5, 5), bool))) is None
