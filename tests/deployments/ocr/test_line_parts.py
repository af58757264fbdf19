"""A line that was read is parted where a text layer would be: at gaps as wide as those between columns."""

from __future__ import annotations

import pymupdf
import pytest

from deployments.ocr.line_parts import parted_at_gaps
from documents.boxes import BoundingBox
from documents.values import ReadLine

SIZE = 20.0
EDGES = "Alma", "crew", "6,120"


def line(gap: float, *, words: bool = True) -> ReadLine:
    """Three words with a space between the first two, and `gap` type sizes before the last one."""
    x, boxes = 0.0, []
    for text, before in zip(EDGES, (0.0, 0.3, gap), strict=True):
        x += before * SIZE
        boxes.append(BoundingBox(x0=x, y0=100, x1=x + 10 * len(text), y1=100 + 0.93 * SIZE))
        x = boxes[-1].x1
    return ReadLine(
        text=" ".join(EDGES),
        box=BoundingBox.around(boxes),
        words=tuple(boxes) if words else (),
        confidence=0.8,
        word_confidences=(0.9, 0.8, 0.7),
    )


def test_words_with_a_wide_gap_between_them_are_lines_of_their_own() -> None:
    """Guards against cells of a table that are one segment, which the structure network takes for text."""
    name, value = parted_at_gaps(line(1.2))
    assert (name.text, value.text) == ("Alma crew", "6,120")
    assert (name.word_confidences, value.word_confidences) == ((0.9, 0.8), (0.7,))
    assert value.confidence == pytest.approx(0.7)
    assert (value.box.x0, value.box.x1) == (value.words[0].x0, value.words[0].x1)


def test_each_part_is_as_high_as_its_own_letters_reach() -> None:
    """Guards against type sizes that are a third too large, as of a figure in a line with tails."""
    whole = line(1.2)
    name, value = parted_at_gaps(whole)
    assert value.box.y1 == whole.box.y1  # the comma has a tail
    assert name.box.y1 == pytest.approx(whole.box.y0 + 0.72 * SIZE)  # these letters have none
    assert {word.y1 for word in name.words} == {name.box.y1}


@pytest.mark.parametrize("whole", [line(0.5), line(1.2, words=False)], ids=["narrow gaps", "no places of words"])
def test_other_lines_stay_whole(whole: ReadLine) -> None:
    assert parted_at_gaps(whole) == [whole]


@pytest.mark.parametrize("gap", [0.6, 1.0])
def test_lines_are_parted_where_mupdf_parts_those_of_a_text_layer(gap: float) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((50, 100), "Alma", fontsize=SIZE)
        start = 50 + pymupdf.get_text_length("Alma", fontsize=SIZE) + gap * SIZE
        page.insert_text((start, 100), "six", fontsize=SIZE)
        printed = [line for block in page.get_text("dict")["blocks"] for line in block["lines"]]
    assert len(printed) == len(parted_at_gaps(line(gap)))
