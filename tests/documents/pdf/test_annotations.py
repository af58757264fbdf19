"""Comments stand beside a page's text: who wrote them, when, where, about which words; never in the text."""

from __future__ import annotations

import pymupdf
import pytest
from commented_pages import SENTENCE, inspected, opened, page_with_text, signed, texts


def test_a_note_has_its_author_date_and_place():
    """Sticky notes of a reviewed contract were not read at all."""
    document, page = page_with_text()
    signed(page.add_text_annot((300, 200), "x"), content="Ask the\rharbour master.")
    inspection = inspected(document)
    (note,) = inspection.annotations
    assert (note.kind, note.text, note.author) == ("note", "Ask the\nharbour master.", "Ada Osei")
    assert note.date == "2024-03-01T12:30:45+01:00"
    assert note.box.contains(305, 205)
    assert texts(inspection) == [SENTENCE, "A second paragraph follows."]


@pytest.mark.parametrize("kind", ["highlight", "underline", "squiggly", "strikeout"])
def test_a_mark_has_the_words_that_it_marks(kind):
    document, page = page_with_text()
    quads = page.search_for("due on the first of March", quads=True)
    signed(getattr(page, f"add_{kind}_annot")(quads), content="Which year?")
    (mark,) = inspected(document).annotations
    assert mark.kind == kind.replace("out", "_out")
    assert (mark.words, mark.text) == ("due on the first of March", "Which year?")
    assert len(mark.parts) == 1


def test_words_on_two_lines_are_marked_as_one_text():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "They paid the har-", fontsize=12)
    page.insert_text((72, 114), "bour fee late.", fontsize=12)
    page.add_highlight_annot(page.search_for("paid the har-", quads=True) + page.search_for("bour fee", quads=True))
    (mark,) = inspected(document).annotations
    assert mark.words == "paid the harbour fee"


def test_a_part_of_a_word_is_marked_as_far_as_it_is_covered():
    document, page = page_with_text()
    page.add_strikeout_annot(page.search_for("para", quads=True))
    (mark,) = inspected(document).annotations
    assert mark.words == "para"


def test_marks_of_a_turned_page_have_their_words_and_places():
    document, page = page_with_text()
    page.add_highlight_annot(page.search_for("berth fee", quads=True))
    page.set_rotation(90)
    (mark,) = inspected(document).annotations
    assert mark.words == "berth fee"
    assert mark.box.height > mark.box.width


def test_free_text_is_beside_the_text_and_not_drawn():
    """It stood among the lines of the page, and OCR would have read its picture."""
    document, page = page_with_text()
    page.add_freetext_annot((300, 300, 420, 330), "Check this figure")
    file = opened(document)
    inspection = file.inspect(1)
    assert [(one.kind, one.text) for one in inspection.annotations] == [("free_text", "Check this figure")]
    assert texts(inspection) == [SENTENCE, "A second paragraph follows."]
    picture = file.picture(1, None, 72, None, 0)
    assert picture[300:330, 300:420].min() == 255


def test_a_word_across_the_page_that_is_free_text_is_a_comment():
    """It was taken for a watermark of the page, which it is none of: nobody prints it."""
    document, page = page_with_text()
    page.add_freetext_annot((100, 300, 500, 420), "DRAFT", fontsize=80, text_color=(0.8, 0.8, 0.8))
    inspection = inspected(document)
    assert [one.text for one in inspection.annotations] == ["DRAFT"]
    assert inspection.watermarks == ()
    assert texts(inspection) == [SENTENCE, "A second paragraph follows."]


def test_what_free_text_covers_stays_covered():
    """A white box with other words over a line says that the line below is not to be read."""
    document, page = page_with_text()
    page.add_freetext_annot((70, 88, 400, 105), "no fee is due", fill_color=(1, 1, 1))
    inspection = inspected(document)
    assert [line.text for line in inspection.lines if line.hidden is None] == ["A second paragraph follows."]
    assert inspection.annotations[0].text == "no fee is due"


def test_typewriter_text_is_text_of_the_page():
    """With it people fill in forms that have no fields."""
    document, page = page_with_text()
    annotation = page.add_freetext_annot((300, 300, 420, 330), "Ada Osei")
    document.xref_set_key(annotation.xref, "IT", "/FreeTextTypeWriter")
    inspection = inspected(document)
    assert "Ada Osei" in texts(inspection)
    assert inspection.annotations == ()


def test_the_words_of_a_stamp_are_kept_beside_the_text():
    document, page = page_with_text()
    signed(page.add_stamp_annot((300, 300, 480, 340), stamp=0), content="by the harbour master")
    file = opened(document)
    for inspection in (file.inspect(1), file.inspect(1)):  # the second time it is hidden already
        (stamp,) = inspection.annotations
        assert (stamp.kind, stamp.words, stamp.text) == ("stamp", "APPROVED", "by the harbour master")
        assert texts(inspection) == [SENTENCE, "A second paragraph follows."]


def test_a_stamp_as_large_as_the_page_is_the_page():
    """Some programs lay a whole scan over an empty page as a stamp."""
    document, page = page_with_text()
    stamp = page.add_stamp_annot(page.rect, stamp=0)
    document.xref_set_key(stamp.xref, "Rect", "[10 10 580 830]")
    inspection = inspected(document)
    assert inspection.annotations == ()
    assert any("APPROVED" in line.text for line in (*inspection.lines, *inspection.watermarks))


def test_an_answer_names_the_comment_that_it_answers():
    document, page = page_with_text()
    question = signed(page.add_text_annot((300, 200), "Is this right?"), content="Is this right?")
    answer = signed(page.add_text_annot((300, 200), "Yes."), author="Ruth", content="Yes.")
    document.xref_set_key(answer.xref, "IRT", f"{question.xref} 0 R")
    document.xref_set_key(answer.xref, "F", "30")  # as Acrobat writes it: nothing is drawn for it
    first, second = inspected(document).annotations
    assert (first.reply_to, second.reply_to, second.text) == (None, 0, "Yes.")


def test_rich_text_is_read_where_there_is_no_plain_one():
    document, page = page_with_text()
    note = page.add_text_annot((300, 200), "x")
    document.xref_set_key(note.xref, "Contents", "null")
    document.xref_set_key(note.xref, "RC", "(<body><p>Fish &amp; chips</p><p>twice</p></body>)")
    assert inspected(document).annotations[0].text == "Fish & chips\ntwice"


def test_a_drawing_is_a_comment_only_if_something_is_written_to_it():
    document, page = page_with_text()
    page.add_rect_annot((300, 300, 400, 400))
    signed(page.add_line_annot((300, 420), (400, 420)), content="move this up")
    assert [(one.kind, one.text) for one in inspected(document).annotations] == [("drawing", "move this up")]


@pytest.mark.parametrize("flags", [2, 32])
def test_a_hidden_comment_is_none(flags):
    document, page = page_with_text()
    page.add_text_annot((300, 200), "unseen").set_flags(flags)
    assert inspected(document).annotations == ()


def test_a_popup_is_no_comment_of_its_own():
    document, page = page_with_text()
    note = page.add_text_annot((300, 200), "once")
    note.set_popup(pymupdf.Rect(350, 200, 450, 300))
    assert [one.text for one in inspected(document).annotations] == ["once"]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("D:20240301", "2024-03-01T00:00:00"),
        ("D:20240301123045Z", "2024-03-01T12:30:45+00:00"),
        ("D:20249901", None),
        ("yesterday", None),
    ],
)
def test_dates_are_iso_or_none(written, date):
    document, page = page_with_text()
    note = page.add_text_annot((300, 200), "x")
    document.xref_set_key(note.xref, "M", f"({written})")
    document.xref_set_key(note.xref, "CreationDate", "null")
    assert inspected(document).annotations[0].date == date
