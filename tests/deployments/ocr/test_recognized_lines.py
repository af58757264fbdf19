"""Completions become lines, and only lines that can be believed become text."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import numpy as np
import pytest

from batching import Completion, FinishReason
from batching.requests.completion import Timings
from deployments.ocr.recognized_lines import Piece, reading_of
from deployments.ocr.second_reader import read_again
from deployments.ocr.unreadable_words import without_unreadable_words
from documents.boxes import BoundingBox
from documents.ocr_input.line_strips import Strip
from documents.ocr_input.tesseract import ReadWord
from documents.ocr_input.word_confidence import Calibration
from documents.values import Reading, ReadLine

TIMES = Timings(queued_s=0.0, first_token_s=0.0, total_s=0.0)


def completion(text: str, sure: float, reason: FinishReason = FinishReason.STOP) -> Completion:
    count = len(text) + (reason is FinishReason.STOP)
    return Completion(
        token_ids=[1] * count,
        text=text,
        finish_reason=reason,
        timings=TIMES,
        mean_logprob=math.log(sure),
        token_logprobs=(math.log(sure),) * count,
    )


def piece(y: float) -> Piece:
    place = BoundingBox(x0=0, y0=y, x1=200, y1=y + 20)
    return Piece(place, (), Strip(box=place, squares=(), sizes=((200, 20), (200, 20))))


def whole(*lines: Completion) -> Reading:
    pieces = [piece(30 * k) for k in range(len(lines))]
    return reading_of(pieces, [[line] for line in lines], reader="ours", calibration=Calibration())


def reading(least: float, *lines: Completion) -> Reading:
    return without_unreadable_words(whole(*lines), least)


def line_of(text: str, *sure: float, with_words: bool = True) -> Reading:
    """Words of ten pixels each, one after the other."""
    box = BoundingBox(x0=0, y0=0, x1=10 * len(sure), y1=20)
    words = tuple(BoundingBox(x0=10 * k, y0=0, x1=10 * k + 10, y1=20) for k in range(len(sure))) if with_words else ()
    return Reading(text=text, lines=(ReadLine(text=text, box=box, words=words, confidence=0.7, word_confidences=sure),))


def test_a_line_that_cannot_be_believed_is_a_guess_with_its_place_and_no_text() -> None:
    """Guards against words that were invented from a rule and are found by a search."""
    read = reading(0.5, completion("Total due", 0.95), completion("wstown conse", 0.3))
    assert read.text == "Total due"
    assert [line.text for line in read.lines] == ["Total due"]
    (guess,) = read.unreadable
    assert (guess.text, guess.confidence, guess.box.y0) == ("wstown conse", 0.3, 30)
    assert read.confidence == pytest.approx(0.95)


def test_with_a_threshold_of_nothing_all_is_text() -> None:
    assert reading(0.0, completion("wstown", 0.1)).text == "wstown"


def test_a_page_of_which_nothing_can_be_believed_has_no_text_and_no_confidence() -> None:
    read = reading(0.5, completion("w w", 0.1))
    assert (read.text, read.lines, read.confidence) == ("", (), None)


def test_doubtful_words_of_a_line_are_guesses_in_their_places_and_the_others_its_text() -> None:
    """Guards against a page of which one bad word in each line takes all others along."""
    read = without_unreadable_words(line_of("the harbonr lgo was closed", 0.9, 0.4, 0.5, 0.9, 0.95), 0.7)
    (line,) = read.lines
    assert (read.text, line.word_confidences, len(line.words)) == ("the was closed", (0.9, 0.9, 0.95), 3)
    (guess,) = read.unreadable
    assert (guess.text, guess.box.x0, guess.box.x1) == ("harbonr lgo", 10, 30)
    assert 0.4 < guess.confidence < 0.5


def test_a_line_of_which_few_letters_are_sure_is_unreadable_as_a_whole() -> None:
    """Guards against "a" and "w" that are left of a line of rubbish."""
    read = without_unreadable_words(line_of("a wstown w conse", 0.9, 0.4, 0.9, 0.5), 0.7)
    assert (read.text, [line.text for line in read.unreadable]) == ("", ["a wstown w conse"])


def test_words_of_which_nobody_knows_the_place_have_that_of_their_line() -> None:
    (guess,) = without_unreadable_words(line_of("closed lgo", 0.9, 0.1, with_words=False), 0.7).unreadable
    assert (guess.text, guess.box.x0, guess.box.x1) == ("lgo", 0, 20)


def test_every_word_has_its_own_confidence() -> None:
    (line,) = reading(0.0, completion("three small words", 0.9)).lines
    assert line.word_confidences == pytest.approx((0.9, 0.9, 0.9), abs=1e-3)


def test_what_a_sequence_that_was_ended_repeats_is_a_guess_and_told() -> None:
    read = reading(0.1, completion("the conse the conse the conse the conse", 0.99, FinishReason.REPETITION))
    assert (read.text, [line.text for line in read.unreadable]) == ("", ["the conse"])


def test_with_a_threshold_of_nothing_what_repeats_itself_is_kept_once() -> None:
    read = reading(0.0, completion("the conse the conse the conse the conse", 0.9, FinishReason.REPETITION))
    assert read.text == "the conse"
    assert [warning.code for warning in read.warnings] == ["repetition_cut"]


class Other:
    """Reads every line as the same words."""

    def __init__(self, *words: ReadWord) -> None:
        self.words, self.shapes = words, []

    async def read(self, lines: Sequence[np.ndarray]) -> list[tuple[ReadWord, ...]]:
        self.shapes += [line.shape for line in lines]
        return [self.words for _ in lines]


def again(other: Other, *lines: Completion) -> Reading:
    picture = np.full((200, 220, 3), 255, np.uint8)
    return without_unreadable_words(asyncio.run(read_again(whole(*lines), picture, other, doubtful=0.85)), 0.5)


def test_doubtful_lines_are_taken_from_a_surer_second_reader_in_their_place() -> None:
    """Guards against text of another reader that nobody can tell, and against lines out of order."""
    other = Other(ReadWord("Total", 0.9), ReadWord("12.50", 0.96))
    read = again(other, completion("T0ta1 i2", 0.4), completion("Thank you", 0.97), completion("Ca5h", 0.7))
    assert read.text == "Total 12.50\nThank you\nTotal 12.50"
    assert [line.reader for line in read.lines] == ["tesseract", "", "tesseract"]
    assert read.unreadable == ()
    assert sorted(other.shapes) == [(24, 204), (28, 204)], "lines with their margins, within the picture"


def test_a_second_reader_that_is_no_surer_changes_nothing() -> None:
    other = Other(ReadWord("wstown", 0.45))
    read = again(other, completion("w w w", 0.4), completion("Thank you", 0.97))
    assert read.text == "Thank you"
    assert [line.text for line in read.unreadable] == ["w w w"]


def test_sure_lines_are_not_read_again() -> None:
    other = Other()
    assert again(other, completion("Thank you", 0.97)).text == "Thank you"
    assert other.shapes == []
