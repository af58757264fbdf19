"""Lines are cut from region pictures and folded into squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import box
from PIL import Image

from documents.ocr_input.folding import HEIGHT, LONGEST, SIDE, fold, levels, traced_fold
from documents.ocr_input.strips import Strip, cut


def page_of_bars(num_lines, width=400, ink=0, paper=255):
    """Lines of words that are bars: 12 high, 20 apart."""
    picture = np.full((20 * num_lines + 10, width, 3), paper, np.uint8)
    for line in range(num_lines):
        for left in range(10, width - 30, 30):
            picture[10 + 20 * line : 22 + 20 * line, left : left + 22] = ink
    return picture


def test_each_printed_line_becomes_one_strip_from_the_top():
    """Guards against lines that are merged, doubled or out of order."""
    strips = cut(page_of_bars(5))
    assert [(strip.box.y0, strip.box.y1) for strip in strips] == [(10 + 20 * k, 22 + 20 * k) for k in range(5)]
    assert all(len(strip.squares) == 1 for strip in strips)


def test_squares_are_white_paper_with_dark_ink_in_three_equal_channels():
    """Guards against squares unlike those that the model was trained on."""
    (square,) = cut(page_of_bars(1))[0].squares
    assert square.shape == (SIDE, SIDE, 3)
    assert square.dtype == np.uint8
    assert square.min() < 60
    assert (square[..., 0] == square[..., 2]).all()
    assert (square[-32:] == 255).all()


def test_white_on_black_reads_like_black_on_white():
    """Guards against inverted headings being cut as one black bar."""
    dark = cut(page_of_bars(3, ink=255, paper=0))
    assert [strip.box for strip in dark] == [strip.box for strip in cut(page_of_bars(3))]


def test_the_rules_of_a_table_do_not_join_its_rows():
    """Guards against a ruled table being read as one tall line."""
    table = page_of_bars(6)
    table[5::20] = 0
    table[:, [0, 1, 200, 201, 398, 399]] = 0
    assert len(cut(table)) == 6


def test_cells_far_apart_in_one_line_are_strips_of_their_own():
    """Guards against a reader that takes a wide gap for the end of the line."""
    picture = page_of_bars(2)
    picture[:, 150:260] = 255
    strips = cut(picture)
    assert [strip.box.x0 for strip in strips] == [10, 260, 10, 260]
    assert [strip.box.y0 for strip in strips] == [10, 10, 30, 30]


def test_a_long_line_is_parted_between_words():
    """Guards against folding a line so small that nobody can read it."""
    (strip,) = cut(page_of_bars(1, width=12 * LONGEST * 3))
    assert len(strip.squares) >= 3


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
        assert all(square.shape == (SIDE, SIDE, 3) for square in strip.squares)


@pytest.mark.parametrize(("ink", "paper"), [(90, 200), (200, 90)])
def test_levels_stretch_ink_to_black_and_paper_to_white(ink, paper):
    """Guards against pale or inverted print that the model was never shown."""
    grey = levels(page_of_bars(4, ink=ink, paper=paper)[..., 0])
    assert set(np.unique(grey)) == {0, 255}


def test_the_trace_of_a_fold_tells_where_each_of_its_columns_came_from():
    """Guards against training that is told other places of the letters than the reader's rows have."""
    noise = np.random.default_rng(0)
    for width in (60, 460, 1800):
        strip = levels(noise.integers(0, 256, (24, width), np.uint8))
        rows, starts, scale = traced_fold(strip)
        assert np.array_equal(rows, fold(strip))
        tape = np.asarray(Image.fromarray(strip).resize((round(width * scale), HEIGHT), Image.Resampling.BILINEAR))
        for row, start, end in zip(rows, starts, [*starts[1:], tape.shape[1]], strict=True):
            assert np.array_equal(row[:, : end - start], tape[:, start:end])
            assert (row[:, end - start :] == 255).all()


def test_words_stand_between_the_widest_gaps() -> None:
    """Guards against word boxes that ignore what is printed, and against more words than gaps."""
    strip = Strip(box=box(0, 0, 100, 10), squares=(), gaps=((10, 12), (30, 40), (60, 70), (80, 81)))
    assert [(word.x0, word.x1) for word in strip.words("one two three")] == [(0, 30), (40, 60), (70, 100)]
    assert strip.words("") == ()
    assert strip.words("a b c d e f") == ()


def test_lines_that_touch_are_parted_where_there_is_least_ink():
    """Guards against two lines in one strip where a tail reaches down to the next line."""
    picture = page_of_bars(6)
    for line in range(5):  # a tail from each to the next
        picture[22 + 20 * line : 30 + 20 * line, 100 + 30 * line : 104 + 30 * line] = 0
    strips = cut(picture)
    assert [strip.box.y0 for strip in strips] == pytest.approx([10, 30, 50, 70, 90, 110], abs=9)


def test_a_line_under_words_stays_with_them():
    """Guards against an underline that becomes a line of its own, or is taken for a table's rule."""
    picture = page_of_bars(3)
    picture[44:45, 10:360] = 0  # 2 pixels under the second line
    strips = cut(picture)
    assert [(strip.box.y0, strip.box.y1) for strip in strips] == [(10, 22), (30, 45), (50, 62)]
