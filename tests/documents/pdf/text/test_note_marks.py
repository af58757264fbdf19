"""Marks of notes beside values, drawn for real: MuPDF gives a raised sign that is set apart as a line of its own."""

from __future__ import annotations

import pymupdf
import pytest


def texts_on(with_pool, source):
    async def use(pool):
        return [line.text for line in (await pool.inspect(source, 1)).inspection().lines]

    return with_pool(use)


def drawing(*pieces, angle=0, font="helv"):
    """Pieces of (text, size, points raised) side by side; other text is drawn between them in the file."""

    def draw(page):
        x = 100.0
        places = []
        for text, size, raised in pieces:
            places.append((x, raised, text, size))
            x += pymupdf.get_text_length(text, fontname=font, fontsize=size)
        page.insert_text((100, 100), "Heading", fontsize=16)
        for k, (x, raised, text, size) in enumerate(sorted(places, key=lambda place: -place[3])):
            page.insert_text((60, 500 + 20 * k), f"Between {k}", fontsize=11)
            point = (300 - raised, 800 - x) if angle == 90 else (x, 300 - raised)
            page.insert_text(point, text, fontsize=size, rotate=angle, fontname=font)

    return draw


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("9,800", 11, 0), ("2", 6.5, 4)], "9,800²"),
        ([("20 %", 11, 0), ("3", 6.5, 4)], "20 %³"),
        ([("2", 7, 4), ("9,800", 11, 0)], "²9,800"),
        ([("Staff", 10, 0), ("a", 6, 3.5)], "Staffᵃ"),
        ([("12", 10, 0), ("1", 6, 3.5), (",", 6, 3.5), ("2", 6, 3.5)], "12¹,²"),
        ([("9 %", 10, 0), ("1,2", 6, 3.5)], "9 %¹,²"),
        ([("9 %", 10, 0), ("a,b", 6, 3.5)], "9 %ᵃ,ᵇ"),
        ([("44", 10, 0), ("*", 10, 0)], "44*"),
        ([("44", 10, 0), ("(1)", 6, 3.5)], "44⁽¹⁾"),
        ([("CO", 10, 0), ("2", 6, -2)], "CO₂"),
        ([("1", 10, 0), ("st", 6, 3.5)], "1st"),
    ],
)
@pytest.mark.parametrize("angle", [0, 90])
def test_a_mark_is_a_part_of_the_value_that_it_touches(with_pool, pdf_of, pieces, text, angle):
    """Guards against `9,800 2`: a reader takes it for two values."""
    assert text in texts_on(with_pool, pdf_of(drawing(*pieces, angle=angle)))


def test_values_that_touch_nothing_stay_lines_of_their_own(with_pool, pdf_of):
    """A small number in the next cell, one in the row above, and one on the same baseline are no marks."""

    def draw(page):
        page.insert_text((100, 300), "9,800", fontsize=11)
        page.insert_text((140, 296), "2", fontsize=6.5)
        page.insert_text((100, 400), "Old town", fontsize=11)
        page.insert_text((144, 388), "7", fontsize=8)
        page.insert_text((60, 600), "last", fontsize=11)
        page.insert_text((78.5, 600), "8", fontsize=8)

    assert {"9,800", "2", "Old town", "7"} <= set(texts_on(with_pool, pdf_of(draw)))


def test_marks_of_a_hostile_page_are_bounded(with_pool, pdf_of):
    """Guards against a page of marks, each compared with each."""

    def draw(page):
        for k in range(3000):
            page.insert_text((20 + 7 * (k % 80), 20 + 12 * (k // 80)), "1", fontsize=5 if k % 2 else 9)

    assert texts_on(with_pool, pdf_of(draw))


def test_a_key_of_a_table_is_no_mark_of_a_larger_line_that_ends_beside_it(with_pool, pdf_of):
    """The code 2 of a pollutant was an index of the column before: ₂."""

    def draw(page):
        text = "Codes of pollutants"
        page.insert_text((298 - pymupdf.get_text_length(text, fontsize=11), 300), text, fontsize=11)
        page.insert_text((320, 303), "Carbon Monoxide", fontsize=8)
        page.insert_text((60, 500), "Between", fontsize=11)
        page.insert_text((300, 303), "2", fontsize=8)

    assert "2" in texts_on(with_pool, pdf_of(draw))
