"""Formats spreadsheet cells as text: dates, percentages, numbers, by their number format."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Literal

from documents.office.word_styles import is_on
from documents.office.xml_parsing import Element, attribute, child, children

Form = Literal["number", "percent", "date", "time", "datetime", "duration"]
BUILT_IN: dict[int, Form] = {
    9: "percent", 10: "percent", 14: "date", 15: "date", 16: "date", 17: "date", 18: "time", 19: "time", 20: "time",
    21: "time", 22: "datetime", 45: "time", 46: "duration", 47: "time",
    27: "date", 30: "date", 36: "date", 50: "date", 57: "date",
}  # fmt: skip
QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
EPOCH_1900, EPOCH_1904 = datetime.datetime(1899, 12, 30), datetime.datetime(1904, 1, 1)  # noqa: DTZ001  cells tell no zone
LAST_DAY = 2_958_466  # of the year 9999
SECONDS_A_DAY = 86_400


def forms_of(styles: Element | None) -> list[Form]:
    """The form of each cell style, by its index."""
    codes = {
        attribute(node, "numFmtId"): attribute(node, "formatCode") or ""
        for node in children(child(styles, "numFmts"), "numFmt")
    }
    return [_form(attribute(node, "numFmtId"), codes) for node in children(child(styles, "cellXfs"), "xf")]


def fonts_of(styles: Element | None) -> list[str]:
    """The font of each cell style, by its index."""
    fonts = [attribute(child(font, "name"), "val") or "" for font in children(child(styles, "fonts"), "font")]
    numbers = (attribute(node, "fontId") or "" for node in children(child(styles, "cellXfs"), "xf"))
    own = (int(number) if number.isdecimal() and len(number) < 6 else 0 for number in numbers)
    return [fonts[index] if index < len(fonts) else "" for index in own]


def struck_forms_of(styles: Element | None) -> frozenset[int]:
    """The indices of the cell styles whose font is struck out."""
    fonts = [is_on(child(font, "strike")) for font in children(child(styles, "fonts"), "font")]
    struck = {str(index) for index, is_struck in enumerate(fonts) if is_struck}
    forms = enumerate(children(child(styles, "cellXfs"), "xf"))
    return frozenset(index for index, form in forms if attribute(form, "fontId") in struck)


def written(value: str, form: Form, *, since_1904: bool) -> str:
    """A number as its cell's form has it; what is no number stays as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    if form == "number" or abs(number) > 1e300:
        return _plain(value, number)
    if form == "percent":
        return f"{_digits(100 * number)}%"
    if form == "duration":
        hours, seconds = divmod(round(abs(number) * SECONDS_A_DAY), 3600)
        return f"{'-' if number < 0 else ''}{hours}:{seconds // 60:02d}:{seconds % 60:02d}"
    if not 0 <= number < LAST_DAY:
        return _plain(value, number)
    try:
        moment = (EPOCH_1904 if since_1904 else EPOCH_1900) + datetime.timedelta(seconds=round(number * SECONDS_A_DAY))
    except OverflowError:  # beyond the year 9999
        return _plain(value, number)
    if not since_1904 and number < 60:  # days before the 29th of February 1900, which Excel takes for one
        moment += datetime.timedelta(days=1)
    if form == "time" or number < 1:
        return moment.strftime("%H:%M:%S")
    is_midnight = not (moment.hour or moment.minute or moment.second)
    return moment.strftime("%Y-%m-%d" if form == "date" or is_midnight else "%Y-%m-%d %H:%M:%S")


def _plain(value: str, number: float) -> str:
    """Without the digits that only the computer's own form of it has."""
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    text = _digits(number)
    return text if len(text) < len(value) or "e" in value.lower() else value


def _digits(number: float) -> str:
    """At most 15 significant digits, of which Excel keeps no more."""
    text = f"{number:.15g}"
    return text if len(text) <= 16 else f"{number:.12g}"


def _form(number: str | None, codes: Mapping[str | None, str]) -> Form:
    if number in codes:
        return form_of_code(codes[number])
    return (
        BUILT_IN.get(int(number), "number")
        if number is not None and number.isdecimal() and len(number) < 6
        else "number"
    )


def form_of_code(code: str) -> Form:
    """What a number format's code makes of a number."""
    code = QUOTED.sub("", code.partition(";")[0]).lower()
    if ELAPSED.search(code):
        return "duration"
    if "general" in code:
        return "number"
    has_date = any(letter in code for letter in "yd") or ("m" in code and not any(letter in code for letter in "hs"))
    has_time = any(letter in code for letter in "hs")
    if has_date and has_time:
        return "datetime"
    if has_date and "0" not in code and "#" not in code:
        return "date"
    if has_time and "#" not in code and "e+" not in code:
        return "time"
    return "percent" if "%" in code else "number"
