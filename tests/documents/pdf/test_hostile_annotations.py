"""Odd and countless annotations lose no page, no word and no other comment."""

from __future__ import annotations

import pytest
from commented_pages import SENTENCE, inspected, opened, page_with_text, texts

from documents.pdf import annotations
from documents.pdf.annotations import MAX_ANNOTATIONS, MAX_PAGE_CHARACTERS


def hostile(document, page, count):
    """So many annotations that share one dictionary's text."""
    xref = page.annot_xrefs()[0][0]
    source = document.xref_object(xref)
    copies = []
    for _ in range(count):
        copies.append(document.get_new_xref())
        document.update_object(copies[-1], source)
    document.xref_set_key(page.xref, "Annots", f"[{' '.join(f'{copy} 0 R' for copy in copies)}]")


def test_comments_beyond_the_limit_are_reported():
    document, page = page_with_text()
    page.add_text_annot((300, 200), "a")
    hostile(document, page, MAX_ANNOTATIONS + 5)
    inspection = inspected(document)
    assert len(inspection.annotations) == MAX_ANNOTATIONS
    assert [(warning.code, warning.page) for warning in inspection.warnings] == [("cut_short", 1)]


def test_the_text_of_all_comments_is_bounded():
    document, page = page_with_text()
    page.add_text_annot((300, 200), "a" * 30_000)
    hostile(document, page, 100)
    inspection = inspected(document)
    assert sum(len(one.text) for one in inspection.annotations) <= MAX_PAGE_CHARACTERS
    assert inspection.warnings[0].code == "cut_short"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("QuadPoints", "[1 2 3]"),
        ("QuadPoints", "(text)"),
        ("QuadPoints", "[1e38 1e38 1e38 1e38 -1e38 1e38 1e38 1e38]"),
        ("Rect", "[0 0]"),
        ("IRT", "999 0 R"),
        ("Contents", "[1]"),
        ("T", "<<>>"),
    ],
)
def test_an_odd_annotation_loses_no_page(key, value):
    document, page = page_with_text()
    mark = page.add_highlight_annot(page.search_for("berth", quads=True))
    document.xref_set_key(mark.xref, key, value)
    inspection = inspected(document)
    assert SENTENCE in texts(inspection)
    inspection.model_dump_json()


def test_an_odd_annotation_loses_no_other_comment():
    """One piece of free text without a box of its drawing put all later comments into the text of the page."""
    document, page = page_with_text()
    first = page.add_freetext_annot((300, 300, 420, 330), "first", fill_color=(1, 1, 0))
    page.add_freetext_annot((300, 400, 420, 430), "second")
    appearance = int(document.xref_get_key(first.xref, "AP/N")[1].split()[0])
    document.xref_set_key(appearance, "BBox", "null")
    inspection = inspected(document)
    assert texts(inspection) == [SENTENCE, "A second paragraph follows."]
    assert [one.text for one in inspection.annotations] == ["first", "second"]


def test_a_comment_that_cannot_be_read_loses_no_other(monkeypatch):
    document, page = page_with_text()
    page.add_text_annot((300, 200), "odd")
    page.add_text_annot((300, 300), "sound")
    comment = annotations._comment

    def failing(stored):
        text = comment(stored)
        if text == "odd":
            raise ValueError
        return text

    monkeypatch.setattr(annotations, "_comment", failing)
    assert [one.text for one in inspected(document).annotations] == ["sound"]


def test_drawings_that_say_nothing_hide_no_comment_behind_them():
    """Four thousand lines of a drawing ended the walk: a comment behind them was text of the page."""
    document, page = page_with_text()
    page.add_line_annot((10, 10), (20, 20))
    hostile(document, page, 2 * MAX_ANNOTATIONS + 5)
    page = document.reload_page(page)
    page.add_freetext_annot((300, 300, 420, 330), "late")
    inspection = inspected(document)
    assert [one.text for one in inspection.annotations] == ["late"]
    assert texts(inspection) == [SENTENCE, "A second paragraph follows."]
    assert inspection.warnings == ()


def test_comments_that_are_not_looked_at_are_reported():
    document, page = page_with_text()
    page.add_text_annot((300, 200), "unseen").set_flags(2)
    hostile(document, page, 2 * MAX_ANNOTATIONS + 5)
    inspection = inspected(document)
    assert inspection.annotations == ()
    assert [warning.code for warning in inspection.warnings] == ["cut_short"]


def test_what_the_page_draws_itself_is_not_hidden_with_a_comment():
    """The page may draw the same stream that free text shows: its words were lost."""
    document, page = page_with_text()
    annotation = page.add_freetext_annot((300, 300, 420, 330), "shared words", fill_color=(1, 1, 1))
    appearance = document.xref_get_key(annotation.xref, "AP/N")[1]
    resources = int(document.xref_get_key(page.xref, "Resources")[1].split()[0])
    document.xref_set_key(resources, "XObject", f"<</Fx {appearance}>>")
    document.update_stream(page.get_contents()[0], page.read_contents() + b" q 1 0 0 1 0 -200 cm /Fx Do Q ")
    file = opened(document)
    for inspection in (file.inspect(1), file.inspect(1)):
        assert texts(inspection).count("shared words") == 1
        assert [one.text for one in inspection.annotations] == ["shared words"]


def test_an_answer_to_itself_ends():
    document, page = page_with_text()
    note = page.add_text_annot((300, 200), "me")
    document.xref_set_key(note.xref, "IRT", f"{note.xref} 0 R")
    assert inspected(document).annotations[0].reply_to is None
