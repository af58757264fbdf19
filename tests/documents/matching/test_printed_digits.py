"""Digits of a written text that its sources do not print."""

import time

import pytest

from documents.matching.lines import printed_lines
from documents.matching.matcher import Leaf, Matcher
from documents.matching.printed_digits import unprinted_digits
from documents.region_values import Span, TextRange, region_of
from documents.values import Page
from tests.documents.page_making import box


def unprinted(text, *sources):
    return [text[one.start : one.end] for one in unprinted_digits(text, sources)]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It is 1,234.50 EUR", "Sum: 1.234,50 €"),
        ("On 5 March 2024", "Date 2024-03-05"),
        ("1. ropes of 12 m\n2. nets of 13 m", "12 m and 13 m"),
        ("Call 0049 30 1234567", "Tel. 0049 30 1234567"),
    ],
)
def test_what_is_printed_otherwise_is_printed(text, source):
    assert unprinted(text, source) == []


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("It is 1,294.50 EUR", "Sum: 1.234,50 €; 294", ["1,294.50"]),
        ("On 6 March 2024", "Date 2024-03-05", ["6"]),
        ("At 09 h", "9 boats", ["09"]),
        ("It is 1,234", "It is 1,234[?]", ["1,234"]),
    ],
)
def test_other_digits_are_not(text, source, expected):
    assert unprinted(text, source) == expected


@pytest.mark.parametrize("source", ["1" * 200_000, "1." * 100_000, "1 " * 100_000, "1/" * 100_000])
def test_a_source_of_digits_alone_is_compared_in_time(source):
    begun = time.perf_counter()
    unprinted("7" * 2000 + " 1 Jan 2024", source)
    assert time.perf_counter() - begun < 5


def test_a_value_whose_digits_no_further_look_confirmed_is_marked_where_it_is_found():
    """Guards against a misread total that passes for a printed one."""
    text = "Sum 1,240\nPaid 310"
    spans = [
        Span(text="Sum 1,240", box=box(0, 0, 90, 10), source="ocr", text_start=0, text_end=9),
        Span(text="Paid 310", box=box(0, 12, 90, 22), source="ocr", text_start=10, text_end=18),
    ]
    region = region_of(
        "plain text",
        box=box(0, 0, 90, 22),
        score=1.0,
        text=text,
        text_source="ocr",
        spans=spans,
        unproved=[TextRange(start=4, end=9)],
    )
    matcher = Matcher(printed_lines([Page(number=1, size=(100, 100), regions=(region,))]))
    total, paid = matcher.match([Leaf(path=("total",), value=1240), Leaf(path=("paid",), value=310)])
    assert (total.match, total.unproved) == ("normalised", True)
    assert (paid.match, paid.unproved) == ("exact", False)
