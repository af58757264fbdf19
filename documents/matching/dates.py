"""Recognizes printed dates in many formats and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

Order = Literal["ymd", "dmy", "mdy"]
CENTURY = 2000
PIVOT_YEAR = 70  # two-digit years from this one on belong to the century before
_MONTHS = {  # as they are written in a date, January first; other forms of one month behind a slash
    "ar": "يناير فبراير مارس أبريل/ابريل مايو يونيو يوليو أغسطس/اغسطس سبتمبر أكتوبر/اكتوبر نوفمبر ديسمبر",
    "ar of the Levant": (
        "كانون_الثاني شباط آذار/اذار نيسان أيار/ايار حزيران تموز آب أيلول/ايلول تشرين_الأول تشرين_الثاني كانون_الأول"
    ),
    "cs": "ledna/leden února/únor března/březen dubna/duben května/květen června/červen července/červenec srpna/srpen "
    "září října/říjen listopadu/listopad prosince/prosinec",
    "da, no": "januar februar marts/mars april maj/mai juni juli august september oktober november "
    "december/desember/des",
    "de": "januar/jänner februar märz/maerz/mrz april mai juni juli august september oktober/okt november dezember/dez",
    "el": "ιανουαρίου/ιαν φεβρουαρίου/φεβ μαρτίου/μαρ απριλίου/απρ μαΐου/μαΐ ιουνίου/ιουν ιουλίου/ιουλ αυγούστου/αυγ "
    "σεπτεμβρίου/σεπ οκτωβρίου/οκτ νοεμβρίου/νοε δεκεμβρίου/δεκ",
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept "
    "october/oct november/nov december/dec",
    "es": "enero/ene febrero marzo abril/abr mayo junio julio agosto/ago septiembre/setiembre octubre noviembre "
    "diciembre/dic",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta",
    "fr": "janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre novembre décembre/decembre",
    "it": "gennaio/gen febbraio marzo aprile maggio/mag giugno/giu luglio/lug agosto/ago settembre/set ottobre/ott "
    "novembre dicembre/dic",
    "ms": "januari februari mac april mei jun julai ogos september oktober november disember/dis",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec lipca/lipiec "
    "sierpnia/sierpień września/wrzesień października/październik listopada/listopad grudnia/grudzień",
    "pt": "janeiro fevereiro/fev março/marco abril maio junho julho agosto setembro outubro/out novembro dezembro",
    "ru": "января/январь/янв февраля/февраль/фев марта/март/мар апреля/апрель/апр мая/май июня/июнь/июн июля/июль/июл "
    "августа/август/авг сентября/сентябрь/сен октября/октябрь/окт ноября/ноябрь/ноя декабря/декабрь/дек",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
}
MONTH_OF = {
    name.replace("_", " "): number
    for months in _MONTHS.values()
    for number, names in enumerate(months.split(), 1)
    for name in names.split("/")
}
NAMES = "|".join(sorted(map(re.escape, MONTH_OF), key=len, reverse=True))
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民國": 1911, "民国": 1911}  # year 0
_DIGITS = "〇一二三四五六七八九"
_HAN_NUMBER = r"([\d〇零元一二三四五六七八九十]{1,4})"
YEAR_MONTH_DAY = re.compile(
    rf"({'|'.join(_ERAS)})?\s*(?<!\d){_HAN_NUMBER}\s*[年년]\s*{_HAN_NUMBER}\s*[月월]\s*{_HAN_NUMBER}\s*[日일號号]"
)
NUMERIC_DATE = re.compile(r"(?<!\d)(\d{1,4})\s?([-./ ])\s?(\d{1,2})\s?\2\s?(\d{1,4})(?!\d)")
DAY_MONTH = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.|º|er)?[\s,،./'’-]{{0,10}}(?:of |de |di )?({NAMES})"
    r"\.?(?: de)?[\s,،./'’-]{0,10}(\d{4}|\d{2})(?!\d)",
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
    for match in NUMERIC_DATE.finditer(text):
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
    for match in YEAR_MONTH_DAY.finditer(text):
        day = _east_asian(match)
        if day is not None:
            yield PrintedDate(match.start(), match.end(), {"ymd": day})


def _east_asian(match: re.Match[str]) -> date | None:
    era, *parts = match.groups()
    year, month, day = map(_number, parts)
    if era is None and year < 1000:
        return None
    return _day(str(year + _ERAS.get(era or "", 0)), month, day)


def _number(text: str) -> int:
    """What digits of any script say, or Han characters: 二〇二四, 十二, 二十五; 元 is the first year of an era."""
    text = text.replace("元", "1").replace("零", "〇")
    text = "".join(str(_DIGITS.index(digit)) if digit in _DIGITS else digit for digit in text)
    if "十" not in text:
        return int(text)
    tens, _, ones = text.partition("十")
    return 10 * int(tens or 1) + int(ones.replace("十", "") or 0)


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
        number += CENTURY if number < PIVOT_YEAR else CENTURY - 100
    try:
        return date(number, month, day)
    except ValueError:
        return None
