"""Text that is drawn again in its own place is read once; what is printed twice is read twice."""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

GREY = (0.6, 0.6, 0.6)


def texts_of(draw, tmp_path, *, rotation=0):
    document = pymupdf.open()
    page = document.new_page()
    draw(page)
    page.set_rotation(rotation)
    document.save(tmp_path / "a.pdf")
    read = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())
    inspection = read.inspect(1)
    return [" ".join(line.text.split()) for line in inspection.lines], inspection


def whole_four_times(page):
    for dx, dy in ((0, 0), (0.2, 0), (0, 0.2), (0.2, 0.2)):
        page.insert_text((100 + dx, 300 + dy), "Hill tariff 112", fontsize=14)


def with_shadow(page):
    page.insert_text((102, 302), "Hill tariff 112", fontsize=14, color=GREY)
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14)


def small_with_far_shadow(page):
    page.insert_text((102, 302), "Hill tariff 112", fontsize=10, color=GREY)
    page.insert_text((100, 300), "Hill tariff 112", fontsize=10)


def letters_with_shadows(page):
    font, x = pymupdf.Font("helv"), 100.0
    for letter in "Hill tariff 112":
        page.insert_text((x + 1.5, 301.5), letter, fontsize=20, color=GREY)
        page.insert_text((x, 300), letter, fontsize=20)
        x += font.text_length(letter, 20)


def small_letters_overprinted(page):
    font, x = pymupdf.Font("helv"), 100.0
    for letter in "Hill tariff 112":
        page.insert_text((x, 300), letter, fontsize=9)
        page.insert_text((x + 0.6, 300), letter, fontsize=9)
        x += font.text_length(letter, 9)


def filled_and_stroked(page):
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14, render_mode=0)
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14, render_mode=1, color=(1, 0, 0))


def whole_and_by_words(page):
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14)
    font, x = pymupdf.Font("helv"), 100.3
    for word in ("Hill ", "tariff ", "112"):
        page.insert_text((x, 300), word.strip(), fontsize=14)
        x += font.text_length(word, 14)


def one_word_again(page):
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14)
    page.insert_text((100 + pymupdf.Font("helv").text_length("Hill ", 14), 300.3), "tariff", fontsize=14)


def white_under_black(page):
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14, color=(1, 1, 1))
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14)


def unseen_over_seen(page):
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14)
    page.insert_text((100, 300), "Hill tariff 112", fontsize=14, render_mode=3)


@pytest.mark.parametrize("rotation", [0, 90, 180])
@pytest.mark.parametrize(
    "draw",
    [
        whole_four_times,
        with_shadow,
        small_with_far_shadow,
        letters_with_shadows,
        small_letters_overprinted,
        filled_and_stroked,
        whole_and_by_words,
        one_word_again,
        white_under_black,
        unseen_over_seen,
    ],
)
def test_text_drawn_again_in_its_own_place_is_read_once(draw, rotation, tmp_path):
    """A heading overprinted for bold type came out four times, and one with a shadow twice."""
    texts, inspection = texts_of(draw, tmp_path, rotation=rotation)
    assert texts == ["Hill tariff 112"]
    assert [line.hidden for line in inspection.lines] == [None]
    assert not inspection.warnings


def stacked(page):
    for k in range(5):
        page.insert_text((100, 300 + 9.2 * k), "11.00", fontsize=9)


def side_by_side(page):
    page.insert_text((100, 300), "ha ha ha illicit bookkeeper 1111", fontsize=11)
    for k in range(6):
        page.insert_text((100 + 30 * k, 340), "0", fontsize=11)


def word_over_another(page):
    page.insert_text((100, 300), "Fire", fontsize=14)
    page.insert_text((100, 300), "Fare", fontsize=14)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [(stacked, "11.00" * 5), (side_by_side, "hahahaillicitbookkeeper1111000000"), (word_over_another, "FireFare")],
)
def test_what_is_printed_twice_is_read_twice(draw, expected, tmp_path):
    texts, _ = texts_of(draw, tmp_path)
    assert "".join("".join(texts).split()) == expected


def test_text_that_repeats_itself_in_one_place_costs_no_more_than_its_length(tmp_path):
    def draw(page):
        for k in range(1500):
            page.insert_text((100 + k % 7, 300 + k % 5), "aaaaaaaaaaaaaaaaaaaa", fontsize=8)

    texts, _ = texts_of(draw, tmp_path)
    assert texts
