"""Recognizes printed numbers and amounts: thousands separators, decimals, currencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

GROUP_SEPARATORS = "'’ \u00a0\u202f"  # separators between thousands, besides comma and point
NUMBER = re.compile(
    r"(?P<open>\()?(?P<sign>[-−–]\s?)?(?P<digits>\d+(?:[.,'’]\d+|[ \u00a0\u202f]\d{3}(?!\d))*)"
    r"(?P<after>-(?!\w))?(?P<close>\))?"
)
MAX_AMOUNT_CHARACTERS = 80  # the pattern takes the square of this number of steps if there is no amount
MONEY = re.compile(
    r"^\W*[^\W\d_]{0,4}\W{0,3}(?P<number>[-−–(]?\s?\d[\d.,'’ \u00a0\u202f]*[-)]?)\W{0,3}[^\W\d_]{0,4}\W*$"
)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """Characters `start` to `end` of a text, and each number that they may mean: `1.234` is two."""

    start: int
    end: int
    text: str
    values: frozenset[Decimal]


def numbers_in(text: str) -> Iterator[PrintedNumber]:
    """The numbers of a text, from its begin on."""
    for match in NUMBER.finditer(text):
        negative = bool(match["sign"] or match["after"] or (match["open"] and match["close"]))
        start, end = match.span("digits")
        values = readings(match["digits"])
        if negative:
            # a dash before a number may also be a range or a list: both are possible
            values |= frozenset(-value for value in values)
        yield PrintedNumber(start, end, match["digits"], values)


def readings(digits: str) -> frozenset[Decimal]:
    """What digits with separators may mean: `1,234` a thousand and more, or one and a part."""
    for group in GROUP_SEPARATORS:
        digits = digits.replace(group, "")
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return frozenset({Decimal(digits)})
    parts = re.split(r"[.,]", digits)
    values: set[Decimal] = set()
    if len(set(marks)) == 1:
        grouped = all(len(part) == 3 for part in parts[1:]) and 1 <= len(parts[0]) <= 3
        if grouped:
            values.add(Decimal("".join(parts)))
        if len(marks) == 1:
            values.add(Decimal(f"{parts[0]}.{parts[1]}"))
    elif marks.count(marks[-1]) == 1 and all(len(part) in (2, 3) for part in parts[1:-1]):  # India groups by two
        values.add(Decimal(f"{''.join(parts[:-1])}.{parts[-1]}"))
    return frozenset(values)


def amount_in(text: str) -> Decimal | None:
    """The number of a text that is a number or an amount of money and nothing else; None: it is not, or not clearly."""
    match = MONEY.match(text) if len(text) <= MAX_AMOUNT_CHARACTERS else None
    numbers = list(numbers_in(text)) if match else []
    if len(numbers) != 1:
        return None
    values = {value for value in numbers[0].values if value >= 0}
    negative = len(numbers[0].values) > len(values)
    if len(values) != 1:
        return None
    (value,) = values
    return -value if negative else value
