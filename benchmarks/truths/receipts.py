"""Receipts that people labelled: their lines, their fields, and the lines that a person would point at for a value."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from documents.boxes import BoundingBox
from documents.matching.lines import PrintedLine

FIELDS = ("company", "date", "address", "total")
DATE = re.compile(r"\d{1,4}[-/. ]+(?:\d{1,2}|[A-Za-z]{3,9})[-/. ]+\d{2,4}")
DATE_FORMS = ("%d %m %Y", "%d %m %y", "%Y %m %d", "%d %b %Y", "%d %b %y", "%d %B %Y")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def receipt(folder: Path, name: str) -> tuple[list[PrintedLine], dict[str, str]]:
    """The lines of a receipt as people wrote them, in the file's order, and its fields."""
    lines: list[PrintedLine] = []
    for row in (folder / "box" / f"{name}.csv").read_text(encoding="utf-8", errors="replace").splitlines():
        *corners, text = row.split(",", 8)
        if len(corners) == 8 and text.strip():
            xs, ys = [float(value) for value in corners[::2]], [float(value) for value in corners[1::2]]
            box = BoundingBox(x0=min(xs), y0=min(ys), x1=max(xs), y1=max(ys))
            lines.append(PrintedLine(page=1, text=text, box=box))
    return lines, json.loads((folder / "key" / f"{name}.json").read_text(encoding="utf-8"))


def true_lines(field: str, value: str, lines: list[PrintedLine]) -> list[set[int]]:
    """Each run of lines that a person would point at for a value; none: it does not stand on the page."""
    if field == "total":
        true_amount = amount(value)
        return [{at} for at, line in enumerate(lines) if true_amount is not None and true_amount in amounts(line.text)]
    if field == "date":
        days = _days(value)
        same = [bool(days & _days(line.text)) or _letters(value) in _letters(line.text) for line in lines]
        return [{at} for at, holds in enumerate(same) if holds]
    return list(_runs(_letters(value), [_letters(line.text) for line in lines]))


def _runs(true_text: str, texts: list[str]) -> Iterator[set[int]]:
    """Lines that follow each other whose letters and digits, joined, hold those of a value."""
    for first in range(len(texts)):
        run_text = ""
        for last in range(first, len(texts)):
            run_text += texts[last]
            at = run_text.find(true_text)
            if at >= 0 and at < len(texts[first]):
                yield set(range(first, last + 1))
                break
            if len(run_text) > len(true_text) + len(texts[first]):
                break


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text.casefold()))


def _days(text: str) -> set[date]:
    """By every form that the receipts have, the day first, as in Malaysia."""
    days: set[date] = set()
    for printed in DATE.findall(text):
        for form in DATE_FORMS:
            with contextlib.suppress(ValueError):
                days.add(datetime.strptime(re.sub(r"[-/. ]+", " ", printed), form).date())  # noqa: DTZ007
    return days


def amount(text: str) -> Decimal | None:
    numbers = NUMBER.findall(text)
    return Decimal(numbers[0].replace(",", "")) if len(numbers) == 1 else None


def amounts(text: str) -> set[Decimal]:
    return {Decimal(number.replace(",", "")) for number in NUMBER.findall(text)}
