"""Printed lines are found by their letters, whatever else is on the paper."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_lines import PITCH, TOP, letter_boxes, sheet
from PIL import Image, ImageDraw, ImageFont

from documents.ocr_input.line_scale import lines_of
from documents.ocr_input.text_ink import text_ink


def boxes(grey: np.ndarray) -> list[tuple[float, ...]]:
    return [tuple(box) for box in lines_of(grey).boxes().tolist()]


def assert_lines(grey: np.ndarray, num_lines: int = 6, near: float = 4.0, **how: int) -> None:
    line_boxes = boxes(grey)
    assert len(line_boxes) == num_lines
    for box, expected in zip(line_boxes, letter_boxes(num_lines, **how), strict=True):
        assert box == pytest.approx(expected, abs=near)


def test_each_line_is_found_with_the_box_of_its_letters() -> None:
    assert_lines(sheet())


@pytest.mark.parametrize("pitch", [26, 28, 60])
def test_lines_near_each_other_and_far_apart_are_found_alike(pitch: int) -> None:
    """Guards against tails of letters that join tight lines."""
    assert_lines(sheet(pitch=pitch), pitch=pitch)


@pytest.mark.parametrize("size", [9, 14, 44, 90])
def test_tiny_and_huge_print_is_found(size: int) -> None:
    """Guards against a finder that knows one size of type."""
    grey = sheet(3, width=28 * size, size=size, pitch=2 * size)
    assert_lines(grey, 3, near=max(4.0, 0.2 * size), size=size, pitch=2 * size)


def test_huge_and_tiny_type_stand_on_one_page() -> None:
    page = np.full((300, 620), 255, np.uint8)
    page[:84, :] = sheet(1, size=50, pitch=52)
    page[120 : 120 + 2 * PITCH + 2 * TOP] = sheet(2, size=13)
    tall = [y1 - y0 for _, y0, _, y1 in boxes(page)]
    assert len(tall) == 3
    assert tall[0] > 2.5 * max(tall[1:])


def test_a_frame_and_a_grid_around_lines_are_no_part_of_them() -> None:
    """Guards against a ruled form that is one tall line."""
    grey = sheet()
    for y in range(TOP - 8, grey.shape[0], PITCH):
        grey[y : y + 2, 4:616] = 0
    grey[4:-4, [4, 5, 614, 615]] = 0
    assert_lines(grey)


def test_an_underline_through_the_tails_of_letters_is_no_letter() -> None:
    grey = sheet()
    for _, _, x1, y1 in letter_boxes():
        grey[int(y1) - 1 : int(y1) + 1, 20 : int(x1)] = 0
    assert_lines(grey, near=6.0)


@pytest.mark.parametrize(("ink", "paper"), [(190, 235), (30, 120), (235, 30)])
def test_pale_dark_and_inverted_print_is_found(ink: int, paper: int) -> None:
    assert_lines(sheet(ink=ink, paper=paper))


def test_a_dark_band_beside_the_text_holds_no_line() -> None:
    """Guards against the black edge of a photocopy that is read."""
    grey = np.pad(sheet(), ((40, 40), (120, 90)), constant_values=0)
    line_boxes = boxes(grey)
    assert len(line_boxes) == 6
    assert all(box[0] == pytest.approx(120 + 21, abs=4) for box in line_boxes)


def test_a_bar_code_halftone_dots_and_leaders_hold_no_line() -> None:
    """Guards against text that is invented from stripes and dots."""
    grey = np.full((400, 620), 255, np.uint8)
    rng = np.random.default_rng(7)
    for x in np.cumsum(rng.integers(4, 10, 60)):
        grey[20:80, 20 + x : 20 + x + int(rng.integers(1, 4))] = 0
    grey[120:240:5, 20:600:5] = 0
    grey[121:241:5, 20:600:5] = 0
    grey[300:302, 20:600:9] = 0
    assert boxes(grey) == []


def test_far_parts_of_a_row_are_lines_of_their_own() -> None:
    """Guards against cells of a table that are read as one sentence."""
    row = np.full((70, 900), 255, np.uint8)
    row[:66, :200] = sheet(1)[:, :200]
    row[:66, 500:700] = sheet(1)[:, :200]
    assert len(boxes(row)) == 2


@pytest.mark.parametrize("degrees", [-3.0, -1.5, 1.5, 3.0])
def test_lines_that_lean_are_found_one_by_one_with_their_slope(degrees: float) -> None:
    picture = Image.fromarray(sheet()).rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    lines = lines_of(np.asarray(picture)).lines
    assert len(lines) == 6
    for line in lines:
        assert np.degrees(np.arctan(line.slope)) == pytest.approx(degrees, abs=0.4)


def test_a_stroke_of_a_pen_and_specks_are_no_lines() -> None:
    picture = Image.fromarray(sheet())
    pen = ImageDraw.Draw(picture)
    pen.arc((420, 30, 600, 200), 20, 300, fill=0, width=3)
    for x, y in ((5, 5), (610, 9), (12, 215), (590, 210)):
        pen.rectangle((x, y, x + 2, y + 2), fill=0)
    line_boxes = boxes(np.asarray(picture))
    assert len(line_boxes) == 6


def test_a_lone_figure_of_a_table_is_a_line() -> None:
    """Guards against amounts of one digit that get lost."""
    picture = Image.fromarray(sheet())
    ImageDraw.Draw(picture).text((560, TOP + PITCH), "5", fill=0, font=ImageFont.load_default(size=22))
    assert len(boxes(np.asarray(picture))) == 7


def test_empty_and_full_pictures_hold_no_line() -> None:
    for value in (0, 128, 255):
        assert boxes(np.full((60, 80), value, np.uint8)) == []
    assert boxes(np.full((2, 2), 255, np.uint8)) == []


@pytest.mark.parametrize("text", ["Illinois Hill", "In brief"])
@pytest.mark.parametrize("margin", [0, 2, 6])
def test_a_low_crop_keeps_the_stems_of_its_letters(text: str, margin: int) -> None:
    """Guards against a stem that is as tall as its crop and is taken for a rule: headings lost I, l and T."""
    font = ImageFont.load_default(size=34)
    x0, y0, x1, y1 = (round(edge) for edge in font.getbbox(text))
    picture = Image.new("L", (x1 - x0 + 2 * margin, y1 - y0 + 2 * margin), 255)
    ImageDraw.Draw(picture).text((margin - x0, margin - y0), text, fill=0, font=font)
    grey = np.asarray(picture)
    ink = text_ink(grey).ink
    assert ink[grey < 60].all()


def test_a_bowl_that_hangs_loose_below_its_letter_is_of_its_line() -> None:
    """Guards against the broken tail of a g of a fax that is read as a line of one letter."""
    picture = Image.new("L", (620, 100), 255)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=30)
    pen.text((20, 20), "We are met on a", fill=0, font=font)
    base = 20 + round(font.getbbox("W")[3])
    x = 20 + round(font.getlength("We are met "))
    pen.ellipse((x, base + 3, x + 16, base + 13), outline=0, width=3)
    line_boxes = boxes(np.asarray(picture))
    assert len(line_boxes) == 1
    assert line_boxes[0][3] >= base + 12
