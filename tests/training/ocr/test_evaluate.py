"""The measures of reading, and the shipped checkpoint by them."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from training.ocr.evaluate import evaluate, figures
from training.ocr.levenshtein import distance, leaders

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "ocr-compact"


@given(st.text(alphabet="abc é", max_size=20), st.text(alphabet="abc é", max_size=20))
def test_distance_is_that_of_levenshtein(a, b):
    """A measure that is wrong makes every figure wrong."""
    assert distance(a, b) == Levenshtein.distance(a, b)


def test_leaders_are_equal_however_they_are_spaced():
    """A contents page would count a hundred errors for its dots."""
    assert leaders("One . . . . . . 7") == leaders("One ...... 7")


def test_the_shipped_checkpoint_reads_strips():
    """A checkpoint that came apart from its recipe reads at random."""
    scores = evaluate(CHECKPOINT, [], count=6)
    assert scores[0].name == "cer_seen_fonts"
    assert scores[0].cer < 0.25
    assert figures(scores)["strips_per_second"] > 0
