"""Tables as statistical offices print them: leader dots, groups of rows and columns, few rules, many rows."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from PIL import ImageFont

from training.layout.classes import TAB_CAP, TAB_NOTE, TABLE
from training.layout.pages.page import Ink, Page
from training.layout.pages.typefaces import font, reach, width

STYLES = ("open",) * 4 + ("uprights",) * 3 + ("grid",) * 2 + ("lines", "none", "none")
MISSING = ("–", "-", "X", "(NA)", "NA", "…", "(X)", "", "(D)", "0")
UNITS = ("[In thousands]", "[Millions of dollars]", "(percent)", "[Number in units, as of June 30]")


class _Sheet(NamedTuple):
    """Where a table's columns begin and end (pixels), how far its rows are apart, and how it is set."""

    xs: list[float]
    step: float
    style: str
    font: ImageFont.FreeTypeFont
    formats: list[str]  # of each column of values
    align: str
    ink: Ink


def statistics(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A table of values with its title above and its notes below; returns where the next block may begin."""
    r, f = p.r, p.f(0, p.r.choice((0.58, 0.65, 0.72, 0.8, 0.9)))
    step = f.size * r.uniform(1.1, 1.75)
    if y1 - y < 12 * step or sum(p.paper) < 380:
        return y
    tw = w * r.choice((1, 1, 1, r.uniform(0.55, 1)))
    num_values = r.randint(1, max(1, min(13, int(0.7 * tw / f.size / 3.4))))
    y += 0.5 * p.pt
    if r.random() < 0.85:
        y = _title(p, x, y, w, y1) + r.uniform(0.2, 0.9) * p.pt
    stub = tw * max(r.uniform(0.16, 0.45), 1 - num_values * r.uniform(5, 11) * f.size / tw)
    stub = min(stub, 0.75 * tw)
    xs = [x, *(x + stub + (tw - stub) * k / num_values for k in range(num_values + 1))]
    formats = [r.choice(("int", "int", "int", "one", "two", "percent", "money", "year")) for _ in range(num_values)]
    dark = p.ink if sum(p.ink) < 200 else (0, 0, 0)
    sheet = _Sheet(xs, step, r.choice(STYLES), f, formats, r.choice("rrrc"), dark)
    top = y
    y = body_top = _header(p, sheet, y)
    num_rows = min(r.choice((r.randint(3, 14), r.randint(8, 60))), int((y1 - y - 4 * p.pt) / step))
    y = _rows(p, sheet, y, num_rows)
    _rules(p, sheet, top, body_top, y)
    p.label(TABLE, (x, top, x + tw, y))
    return _notes(p, x, y + 0.3 * p.pt, w, y1) + r.uniform(0.8, 2.0) * p.pt


def _title(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r = p.r
    name = r.choice(("Table", "Table", "TABLE", "Exhibit", "Tab.", ""))
    number = f"{r.choice(('', '', 'A-', 'B'))}{r.randint(1, 99)}{r.choice(('.', '.', ':', '—', ''))}"
    words = ([name, number] if name else []) + p.words(r.choice((4, 8, 12, 18)))
    if r.random() < 0.3:
        words += r.choice(UNITS).split()
    scale = r.choice((0.8, 0.9, 1.0, 1.15))
    return p.text(x, y, w, words, p.f(r.choice((0, 1, 1)), scale), cls=TAB_CAP, align=r.choice("llc"), lead=1.15, y1=y1)


def _header(p: Page, sheet: _Sheet, y: float) -> float:
    """Names of columns in one to three lines, at times under names of groups of them; returns the top of the rows."""
    r, xs, f = p.r, sheet.xs, font(p.body, p.r.choice((0, 0, 1)), sheet.font.size)
    num_lines, has_groups = r.randint(1, 3), len(xs) > 4 and r.random() < 0.5
    height = (num_lines + has_groups * 1.25 + 0.5) * sheet.step
    ink = sheet.ink
    if r.random() < 0.25:
        tint = r.choice(((210, 220, 235), (225, 225, 225), (30, 60, 110), (60, 60, 60)))
        p.d.rectangle((xs[0], y, xs[-1], y + height), tint)
        ink = (255, 255, 255) if sum(tint) < 300 else ink
    at = y + 0.25 * sheet.step
    if has_groups:
        cuts = sorted({1, len(xs) - 1, *r.sample(range(2, len(xs) - 1), r.randint(1, max(1, len(xs) // 4)))})
        for a, b in pairwise(cuts):
            _cell(p, xs[a], xs[b], at, " ".join(p.words(r.randint(1, 3))[:3]), f, "c", ink)
            if b > a + 1:
                p.d.line(
                    (xs[a] + 0.4 * f.size, at + 1.05 * sheet.step, xs[b] - 0.4 * f.size, at + 1.05 * sheet.step), ink
                )
        at += 1.25 * sheet.step
    for k, (a, b) in enumerate(pairwise(xs)):
        lines = r.randint(1, num_lines) if k else r.choice((0, 1))
        for line in range(num_lines - lines, num_lines):
            name = r.choice(p.words(1)) if r.random() < 0.7 else str(r.randint(1980, 2030))
            _cell(p, a, b, at + line * sheet.step, name, f, "c" if k else "l", ink)
    return y + height


def _rows(p: Page, sheet: _Sheet, y: float, num_rows: int) -> float:
    """Labels, set in by their level, and values; returns the foot of the last row."""
    r, xs, f = p.r, sheet.xs, sheet.font
    dots, zebra, every = r.random() < 0.35, r.random() < 0.12, r.choice((0, 0, 0, 4, 5, 6))
    bold = font(p.body, 1, f.size)
    for k in range(num_rows):
        if zebra and k % 2:
            p.d.rectangle((xs[0], y, xs[-1], y + sheet.step), (235, 239, 245))
        kind = "group" if k < num_rows - 1 and r.random() < 0.1 else "total" if r.random() < 0.07 else "row"
        g, level = (f if kind == "row" else bold), r.choice((0, 0, 1, 1, 2)) if kind == "row" else 0
        label, left = " ".join(p.words(r.randint(1, 5))[:5]), xs[0] + (0.25 + level * 1.1) * f.size
        if kind == "group" and r.random() < 0.3:
            _cell(p, xs[1], xs[-1], y, label, g, "c", sheet.ink)
        else:
            end = _cell(p, left, xs[1], y, label, g, "l", sheet.ink)
            if dots and kind != "group":
                room = int((xs[1] - end - f.size) / width(f, "."))
                _cell(p, end, xs[1], y, "." * max(0, room), f, "l", sheet.ink)
            if kind != "group":
                for (a, b), number in zip(pairwise(xs[1:]), sheet.formats, strict=True):
                    _cell(p, a, b, y, _value(p, number), g, sheet.align, sheet.ink)
        y += sheet.step * (1.6 if every and k % every == every - 1 else 1)
    return y


def _value(p: Page, kind: str) -> str:
    r = p.r
    if r.random() < 0.07:
        return r.choice(MISSING)
    number = 10 ** r.uniform(0.5, 6.5)
    text = {
        "int": f"{number:,.0f}",
        "one": f"{number % 1000:.1f}",
        "two": f"{number % 100:.2f}",
        "percent": f"{number % 100:.1f}%",
        "money": f"${number:,.0f}",
        "year": str(1950 + int(number) % 80),
    }[kind]
    return f"({text})" if r.random() < 0.03 else f"-{text}" if r.random() < 0.05 else text


def _cell(p: Page, x0: float, x1: float, y: float, s: str, f: ImageFont.FreeTypeFont, align: str, ink: Ink) -> float:
    """Write one line, cut to its cell; returns where its ink ends."""
    room = x1 - x0 - 0.5 * f.size
    while s and width(f, s) > room:
        s = s[:-1]
    free = room - width(f, s)
    at = x0 + 0.25 * f.size + {"l": 0.0, "c": free / 2, "r": free}[align]
    p.d.text((at, y + reach(f)[0] + 0.1 * f.size), s, ink, f, anchor="ls")
    return at + width(f, s)


def _rules(p: Page, sheet: _Sheet, top: float, body_top: float, bottom: float) -> None:
    xs, ink, style = sheet.xs, sheet.ink, sheet.style
    if style == "none":
        return
    heavy = p.r.choice((1, 1, 2))
    for y, thickness in ((top, heavy), (body_top, 1), (bottom, heavy)):
        p.d.line((xs[0], y, xs[-1], y), ink, thickness)
    if style in ("uprights", "grid"):
        for x in xs if style == "grid" else xs[1:-1]:
            p.d.line((x, top, x, bottom), ink)
    if style in ("lines", "grid"):
        y = body_top + sheet.step
        while y < bottom - 2:
            p.d.line((xs[0], y, xs[-1], y), ink)
            y += sheet.step


def _notes(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """None to three notes in small type."""
    for _ in range(p.r.choice((0, 1, 1, 2, 3))):
        words = [
            p.r.choice(("Source:", "Note:", "NOTE.—", "1", "¹", "*", "a", "(NA)")),
            *p.words(p.r.choice((4, 10, 24))),
        ]
        y = p.text(x, y, w, words, p.f(0, 0.65), cls=TAB_NOTE, lead=1.12, y1=y1) + 0.25 * p.pt
    return y
