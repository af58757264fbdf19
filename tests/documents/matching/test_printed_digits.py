"""Digits of a written text that its sources do not print."""

import time

import pytest

from documents.matching.printed_digits import unprinted_digits


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
