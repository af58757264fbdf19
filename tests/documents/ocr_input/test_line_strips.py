"""Lines are cut from region pictures and folded into squares."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_lines import letter_boxes, sheet
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import box
from PIL import Image, ImageDraw, ImageFont

from documents.ocr_input.line_strips import Strip, cut
from documents.ocr_input.strip_folding import MAX_STRIP_ASPECT, SQUARE_SIDE, STRIP_HEIGHT, fold, levels, traced_fold


def bars(ink: int, paper: int) -> np.ndarray:
    """Strokes of even ink, uint8 (height, width)."""
    grey = np.full((60, 300), paper, np.uint8)
    grey[10:50, 10:290:8] = ink
    return grey


def test_each_printed_line_becomes_one_strip_from_the_top():
    """Guards against lines that are merged, doubled or out of order."""
    strips = cut(sheet())
    assert len(strips) == 6
    for strip, expected in zip(strips, letter_boxes(), strict=True):
        assert (strip.box.x0, strip.box.y0, strip.box.x1, strip.box.y1) == pytest.approx(expected, abs=5)
    assert all(len(strip.squares) == len(strip.sizes) == 1 for strip in strips)


def test_squares_are_white_paper_with_dark_ink_in_three_equal_channels():
    """Guards against squares unlike those that the model was trained on."""
    (square,) = cut(sheet(1))[0].squares
    assert square.shape == (SQUARE_SIDE, SQUARE_SIDE, 3)
    assert square.dtype == np.uint8
    assert square.min() < 60
    assert (square[..., 0] == square[..., 2]).all()
    assert (square[-32:] == 255).all()


def test_white_on_black_reads_like_black_on_white():
    """Guards against inverted headings being cut as one black bar."""
    dark, light = cut(sheet(3, ink=255, paper=0)), cut(sheet(3))
    for one, other in zip(dark, light, strict=True):
        assert np.abs(one.squares[0].astype(int) - other.squares[0]).mean() < 4


def test_a_strip_holds_the_ink_of_its_own_line_alone():
    """Guards against tails and dots of the lines around it, and against a frame."""
    tight = sheet(3, pitch=24)
    tight[:, :3] = 0
    alone = sheet(3, pitch=80)
    for one, other in zip(cut(tight), cut(alone), strict=True):
        ink = [(square.squares[0][..., 0] < 128).sum() for square in (one, other)]
        assert ink[0] == pytest.approx(ink[1], rel=0.05)


def test_cells_far_apart_in_one_line_are_strips_of_their_own():
    """Guards against a reader that takes a wide gap for the end of the line."""
    row = np.concatenate([sheet(1)[:, :400], sheet(1)[:, :400]], axis=1)
    assert [round(strip.box.x0 / 10) for strip in cut(row)] == [2, 42]


def test_a_long_line_is_parted_between_words():
    """Guards against folding a line so small that nobody can read it."""
    row = np.concatenate([sheet(1)[:, 20:376]] * 4, axis=1)
    (strip,) = cut(np.pad(row, ((10, 10), (10, 10)), constant_values=255))
    assert len(strip.squares) >= 2
    assert len(strip.sizes) == len(strip.squares)
    assert all(width <= MAX_STRIP_ASPECT * height * 1.3 for width, height in strip.sizes)


def test_only_lines_in_the_wanted_boxes_are_cut():
    """Guards against a line that two regions read because both crops show it."""
    third = box(*letter_boxes()[2])
    (strip,) = cut(sheet(), [third])
    assert strip.box.intersection(third) > 0.8 * third.area
    assert cut(sheet(), []) == []


def test_a_wanted_line_that_the_crop_does_not_show_by_itself_is_cut_as_its_box_says():
    """Guards against figures that are lost beside dotted leaders, for most of what stands on lines there are dots."""
    picture = Image.new("L", (900, 300), 255)
    pen = ImageDraw.Draw(picture)
    for y in range(40, 300, 40):
        for x in range(20, 700, 14):
            pen.ellipse((x, y, x + 6, y + 6), fill=0)
    pen.text((800, 122), "12", fill=0, font=ImageFont.load_default(size=34))
    leaders, number = np.asarray(picture), box(*pen.textbbox((800, 122), "12", font=ImageFont.load_default(size=34)))
    assert not any(strip.box.intersection(number) for strip in cut(leaders))
    (strip,) = cut(leaders, [number])
    assert strip.box.intersection(number) > 0.5 * number.area


def test_a_wanted_line_of_which_half_is_shown_is_cut_once():
    """Guards against a line that is read twice, as the page and as its crop show it."""
    wider = box(*letter_boxes()[2]).union(box(15, 90, 480, 100))
    assert len(cut(sheet(), [wider])) == 1


def test_a_picture_without_contrast_has_no_lines():
    """Guards against text that is read out of an empty picture."""
    assert cut(np.full((50, 200, 3), 240, np.uint8)) == []
    assert cut(np.zeros((1, 1, 3), np.uint8)) == []


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(2, 300), st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.3, 0.9]))
def test_any_picture_gives_strips_inside_it(height, width, seed, share):
    """Guards against noise, specks and edges that break the folding."""
    noise = (np.random.default_rng(seed).random((height, width)) > share).astype(np.uint8) * 255
    for strip in cut(np.repeat(noise[:, :, None], 3, axis=2)):
        assert 0 <= strip.box.x0 < strip.box.x1 <= width
        assert 0 <= strip.box.y0 < strip.box.y1 <= height
        assert all(square.shape == (SQUARE_SIDE, SQUARE_SIDE, 3) for square in strip.squares)


@pytest.mark.parametrize(("ink", "paper"), [(90, 200), (200, 90)])
def test_levels_stretch_ink_to_black_and_paper_to_white(ink, paper):
    """Guards against pale or inverted print that the model was never shown."""
    grey = levels(bars(ink, paper))
    assert set(np.unique(grey)) == {0, 255}


def test_the_trace_of_a_fold_tells_where_each_of_its_columns_came_from():
    """Guards against training that is told other places of the letters than the reader's rows have."""
    noise = np.random.default_rng(0)
    for width in (60, 460, 1800):
        strip = levels(noise.integers(0, 256, (24, width), np.uint8))
        rows, starts, scale = traced_fold(strip)
        assert np.array_equal(rows, fold(strip))
        tape = np.asarray(
            Image.fromarray(strip).resize((round(width * scale), STRIP_HEIGHT), Image.Resampling.BILINEAR)
        )
        for row, start, end in zip(rows, starts, [*starts[1:], tape.shape[1]], strict=True):
            assert np.array_equal(row[:, : end - start], tape[:, start:end])
            assert (row[:, end - start :] == 255).all()


def test_words_stand_between_the_widest_gaps() -> None:
    """Guards against word boxes that ignore what is printed, and against more words than gaps."""
    strip = Strip(box=box(0, 0, 100, 10), squares=(), gaps=((10, 12), (30, 40), (60, 70), (80, 81)))
    assert [(word.x0, word.x1) for word in strip.words("one two three")] == [(0, 30), (40, 60), (70, 100)]
    assert strip.words("") == ()
    assert strip.words("a b c d e f") == ()
