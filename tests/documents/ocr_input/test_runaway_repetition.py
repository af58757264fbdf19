"""`documents.ocr_input.runaway_repetition`: what a runaway reader says again and again is kept once."""

from hypothesis import given
from hypothesis import strategies as st

from documents.ocr_input.runaway_repetition import without_runaway


def test_the_tail_is_kept_once() -> None:
    """Guards against a page of the same words, the last of them broken off."""
    assert without_runaway("It began well " + "and so on " * 12 + "and s") == "It began well and so on"


def test_honest_text_stays() -> None:
    """Guards against figures and names that are cut because they repeat a little."""
    for text in ("", "Walla Walla", "0 0 0 0", "no no no", "the end of the line at the end of the line"):
        assert without_runaway(text) == text


@given(st.text(alphabet="abc d", max_size=60), st.text(alphabet="xyz ", min_size=1, max_size=20))
def test_what_is_left_is_a_beginning(start: str, unit: str) -> None:
    """Guards against words that the reader never said, and against runaways that get through."""
    whole = start + unit * 30
    left = without_runaway(whole)
    assert whole.startswith(left)
    assert len(left) <= len(start) + len(unit) + 20
