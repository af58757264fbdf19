"""Words are struck out by lines through their middle, however these are drawn; no other line strikes anything out."""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.graphics.ruling_lines import drawn_paths
from documents.pdf.text.struck_text import MAX_CHECKS, Strikes

TEXT = "The rent is 310 euros per month"
SIZE, LEFT, BASELINE = 11.0, 72.0, 200.0


def width(text, size=SIZE):
    return pymupdf.get_text_length(text, fontsize=size)


BEGIN = LEFT + width("The rent is ")
END = BEGIN + width("310 euros")
MIDDLE = BASELINE - 0.28 * SIZE


@pytest.fixture
def page():
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((LEFT, BASELINE), TEXT, fontsize=SIZE)
        yield page


def marked(page):
    """What of the page is struck out, and the lines that are not there for that alone."""
    lines = [line for block in page.get_text("rawdict")["blocks"] for line in block.get("lines", ())]
    strikes = Strikes(page, drawn_paths(page))
    strikes.mark(lines)
    spans = [span for line in lines for span in line["spans"] if span.get("struck")]
    return ["".join(char["c"] for char in span["chars"]).strip() for span in spans], strikes.other_paths()


def a_line(page):
    page.draw_line((BEGIN, MIDDLE), (END, MIDDLE), width=0.6)


def a_thin_box(page):
    page.draw_rect((BEGIN, MIDDLE - 0.3, END, MIDDLE + 0.3), color=None, fill=(0.8, 0, 0))


def a_shape_of_lines(page):
    shape = page.new_shape()
    shape.draw_polyline([(BEGIN, MIDDLE), (END, MIDDLE), (END, MIDDLE + 0.7), (BEGIN, MIDDLE + 0.7)])
    shape.finish(color=None, fill=(0, 0, 0), closePath=True)
    shape.commit()


def a_dashed_line(page):
    page.draw_line((BEGIN, MIDDLE), (END, MIDDLE), width=0.6, dashes="[2 2] 0")


def dashes_one_by_one(page):
    x = BEGIN
    while x < END:
        page.draw_rect((x, MIDDLE - 0.3, x + 2, MIDDLE + 0.3), color=None, fill=(0, 0, 0))
        x += 4


def two_lines(page):
    for y in (BASELINE - 0.2 * SIZE, BASELINE - 0.36 * SIZE):
        page.draw_line((BEGIN, y), (END, y), width=0.5)


def a_line_for_each_word(page):
    for word in ("310", "euros"):
        x = BEGIN if word == "310" else BEGIN + width("310 ")
        page.draw_line((x, MIDDLE), (x + width(word), MIDDLE), width=0.6)


def a_wave(page):
    x = BEGIN
    while x < END:
        page.draw_bezier((x, MIDDLE), (x + 1, MIDDLE - 1), (x + 2, MIDDLE + 1), (x + 3, MIDDLE), width=0.5)
        x += 3


def a_line_by_hand(page):
    page.draw_line((BEGIN - 2, MIDDLE + 1), (END + 3, MIDDLE - 1), width=1)


def an_annotation(page):
    page.add_strikeout_annot(page.search_for("310 euros"))


def an_annotation_without_a_drawing(page):
    page.add_strikeout_annot(page.search_for("310 euros"))
    (annotation,) = page.annots()
    page.parent.xref_set_key(annotation.xref, "AP", "null")


WAYS = [
    a_line, a_thin_box, a_shape_of_lines, a_dashed_line, dashes_one_by_one, two_lines, a_line_for_each_word, a_wave,
    a_line_by_hand, an_annotation, an_annotation_without_a_drawing,
]  # fmt: skip


@pytest.mark.parametrize("draw", WAYS)
def test_words_with_a_line_through_them_are_struck_out(page, draw):
    """Guards against an old rent that everybody reads as valid beside the new one, and a rule where there is none."""
    draw(page)
    assert " ".join(marked(page)[0]) == "310 euros"
    assert marked(page)[1] == []


@pytest.mark.parametrize("draw", WAYS)
@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_words_of_a_turned_page_are_struck_out(page, draw, rotation):
    draw(page)
    page.set_rotation(rotation)
    assert " ".join(marked(page.parent.reload_page(page))[0]) == "310 euros"


def an_underline(page):
    page.draw_line((BEGIN, BASELINE + 1.2), (END, BASELINE + 1.2), width=0.6)


def an_underline_on_the_baseline(page):
    page.draw_line((BEGIN, BASELINE), (END, BASELINE), width=0.6)


def an_overline(page):
    page.draw_line((BEGIN, BASELINE - 0.85 * SIZE), (END, BASELINE - 0.85 * SIZE), width=0.6)


def a_rule_of_a_table(page):
    page.draw_line((LEFT - 6, MIDDLE), (540, MIDDLE), width=0.6)


def a_leader(page):
    x = LEFT + width(TEXT)
    page.draw_line((x + 3, MIDDLE), (540, MIDDLE), width=0.6)


def a_bar(page):
    page.draw_rect((BEGIN, BASELINE - 8, END, BASELINE + 2), color=None, fill=(1, 1, 0), overlay=False)


def half_a_highlight_of_lines(page):
    shape = page.new_shape()
    shape.draw_polyline([(BEGIN, MIDDLE), (END, MIDDLE), (END, BASELINE + 2), (BEGIN, BASELINE + 2)])
    shape.finish(color=None, fill=(1, 1, 0), closePath=True)
    shape.commit(overlay=False)


def a_frame(page):
    page.draw_rect((BEGIN - 1, BASELINE - 9, END + 1, BASELINE + 3), color=(0, 0, 0), width=0.5)


def a_white_line(page):
    page.draw_line((BEGIN, MIDDLE), (END, MIDDLE), width=0.4, color=(1, 1, 1))


def a_clear_line(page):
    page.draw_line((BEGIN, MIDDLE), (END, MIDDLE), width=0.6, stroke_opacity=0)


def a_stroke_through_one_letter(page):
    x = BEGIN + width("310 e")
    page.draw_line((x, MIDDLE), (x + width("u"), MIDDLE), width=0.5)


def a_slanted_line(page):
    page.draw_line((BEGIN, BASELINE + 2), (END, BASELINE - 8), width=0.6)


def an_upright_line(page):
    page.draw_line((BEGIN + 5, BASELINE + 2), (BEGIN + 5, BASELINE - 8), width=0.6)


def a_hidden_annotation(page):
    page.add_strikeout_annot(page.search_for("310 euros")).set_flags(pymupdf.PDF_ANNOT_IS_HIDDEN)


def an_underline_annotation(page):
    page.add_underline_annot(page.search_for("310 euros"))


@pytest.mark.parametrize(
    "draw",
    [
        an_underline, an_underline_on_the_baseline, an_overline, a_rule_of_a_table, a_leader, a_bar, a_frame,
        half_a_highlight_of_lines, a_white_line, a_clear_line, a_stroke_through_one_letter, a_slanted_line,
        an_upright_line, a_hidden_annotation, an_underline_annotation,
    ],
)  # fmt: skip
def test_other_lines_strike_nothing_out(page, draw):
    """Guards against valid words that are shown as void, because they are underlined, framed or in a ruled table."""
    draw(page)
    assert marked(page)[0] == []
    assert len(marked(page)[1]) == len(drawn_paths(page))


def test_the_bar_of_a_fraction_strikes_neither_part_out(page):
    """Guards against formulas whose parts are shown as void; the parts stand close, as within running text."""
    page.insert_text((72, 300), "The share is", fontsize=12)
    page.insert_text((150, 300 - 0.394 * 12), "a+b", fontsize=8.4)
    page.insert_text((150, 300 + 0.345 * 12), "c+d", fontsize=8.4)
    page.draw_line((149, 300 - 0.25 * 12), (166, 300 - 0.25 * 12), width=0.4)
    assert marked(page)[0] == []


def test_a_line_across_tabs_strikes_all_of_a_row_out(page):
    """Guards against half of a row that is struck out where MuPDF parts it at wide gaps."""
    for x, text in ((72, "4.2"), (140, "Cleaning of the roof"), (400, "500")):
        page.insert_text((x, 400), text, fontsize=SIZE)
    page.draw_line((72, 397), (400 + width("500"), 397), width=0.6)
    assert " ".join(marked(page)[0]).split() == ["4.2", "Cleaning", "of", "the", "roof", "500"]


def test_a_raised_figure_is_struck_out_with_its_word(page):
    page.insert_text((72, 400), "up to 10", fontsize=SIZE)
    x = 72 + width("up to 10")
    page.insert_text((x, 400 - 0.36 * SIZE), "6", fontsize=7)
    page.insert_text((x + 4, 400), " boats", fontsize=SIZE)
    page.draw_line((72 + width("up to "), 400 - 0.3 * SIZE), (x + 4, 400 - 0.3 * SIZE), width=0.6)
    assert "".join(marked(page)[0]) == "106"


def test_white_words_on_a_dark_ground_are_struck_out_by_a_white_line():
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.draw_rect((60, 80, 300, 120), color=None, fill=(0, 0, 0.3))
        page.insert_text((72, 100), "Was 99", fontsize=14, color=(1, 1, 1))
        page.draw_line((72, 96), (72 + width("Was 99", 14), 96), color=(1, 1, 1), width=0.8)
        assert marked(page)[0] == ["Was 99"]


def test_an_annotation_over_several_lines_strikes_out_its_part_of_each(page):
    page.insert_text(
        (72, 400), ["The deposit is refunded", "within ninety days of", "the end of the term"], fontsize=11
    )
    quads = [page.search_for(words, quads=True)[0] for words in ("refunded", "within ninety days of", "the end")]
    page.add_strikeout_annot(quads)
    (annotation,) = page.annots()
    page.parent.xref_set_key(annotation.xref, "AP", "null")
    assert marked(page)[0] == ["refunded", "within ninety days of", "the end"]


def test_a_page_of_lines_costs_no_more_than_its_bound(page):
    """Guards against a page of thousands of lines on thousands of others, which would be compared each with each."""
    lines = [
        {"dir": (1.0, 0.0), "spans": page.get_text("rawdict")["blocks"][0]["lines"][0]["spans"]} for _ in range(3000)
    ]
    item = ("l", (BEGIN, MIDDLE), (END, MIDDLE))
    paths = [{"type": "s", "color": (0, 0, 0), "width": 0.5, "items": [item] * 1000}] * 5
    strikes = Strikes(page, paths)
    strikes.mark(lines)
    assert strikes.num_checks < 2 * MAX_CHECKS
