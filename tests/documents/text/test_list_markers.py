"""Marks of list items are known, and what they count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.text.list_markers import Label, Lead, list_items, marker_of, marker_readings

MARK = box(60, 100, 65, 110)


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("• one", "•"),
        ("» répondit-il.", None),  # what it closes began in the line before
        ("»one« they said", None),
        ("– two", "–"),
        ("12. three", "12."),
        ("(iv) four", "(iv)"),
        ("b) five", "b)"),
        ("II. six", "II."),
        (".1 seven", ".1"),
        (".5", None),
        (".net eight", None),
        ("1999. That year", None),
        ("3.14 is less", None),
        ("A man", None),
        ("-5 degrees", None),
        ("• ", None),
        ("❑ of Wingdings", "❑"),
        ("▪Aspect Security", "▪"),
        ("•“Quoted” first", "•"),
        ("➔ next step", "➔"),
        ("− a minus that Word draws as a dash", "−"),
        ("−5 degrees", None),
        ("•••", None),
        ("–joined", None),
        ("*footnote", None),
        ("✓ all keys", "✓"),
        ("☐ open the valve", "☐"),
        ("❏ of ZapfDingbats", "❏"),
        ("✓ ✓ 384 7.1", None),  # a table's row
    ],
)
def test_bullets_numbers_and_letters_with_a_stop_are_marks(text, marker):
    """Guards against years, decimals and articles taken for items."""
    assert marker_of(text) == marker


def test_a_letter_o_and_a_guillemet_are_bullets_only_where_they_stand_apart():
    """Guards against words and ends of quotations taken for bullets, and the reverse."""
    assert marker_of("o barco chegou", Lead(MARK, 3.0)) is None
    assert marker_of("o second level", Lead(MARK, 13.0)) == "o"
    assert marker_of("» répondit-il.", Lead(MARK, 3.0)) is None
    assert marker_of("» Design a training", Lead(MARK, 13.0)) == "»"


def test_items_know_their_line_and_the_place_of_their_mark():
    """Guards against marks told for another line of the text."""
    lead = Lead(MARK, 5.0)
    items = list(list_items([("Things:", None), ("• one", lead), ("", None), ("2. two", None)], box(0, 0, 9, 9)))
    assert [(item.line, item.marker, item.box) for item in items] == [(1, "•", MARK), (3, "2.", box(0, 0, 9, 9))]


def test_a_mark_that_may_be_roman_or_a_letter_is_both():
    """Guards against `i)` after `h)` that begins a list of its own."""
    assert marker_readings("i)") == [Label("{})ia", 1), Label("{})a", 9)]
    assert marker_readings("iv.") == [Label("{}.ia", 4)]
    assert marker_readings("(B)") == [Label("({})A", 2)]
    assert marker_readings("–") == marker_readings("—") == [Label("-", 0)]


@given(st.integers(1, 20))
def test_roman_figures_count(number):
    """Guards against items of a series that seem to leave one out."""
    tens, ones = divmod(number, 10)
    figures = "x" * tens + ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][ones]
    assert number in {label.number for label in marker_readings(f"{figures})")}
