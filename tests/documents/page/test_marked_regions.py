"""Marks on a scan have the words that OCR read under them."""

from __future__ import annotations

from page_making import box, region

from documents.page.marked_regions import with_marked_words
from documents.values import Annotation

MARK = Annotation(kind="highlight", box=box(60, 100, 160, 110), parts=(box(60, 100, 108, 110),))
READ = region("The berth fee is due", corners=(60, 100, 160, 110))


def test_a_mark_without_words_gets_those_that_were_read():
    (mark,) = with_marked_words([MARK], [READ])
    assert mark.words == "The berth"


def test_a_mark_that_has_words_keeps_them():
    mark = MARK.model_copy(update={"words": "of the text layer"})
    assert with_marked_words([mark], [READ]) == (mark,)


def test_a_note_gets_none():
    note = Annotation(kind="note", text="x", box=box(60, 100, 160, 110))
    assert with_marked_words([note, MARK], [READ])[0] == note
