"""Finds the digits of a written text that none of its sources prints: as digits, as a number, or as a date."""

from __future__ import annotations

import re
from collections.abc import Iterable

from documents.matching.dates import dates_in
from documents.matching.numbers import PrintedNumber, numbers_in
from documents.region_values import TextRange
from documents.text.digit_strings import digit_strings, without_marked

# number of a list item, which a table writer counts by itself
_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,2}[.)](?=\s)", re.MULTILINE)
# maximum length of sources that are compared; digits that only stand behind it are not printed
MAX_SOURCE_CHARACTERS = 200_000


def unprinted_digits(text: str, sources: Iterable[str]) -> tuple[TextRange, ...]:
    """Where such digits stand; `1,234.50` is printed as a whole or not, and digits behind a mark prove nothing."""
    printed = without_marked("\n".join(sources)[:MAX_SOURCE_CHARACTERS])
    numbers = list(numbers_in(printed))
    values = {value for number in numbers for value in number.values}
    strings = {digits.value for digits in digit_strings(printed)}
    own = [match.span() for match in _LIST_NUMBER.finditer(text)]
    dates = list(dates_in(text))
    if dates:
        printed_dates = list(dates_in(printed))
        own += [(one.start, one.end) for one in dates if any(map(one.same_day, printed_dates))]
    return tuple(
        TextRange(start=number.start, end=number.end)
        for number in numbers_in(text)
        if not (values.intersection(number.values) and not _has_leading_zero(number))
        and not (number.text.isdecimal() and strings.issuperset(one.value for one in digit_strings(number.text)))
        and not any(start <= number.start and number.end <= end for start, end in own)
    )


def _has_leading_zero(number: PrintedNumber) -> bool:
    """Whether its digits say more than its value: `09` is of a time or a code."""
    return len(number.text) > 1 and number.text.isdecimal() and number.text.startswith("0")
