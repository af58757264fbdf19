"""Recognizes printed dates in many formats and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

Order = Literal["ymd", "dmy", "mdy"]
CENTURY = 2000
PIVOT = 70  # two digits from here on are of the century before
MONTHS: tuple[tuple[str, ...], ...] = (  # English, German, French, Spanish, Italian, Portuguese, Dutch, Malay
    ("january", "jan", "januar", "jänner", "janvier", "enero", "ene", "gennaio", "gen", "janeiro", "januari"),
    ("february", "feb", "februar", "février", "fevrier", "febrero", "febbraio", "fevereiro", "fev", "februari"),
    ("march", "mar", "märz", "maerz", "mrz", "mars", "marzo", "março", "marco", "maart", "mac"),
    ("april", "apr", "avril", "abril", "abr", "aprile"),
    ("may", "mai", "mayo", "maggio", "mag", "maio", "mei"),
    ("june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho"),
    ("july", "jul", "juli", "juillet", "julio", "luglio", "lug", "julho", "julai"),
    ("august", "aug", "août", "aout", "agosto", "ago", "augustus", "ogos"),
    ("september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro"),
    ("october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out"),
    ("november", "nov", "novembre", "noviembre", "novembro"),
    ("december", "dec", "dezember", "dez", "décembre", "decembre", "diciembre", "dic", "dicembre", "dezembro", "dis"),
)
MONTH_OF = {name: number for number, names in enumerate(MONTHS, 1) for name in names}
NAMES = "|".join(sorted(map(re.escape, MONTH_OF), key=len, reverse=True))
NUMERIC = re.compile(r"(?<!\d)(\d{1,4})\s?([-./ ])\s?(\d{1,2})\s?\2\s?(\d{1,4})(?!\d)")
DAY_MONTH = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.|º|er)?[\s,./'’-]{{0,10}}(?:of |de |di )?({NAMES})"
    r"\.?(?: de)?[\s,./'’-]{0,10}(\d{4}|\d{2})(?!\d)",
    re.I,
)
MONTH_DAY = re.compile(
    rf"(?<!\w)({NAMES})\.?[\s./-]{{0,10}}(\d{{1,2}})(?:st|nd|rd|th)?[\s,./'’-]{{1,10}}(\d{{4}}|\d{{2}})(?!\d)", re.I
)


@dataclass(frozen=True, slots=True)
class PrintedDate:
    """Characters `start` to `end` of a text, and the day that they mean by each order in which they make sense."""

    start: int
    end: int
    days: dict[Order, date]

    def same_day(self, other: PrintedDate) -> bool:
        """Whether both mean one day: in the same order, or where one of them leaves no doubt."""
        if len(set(self.days.values())) == 1 or len(set(other.days.values())) == 1:
            return not set(self.days.values()).isdisjoint(other.days.values())
        return any(self.days[order] == other.days.get(order) for order in self.days)


def dates_in(text: str) -> Iterator[PrintedDate]:
    """The dates of a text."""
    for match in NUMERIC.finditer(text):
        days = _numeric(match[1], match[3], match[4])
        if days:
            yield PrintedDate(match.start(), match.end(), days)
    for match in DAY_MONTH.finditer(text):
        day = _day(match[3], MONTH_OF[match[2].lower()], int(match[1]))
        if day is not None:
            yield PrintedDate(match.start(), match.end(), {"dmy": day})
    for match in MONTH_DAY.finditer(text):
        day = _day(match[3], MONTH_OF[match[1].lower()], int(match[2]))
        if day is not None:
            yield PrintedDate(match.start(), match.end(), {"mdy": day})


def date_in(text: str) -> PrintedDate | None:
    """The date that a text is, with a time behind it at most; None: it is none."""
    text = re.sub(r"[T\s]\d{1,2}:\d{2}.*$", "", text.strip())
    return next(
        (printed_date for printed_date in dates_in(text) if printed_date.start == 0 and printed_date.end == len(text)),
        None,
    )


def _numeric(first: str, second: str, third: str) -> dict[Order, date]:
    if len(first) == 4:
        day = _day(first, int(second), int(third)) if len(third) <= 2 else None
        return {} if day is None else {"ymd": day}
    if len(first) == 3 or len(third) not in (2, 4):
        return {}
    readings: tuple[tuple[Order, date | None], ...] = (
        ("dmy", _day(third, int(second), int(first))),
        ("mdy", _day(third, int(first), int(second))),
    )
    days: dict[Order, date] = {order: day for order, day in readings if day is not None}
    if len(third) == 2 and len(first) == 2 and (day := _day(first, int(second), int(third))) is not None:
        days["ymd"] = day
    return days


def _day(year: str, month: int, day: int) -> date | None:
    number = int(year)
    if len(year) <= 2:
        number += CENTURY if number < PIVOT else CENTURY - 100
    try:
        return date(number, month, day)
    except ValueError:
        return None
