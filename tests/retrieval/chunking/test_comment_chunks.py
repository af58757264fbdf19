"""Comments are found as chunks of their own kind, beside the text and not in it."""

from __future__ import annotations

import pytest

from documents.boxes import BoundingBox
from documents.exports.html import to_html
from documents.exports.markdown import markdown
from documents.exports.plain_text import plain_text
from documents.region_values import Span, region_of
from documents.values import Annotation, Document, Page
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk
from retrieval.chunking.comment_chunks import _threads, all_chunks
from retrieval.search.search_filter import Filter
from tests.documents.work import steps_of

PLACE = BoundingBox(x0=60, y0=100, x1=200, y1=112)


def annotation(kind="note", **fields):
    return Annotation(kind=kind, box=PLACE, **fields)


def document_of(*annotations):
    span = Span(text="The berth fee is due.", box=PLACE, source="text_layer")
    text = region_of("plain text", box=PLACE, score=1, spans=(span,), text=span.text, order=0)
    page = Page(number=1, size=(600, 800), regions=(text,), annotations=annotations)
    return Document(id="d", revision=1, pages=(page,))


def comments_of(*annotations, max_tokens=200):
    return [
        piece for piece in all_chunks(document_of(*annotations), ByteCounter(), max_tokens) if piece.kind == "comment"
    ]


def test_a_comment_is_a_chunk_with_the_words_that_it_marks_and_its_author():
    (piece,) = comments_of(annotation("highlight", words="berth fee", text="Which year?", author="Ada"))
    assert (piece.text, piece.heading_path, piece.kind) == ("berth fee\n\nWhich year?", ("Ada",), "comment")
    assert [piece.text[span.text_start : span.text_end] for span in piece.spans] == ["berth fee", "Which year?"]
    assert {(span.page, span.box) for span in piece.spans} == {(1, PLACE)}


def test_answers_stand_behind_what_they_answer():
    (piece,) = comments_of(
        annotation(text="No.", author="Ruth", reply_to=1), annotation("note", text="Is it due?", author="Ada")
    )
    assert (piece.text, piece.heading_path) == ("Is it due?\n\nNo.", ("Ada",))


def test_marks_that_nobody_commented_make_no_chunk():
    assert comments_of(annotation("highlight", words="berth fee"), annotation("underline", words="due")) == []


def test_what_stamps_show_is_found():
    assert [piece.text for piece in comments_of(annotation("stamp", words="PAID"))] == ["PAID"]


def test_a_long_comment_is_cut_to_the_budget():
    pieces = comments_of(annotation(text="word " * 400, author="Ada"), max_tokens=100)
    assert len(pieces) > 1
    assert all(piece.num_tokens <= 100 for piece in pieces)
    assert " ".join(piece.text for piece in pieces).split() == ["word"] * 400
    assert len({piece.id for piece in pieces}) == len(pieces)


@pytest.mark.parametrize("answers", [(1, 0), (0, 0), (5, None), (1, 2)])
def test_answers_in_a_circle_or_to_nothing_end(answers):
    pieces = comments_of(*(annotation(text=f"comment {k}", reply_to=above) for k, above in enumerate(answers)))
    text = " ".join(piece.text for piece in pieces)
    assert all(f"comment {k}" in text for k in range(len(answers)))


def test_each_comment_of_a_thread_is_looked_at_once():
    """A thread of 2,000 answers took minutes: each one was followed from its own place."""

    def steps(num_comments):
        answers = [annotation(reply_to=index + 1) for index in range(num_comments - 1)]
        return steps_of(lambda: list(_threads([*answers, annotation(text="Is it due?")])))

    assert steps(800) < 2.5 * steps(400)


def test_answers_that_lead_into_a_circle_stand_behind_its_first_comment():
    pieces = comments_of(*(annotation(text=f"comment {k}", reply_to=above) for k, above in enumerate((2, 2, 1))))
    assert [piece.text.split("\n\n") for piece in pieces] == [["comment 1", "comment 0", "comment 2"]]


def test_no_comment_is_in_the_text():
    document = document_of(annotation(text="Which year?"), annotation("free_text", text="beside"))
    texts = [markdown(document), plain_text(document), to_html(document, {})]
    texts += [piece.text for piece in chunk(document, ByteCounter(), 200)]
    assert not any("Which year?" in text or "beside" in text for text in texts)


def test_a_filter_takes_comments_as_a_kind():
    assert Filter.model_validate({"kind": "comment"}).kind == ("comment",)
