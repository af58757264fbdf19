"""Type size and place overrule a doubtful detection."""

from __future__ import annotations

import pytest
from page_making import box, inspection, line, words_of

from documents.structure.build_page import draft_regions
from documents.structure.region_kinds import classify_region, find_running_heads
from documents.values import BoundingBox

PAGE = box(0, 0, 612, 792)


def kind_of(kind, *lines):
    return classify_region(kind, BoundingBox.around([one.box for one in lines]), lines, PAGE, 10.0)


@pytest.mark.parametrize(
    ("kind", "lines", "settled"),
    [
        ("plain text", [line("Large and Short", size=16)], "title"),
        ("plain text", [line("Bold and Short", bold=True)], "title"),
        ("plain text", [line("just a short line")], "plain text"),
        ("title", [line("a sentence of body text.")], "plain text"),
        ("title", [line("Q.", bold=True)], "plain text"),
        ("title", [line("Words", y=100 + 12 * k) for k in range(6)], "plain text"),
        ("abandon", [line("Figure 7. Nuts of two kinds.", y=700)], "figure_caption"),
        ("plain text", [line("Table 2: Prices")], "table_caption"),
        ("abandon", [line("1 This note explains a word.", y=600)], "plain text"),
        ("abandon", [line("Running Head", y=40)], "abandon"),
        ("isolate_formula", [line("a2 + 8 = 12")], "isolate_formula"),
        ("isolate_formula", [line("a = b | c", monospaced=True)], "plain text"),
        ("isolate_formula", [line("Status of the Harbour Operations")], "plain text"),
        ("isolate_formula", [line("3.1. Status of Business Operations")], "title"),
        ("plain text", [line("3.1 Of the Harbour")], "title"),
        ("plain text", [line("3.1 metres of water.")], "plain text"),
        ("title", [line("October 14, 1998", size=14)], "plain text"),
        ("title", [line("3. Januar 2024", bold=True)], "plain text"),
        ("title", [line("• Reducing the fees", bold=True)], "plain text"),
        ("plain text", [line("The boats that left over the", size=12)], "plain text"),
        ("title", [line("of the text.", y=112), line("the last lines", y=100)], "plain text"),
        ("formula_caption", [line("(12)")], "formula_caption"),
        ("table", [line("Large", size=20)], "table"),
    ],
)
def test_a_region_is_what_its_lines_make_it(kind, lines, settled):
    """Guards against headings, notes and captions lost to a network that never saw a real page."""
    assert kind_of(kind, *lines) == settled


def test_running_heads_and_page_numbers_are_told_by_their_place():
    """Guards against page numbers within the sentences of the text."""
    boxes = [box(60, 40, 200, 48), box(540, 40, 550, 48), box(60, 80, 550, 700), box(300, 755, 310, 763)]
    texts = ["Annals of the Mill", "17", "body " * 200, "17"]
    assert find_running_heads(boxes, texts, PAGE, 10.0) == {0, 1, 3}


ABOUT = ["Table 3 shows that the new method outperforms the old one on both", "sets, and by a wide margin."]


def test_a_paragraph_about_a_table_is_text_and_a_caption_is_one_by_its_words_or_type():
    """Guards against every sentence that begins "Table 3 shows" taken for a caption, at up to six lines."""
    lines = [line(text, y=100 + 12 * k) for k, text in enumerate(ABOUT * 3)]
    for count in (1, 2, 6):
        assert kind_of("plain text", *lines[:count]) == "plain text"
    assert kind_of("title", line("TABLE II")) == "table_caption"
    assert kind_of("title", line("Exhibit 3", size=16)) == "title"
    assert kind_of("plain text", line("Fig. 2 overview of the harbour", size=9)) == "figure_caption"
    assert kind_of("plain text", line("Table 3"), line("prices of both years", y=112)) == "table_caption"
    bold, plain = words_of("Table 3", 60, 100, bold=True), words_of("prices of both years", 100, 100)
    assert kind_of("plain text", line("Table 3 prices of both years", words=(*bold, *plain))) == "table_caption"


def test_a_sentence_whose_first_line_ends_before_the_tables_number_is_text():
    """Guards against an error, and so a page without its kinds, where "Table" and its number stand in two lines."""
    assert kind_of("plain text", line("Table"), line("3 shows that the harbour grew", y=112)) == "plain text"


@pytest.mark.parametrize(("x", "text", "kind"), [(301, "1", {1}), (60, "1", set()), (301, "The End", set())])
def test_a_number_alone_in_the_middle_of_the_foot_is_the_pages(x, text, kind):
    """Guards against page numbers in the text of files that were set for a shorter sheet."""
    boxes = [box(60, 72, 550, 620), box(x, 640, x + 10, 650)]
    assert find_running_heads(boxes, ["body " * 200, text], PAGE, 10.0) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [("xiv", {1}), ("XL", {1}), ("lxxxviii", {1}), ("- ix -", {1})]
    + [(word, set()) for word in ("Civil", "civic", "ill", "Lili", "Vivi", "iiii", "Xi")],
)
def test_a_word_of_the_letters_of_roman_numbers_is_none(text, kind):
    """Guards against "Civil" alone at the foot of a page that is left out as its number."""
    boxes = [box(60, 72, 550, 620), box(301, 640, 311, 650)]
    assert find_running_heads(boxes, ["body " * 200, text], PAGE, 10.0) == kind


def test_a_number_in_larger_type_is_still_the_pages():
    """Guards against page numbers that stay because they are set larger than the text."""
    boxes = [box(60, 72, 550, 700), box(19, 770, 444, 783), box(567, 770, 578, 785.5)]
    assert find_running_heads(boxes, ["body " * 200, "Annals of the " + "Mill " * 14, "26"], PAGE, 10.0) == {1, 2}


def test_the_first_paragraph_of_a_page_is_no_running_head():
    """Guards against text that is lost because it stands high on its page."""
    boxes = [box(60, 72, 550, 120), box(60, 130, 550, 400)]
    assert find_running_heads(boxes, ["a paragraph of two lines " * 8, "more"], PAGE, 10.0) == set()


@pytest.mark.parametrize(("size", "kind"), [(18, "title"), (10, "abandon")])
def test_type_far_larger_than_the_text_is_a_title_at_the_head_of_a_page_too(size, kind):
    """Guards against mastheads and titles lost as running heads."""
    assert kind_of("abandon", line("Report of the Pilots", size=size, y=40)) == kind


def test_text_of_a_page_that_is_turned_as_a_whole_is_no_stamp_in_its_margin():
    """Guards against paragraphs lost from pages that were set sideways."""
    side = box(0, 0, 792, 612)
    words = line("This note explains a word.", angle=90)
    for angle, kind in ((90, "plain text"), (0, "abandon")):
        assert classify_region("abandon", box(400, 100, 410, 300), [words], side, 10.0, angle) == kind


def test_regions_of_one_line_stay_in_the_text_of_a_turned_page():
    """Guards against short paragraphs taken for stamps because they run down the sheet."""
    lines = [line("word " * 12, x=500 - 14 * k, y=60, angle=90) for k in range(8)]
    lines = [one.model_copy(update={"box": box(one.box.x0, 60, one.box.x0 + 10, 400)}) for one in lines]
    lines.append(lines[0].model_copy(update={"text": "A line alone", "box": box(300, 60, 310, 160)}))
    kinds = {" ".join(one.text for one in draft.lines): draft.kind for draft in draft_regions(inspection(*lines), [])}
    assert kinds["A line alone"] == "plain text"
