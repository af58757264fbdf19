"""Citation marks, however the text comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.answers.citation_marks import MAX_MARK_CHARACTERS, CitationMarks


def visible_text_of(text, num_passages=3):
    marks = CitationMarks(num_passages)
    return marks.push(text) + marks.finish(), marks.cited, marks.dropped


@pytest.mark.parametrize(
    ("text", "shown", "cited", "dropped"),
    [
        ("Ships wait [2].", "Ships wait [2].", (2,), ()),
        ("A [3]. B [1][3].", "A [3]. B [1][3].", (3, 1), ()),
        ("A [1, 2].", "A [1][2].", (1, 2), ()),
        ("A [1-3].", "A [1][2][3].", (1, 2, 3), ()),
        ("A [9].", "A.", (), ("9",)),
        ("A [0] b.", "A b.", (), ("0",)),
        ("A [2; 7].", "A [2].", (2,), ("7",)),
        ("A [2-9000].", "A [2][3].", (2, 3), ("9000",)),
        ("See [sic] and x[i].", "See [sic] and x[i].", (), ()),
        ("Cut off [1", "Cut off [1", (), ()),
    ],
)
def test_marks_that_name_no_passage_are_left_out(text, shown, cited, dropped):
    """A number that leads nowhere looks like a source."""
    assert visible_text_of(text) == (shown, cited, dropped)


def test_a_bracket_that_never_closes_holds_nothing_back_for_long():
    """Guards against a stream that stands still, and against memory that grows with it."""
    marks = CitationMarks(3)
    assert marks.push("[" + "1, " * 100)
    assert len(marks._held) <= MAX_MARK_CHARACTERS + 2


@given(st.lists(st.sampled_from(["[1]", " [2", "]", "[", "7", ", ", "-", " ", "text", "\n", "]."])), st.data())
def test_how_the_text_is_cut_into_pieces_does_not_matter(parts, cuts):
    """A mark that falls between two pieces must not get through."""
    text = "".join(parts)
    at = sorted(cuts.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    marks = CitationMarks(3)
    pieces = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
    shown = "".join(marks.push(piece) for piece in pieces) + marks.finish()
    assert (shown, marks.cited, marks.dropped) == visible_text_of(text)
