"""Dates are found as they are printed."""

from __future__ import annotations

from datetime import date

import pytest

from documents.matching.dates import date_in, dates_in


@pytest.mark.parametrize(
    "text",
    [
        "2024年3月4日",
        "2024 年 3 月 4 日",
        "２０２４年３月４日",
        "二〇二四年三月四日",
        "令和6年3月4日",
        "民國113年3月4日",
        "2024년 3월 4일",
        "4 марта 2024",
        "4 марта 2024 г.",
        "4 березня 2024",
        "4 marca 2024",
        "4. března 2024",
        "4 Mart 2024",
        "4 Μαρτίου 2024",
        "4. maaliskuuta 2024",
        "4. marts 2024",
        "٤ مارس ٢٠٢٤",
        "٤ مارس، ٢٠٢٤",
        "4 آذار 2024",
        "٢٠٢٤/٠٣/٠٤",
        "4. März 2024",
        "March 4th, 2024",
        "4 de março de 2024",
    ],
)
def test_a_date_means_one_day_in_every_language(text):
    """Guards against `2024-03-04` without a place on a page that says 2024年3月4日."""
    assert [set(printed.days.values()) for printed in dates_in(text)] == [{date(2024, 3, 4)}]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("平成元年十二月二十五日", date(1989, 12, 25)),
        ("昭和64年1月7日", date(1989, 1, 7)),
        ("15 تشرين الثاني 2023", date(2023, 11, 15)),
        ("1 января 1999", date(1999, 1, 1)),
    ],
)
def test_eras_han_numbers_and_months_of_two_words_are_read(text, day):
    assert date_in(text) is not None
    assert set(date_in(text).days.values()) == {day}


@pytest.mark.parametrize(
    "text", ["2024年", "三十三年三月四日", "12年3月4日", "2024年13月4日", "4 марок 2024", "9999 ocak"]
)
def test_what_names_no_day_is_no_date(text):
    assert list(dates_in(text)) == []
