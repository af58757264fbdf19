"""Formats spreadsheet cells as the text that a person sees: numbers, percentages, currencies; dates in ISO form."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal

from documents.office.packages.xml_parsing import Element, attribute, child, children
from documents.office.word.word_styles import is_on

Form = Literal["number", "percent", "date", "time", "datetime", "duration"]
STANDARD_FORMATS: dict[int, Form] = {
    9: "percent", 10: "percent", 14: "date", 15: "date", 16: "date", 17: "date", 18: "time", 19: "time", 20: "time",
    21: "time", 22: "datetime", 45: "time", 46: "duration", 47: "time",
    27: "date", 30: "date", 36: "date", 50: "date", 57: "date",
}  # fmt: skip
NUMBERS = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0)", 42: "#,##0;(#,##0)",
    43: "#,##0.00;(#,##0.00)", 44: "#,##0.00;(#,##0.00)",
}  # fmt: skip  # of built-in formats; the currency of 42 and 44 is that of the reader's own system
TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<other>[^\]]*)\]'
    r"|(?P<general>General|@)|(?P<digits>[0#?][0#?,.]*|\.[0#?]+)|(?P<exponent>E[+-]0+)|(?P<literal>.)",
    re.IGNORECASE,
)
COLORS = re.compile(r"(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)$", re.IGNORECASE)
LITERAL_TEXT = re.compile(r'"[^"]*"|\\.')
MAX_DECIMALS = 30
MAX_CODE_CHARACTERS = 255  # Excel's own limit for the length of a format
QUOTED_TEXT = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
ELAPSED_TIME = re.compile(r"\[[hms]+\]", re.IGNORECASE)
EPOCH_1900, EPOCH_1904 = datetime.datetime(1899, 12, 30), datetime.datetime(1904, 1, 1)  # noqa: DTZ001  cells tell no zone
LAST_DAY = 2_958_466  # serial number of the last day of the year 9999
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class CellFormat:
    """What a cell's style makes of its value; the code of a number has up to four sections."""

    form: Form = "number"
    code: str = ""

    def shown(self, value: str, *, since_1904: bool) -> str | None:
        """The text of a number as a person sees it; None where the format hides it."""
        if not self.code or self.form not in ("number", "percent"):
            return written(value, self.form, since_1904=since_1904)
        try:
            number = float(value)
        except ValueError:
            return value
        sections = _sections(self.code)
        index = 0 if len(sections) < 2 or number > 0 else 1 if number < 0 else 2 if len(sections) > 2 else 0
        if len(sections) > 1 and not sections[index].strip():
            return None
        has_sign = number < 0 and index == 0
        text = _in_format(abs(number), sections[index]) if math.isfinite(number) and abs(number) < 1e15 else None
        return written(value, self.form, since_1904=since_1904) if text is None else f"{'-' * has_sign}{text}"

    @property
    def hides_text(self) -> bool:
        sections = _sections(self.code)
        return len(sections) > 3 and not sections[3].strip()


@lru_cache(maxsize=256)
def _sections(code: str) -> list[str]:
    """A format's parts for positive, negative, zero and text; a semicolon within quotes parts nothing."""
    masked = LITERAL_TEXT.sub(lambda literal: literal[0].replace(";", "\0"), code)
    return [section.replace("\0", ";") for section in masked.split(";")]


@dataclass(frozen=True, slots=True)
class _Section:
    """One section of a number format: its parts, of which `None` is the next run of places for digits."""

    parts: tuple[str | None, ...]
    runs: tuple[str, ...]  # of places for digits: `#,##0.00`
    num_percents: int
    exponent: str | None
    is_general: bool


@lru_cache(maxsize=256)
def _section(code: str) -> _Section | None:
    """None of what is more than is understood here: fractions, conditions."""
    tokens = list(TOKEN.finditer(code))
    runs = tuple(token["digits"] for token in tokens if token["digits"])
    signs = "".join(token["literal"] or "" for token in tokens)
    is_fraction = len(runs) > 1 and ("/" in signs or any("?" in run for run in runs))
    if not tokens or is_fraction or any(token["other"] and not COLORS.match(token["other"]) for token in tokens):
        return None
    parts = tuple(
        None
        if token["digits"] or token["general"]
        else token["quoted"] or token["escaped"] or token["currency"] or token["literal"] or ""
        for token in tokens
    )
    exponent = next((token["exponent"] for token in tokens if token["exponent"]), None)
    is_general = any(token["general"] for token in tokens)
    return None if runs and is_general else _Section(parts, runs, signs.count("%"), exponent, is_general)


def _in_format(number: float, code: str) -> str | None:
    """A number from 0 on as one section of a format shows it; None where the section is not understood."""
    section = _section(code)
    if section is None:
        return None
    value = Decimal(f"{number:.15g}").scaleb(2 * section.num_percents)
    if section.is_general:
        texts = [_plain(f"{number:.15g}", number)]
    elif section.exponent:
        texts = [_scientific(value, section.runs, section.exponent)]
    else:
        texts = _digit_texts(value, section.runs)
    if None in texts:
        return None
    shown = iter(texts)
    text = "".join((next(shown, "") or "") if part is None else part for part in section.parts)
    return text.replace("\xa0", " ").strip()


def _digit_texts(value: Decimal, runs: tuple[str, ...]) -> list[str | None]:
    """What stands at each run of places for digits: all of a number in one, or its digits over several (`000-0000`)."""
    if len(runs) == 1:
        return [_in_places(value, runs[0])]
    if any(set(run) - {"0"} for run in runs[1:]) or set("".join(runs[:1])) - set("0#"):
        return [None] * len(runs)
    digits = f"{value.quantize(Decimal(1), ROUND_HALF_UP):f}".zfill("".join(runs).count("0"))
    texts: list[str | None] = []
    for run in reversed(runs[1:]):
        digits, text = digits[: -len(run)], digits[-len(run) :]
        texts.append(text)
    return [*([digits] if runs else []), *reversed(texts)]


def _in_places(value: Decimal, places: str) -> str:
    """A number in `#,##0.00`: commas group thousands, those at the end divide by a thousand."""
    whole, point, fraction = places.partition(".")
    num_scales = len(whole) - len(whole.rstrip(",")) + fraction.count(",")
    whole, fraction = whole.rstrip(","), fraction.replace(",", "")[:MAX_DECIMALS]
    rounded = value.scaleb(-3 * num_scales).quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    digits, _, decimals = f"{rounded:f}".partition(".")
    while len(decimals) > fraction.count("0") and decimals.endswith("0"):
        decimals = decimals[:-1]
    digits = digits.lstrip("0").zfill(whole.count("0"))
    if "," in whole:
        first = len(digits) % 3
        digits = ",".join(filter(None, [digits[:first], *(digits[k : k + 3] for k in range(first, len(digits), 3))]))
    return f"{digits}{point}{decimals}"


def _scientific(value: Decimal, runs: tuple[str, ...], exponent: str) -> str | None:
    if len(runs) != 1 or len(runs[0].partition(".")[0]) != 1:
        return None
    mantissa, _, power = f"{value:.{len(runs[0].partition('.')[2])}E}".partition("E")
    sign = "-" if int(power) < 0 else "+" if "+" in exponent else ""
    return f"{mantissa}E{sign}{abs(int(power)):0{len(exponent) - 2}d}"


def formats_of(styles: Element | None) -> list[CellFormat]:
    """The format of each cell style, by its index."""
    codes = {
        attribute(node, "numFmtId"): attribute(node, "formatCode") or ""
        for node in children(child(styles, "numFmts"), "numFmt")
    }
    numbers = [attribute(node, "numFmtId") for node in children(child(styles, "cellXfs"), "xf")]
    return [CellFormat(_form(number, codes), _code(number, codes)) for number in numbers]


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
        hours, seconds = divmod(round(abs(number) * SECONDS_PER_DAY), 3600)
        return f"{'-' if number < 0 else ''}{hours}:{seconds // 60:02d}:{seconds % 60:02d}"
    if not 0 <= number < LAST_DAY:
        return _plain(value, number)
    try:
        moment = (EPOCH_1904 if since_1904 else EPOCH_1900) + datetime.timedelta(
            seconds=round(number * SECONDS_PER_DAY)
        )
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
        STANDARD_FORMATS.get(int(number), "number")
        if number is not None and number.isdecimal() and len(number) < 6
        else "number"
    )


def _code(number: str | None, codes: Mapping[str | None, str]) -> str:
    built_in = NUMBERS.get(int(number), "") if number is not None and number.isdecimal() and len(number) < 6 else ""
    code = codes.get(number, built_in)
    return code if len(code) <= MAX_CODE_CHARACTERS else ""


def form_of_code(code: str) -> Form:
    """What a number format's code makes of a number."""
    code = QUOTED_TEXT.sub("", code.partition(";")[0]).lower()
    if ELAPSED_TIME.search(code):
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
