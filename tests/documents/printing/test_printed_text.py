"""Text is found where it is printed, also where it stands twice or is broken over lines and pages."""

from __future__ import annotations

import pytest

from documents.boxes import BoundingBox
from documents.printing import printed_text
from documents.printing.printed_text import PrintedText


def lines(*texts: tuple[int, str]) -> PrintedText:
    return PrintedText(
        (page, text, BoundingBox(x0=10, y0=20 * k, x1=10 + 5 * len(text), y1=20 * k + 12))
        for k, (page, text) in enumerate(texts)
    )


def test_a_paragraph_over_two_lines_has_the_box_of_both() -> None:
    printed = lines((1, "Head"), (1, "The tide was high and"), (1, "the ferry did not come."), (2, "Another page"))
    box = printed.find("The tide was high and the ferry did not come.")
    assert box is not None
    assert (box.page, box.box[1], box.box[3]) == (1, 20, 52)


def test_equal_texts_are_found_one_after_the_other() -> None:
    """Guards against three rows of `yes` that all have the first one's box."""
    printed = lines((1, "yes"), (1, "no"), (1, "yes"), (2, "yes"))
    boxes = [printed.find(text) for text in ("yes", "no", "yes", "yes")]
    assert [(box.page, box.box[1]) for box in boxes if box is not None] == [(1, 0), (1, 20), (1, 40), (2, 60)]


def test_what_is_not_printed_has_no_box() -> None:
    """Guards against a box that is better than none: a citation must never point at other words."""
    printed = lines((1, "The tide was high and"), (1, "the ferry did not come."))
    assert printed.find("A speaker note about the weather of tomorrow") is None
    assert printed.find("…") is None
    assert lines().find("words") is None


def test_words_over_two_pages_have_the_box_of_most_of_them() -> None:
    printed = lines((1, "one two"), (2, "three four five six"))
    box = printed.find("one two three four five six")
    assert box is not None
    assert box.page == 2


def test_of_repeated_text_only_the_places_near_the_last_one_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against work that grows with the square of a document: of 5,000 equal words each looked at all others."""
    distances: list[int] = []

    def distance(places: int) -> int:
        distances.append(places)
        return abs(places)

    printed = lines(*((1, "a") for _ in range(5_000)))
    monkeypatch.setattr(printed_text, "abs", distance, raising=False)
    boxes = [printed.find("a") for _ in range(200)]
    assert [box.box[1] for box in boxes if box is not None] == [20 * k for k in range(200)]
    assert len(distances) < 200 * 200
