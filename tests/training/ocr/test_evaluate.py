"""The measures of reading, and the shipped checkpoint by them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from training.fonts import NoFonts
from training.ocr.evaluate import BLANK, Score, evaluate, figures, line_sets, score
from training.ocr.levenshtein import distance, leaders, loosely
from training.ocr.read import Reader
from training.ocr.sets import Line, blanks

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "ocr-compact"


@given(st.text(alphabet="abc é", max_size=20), st.text(alphabet="abc é", max_size=20))
def test_distance_is_that_of_levenshtein(a, b):
    """A measure that is wrong makes every figure wrong."""
    assert distance(a, b) == Levenshtein.distance(a, b)


def test_leaders_are_equal_however_they_are_spaced():
    """A contents page would count a hundred errors for its dots."""
    assert leaders("One . . . . . . 7") == leaders("One ...... 7")


def test_what_a_loose_truth_does_not_keep_is_no_error():
    """Truths of receipts are in capitals alone, those of forms part words at their dots."""
    assert loosely("B. A. T. “Cyprus” 03–4043") == loosely('b.a.t. "CYPRUS" 03-4043')
    assert loosely("3.60") != loosely("360")


class Echo:
    """Reads each strip as the same text."""

    def __init__(self, text):
        self._text = text

    def joined(self, lines):
        return [self._text for _ in lines]


def test_edits_are_counted_over_the_length_of_the_truth():
    """A mean over lines would let a short line weigh as much as a long one."""
    nothing = (np.full((256, 256, 3), 255, np.uint8),)
    result = score(Echo("abc"), "plain", [Line("abc", nothing), Line("abcdefg", nothing)])
    assert (result.num_edits, result.num_characters, result.num_exact) == (4, 10, 1)
    assert result.cer == 0.4


def test_real_lines_are_compared_loosely_and_others_are_not():
    """A reader of small letters would be called wrong for each letter of a receipt."""
    lines = [Line("TOTAL 3.60", (np.full((256, 256, 3), 255, np.uint8),))]
    assert score(Echo("Total3.60"), "real_receipts", lines).cer == 0.0
    assert score(Echo("Total3.60"), "plain", lines).cer > 0.0


def test_what_is_invented_on_blank_strips_is_counted_a_strip():
    """An error rate over nothing is nothing, however much is invented."""
    result = figures(evaluate({"": Echo("abcd")}, {BLANK: lambda: blanks(3)})[""])
    assert result["invented_characters_per_blank_strip"] == 4.0
    assert not any(name.startswith("cer") for name in result)


def test_sets_without_fonts_are_left_out(capsys):
    """A bare machine measures what it can."""

    def missing():
        raise NoFonts("none is installed")

    assert evaluate({"": Echo("")}, {"synthetic": missing}) == {"": []}
    assert "left out" in capsys.readouterr().out


def test_strips_per_second_are_those_of_the_plain_set_over_the_time_that_reading_took():
    """Other sets hold blank strips, or single words, which are read faster."""
    plain = Score(
        name="synthetic",
        num_edits=0,
        num_characters=40,
        num_exact=4,
        num_lines=4,
        num_squares=6,
        num_read=40,
        spent_s=2.0,
    )
    cells = replace(plain, name="cell", num_squares=100)
    assert figures([cells, plain])["strips_per_core_second"] == 3.0


def test_the_shipped_checkpoint_reads_strips():
    """A checkpoint that came apart from its recipe reads at random."""
    scores = evaluate({"": Reader(CHECKPOINT)}, {"seen_fonts": line_sets(6, [])["seen_fonts"]})[""]
    assert figures(scores)["cer_seen_fonts"] < 0.25
    assert scores[0].spent_s > 0
