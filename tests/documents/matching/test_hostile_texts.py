"""Texts and values made to take a pattern the square of their length, or a value the whole document."""

from __future__ import annotations

import time

import pytest

from documents.document.assemble_document import assemble
from documents.matching.lines import printed_lines
from documents.matching.matcher import Leaf, Matcher
from documents.values import Opened
from tests.retrieval.printed_documents import document_of

SIZE = 100_000
ENOUGH_S = 8.0  # of processor time; each took minutes, and most of it kept the interpreter's lock


def matched(line: str, *values: str) -> float:
    """Seconds of processor time that it takes to find the values in the line."""
    document = document_of([("plain text", [line])])
    begun = time.process_time()
    Matcher(printed_lines(document.pages)).match([Leaf(path=(str(k),), value=value) for k, value in enumerate(values)])
    return time.process_time() - begun


@pytest.mark.parametrize(
    ("line", "value"),
    [
        pytest.param("a", "1" + "." * SIZE + "x1", id="an amount that is none"),
        pytest.param("a", "1" + " ." * SIZE + " may", id="a date that is none"),
        pytest.param("7 " * (SIZE // 4), "7", id="numbers"),
        pytest.param("a" * SIZE + " 7", "7", id="a number after a word"),
        pytest.param(("1" + "." * 50) * (SIZE // 50), "2024-05-01", id="days without a month"),
    ],
)
def test_a_value_is_found_in_time(line: str, value: str) -> None:
    assert matched(line, value) < ENOUGH_S


def test_the_dates_of_a_document_are_looked_for_once() -> None:
    """A list of dates that stand nowhere looked through the whole document for each of them."""
    values = [f"20{k % 90 + 10}-0{k % 9 + 1}-1{k % 9}" for k in range(1000)]
    assert matched("1. May 2009 and more words; " * 1000, *values) < ENOUGH_S


@pytest.mark.parametrize("unit", [".", "_", "…", ". ", "a_", "i"])
@pytest.mark.parametrize("kind", ["plain text", "title"])
def test_a_document_of_rows_of_dots_is_put_together_in_time(unit: str, kind: str) -> None:
    """A table of contents is known by its dots: the pattern went back over a row of them from each one."""
    document = document_of([(kind, [unit * (SIZE // len(unit))])])
    begun = time.process_time()
    assemble("d", 1, Opened(num_pages=1), document.pages)
    assert time.process_time() - begun < ENOUGH_S
