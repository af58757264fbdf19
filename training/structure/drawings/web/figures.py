"""Figures of web documents: noise that looks like photographs, charts and diagrams whose labels are figure text."""

from __future__ import annotations

import base64
import io
import random

from PIL import Image

from training.structure.drawings.web.parts import caption
from training.structure.drawings.web.sheet import Sheet

COLOURS = ("4472c4", "ed7d31", "a5a5a5", "ffc000", "5b9bd5", "70ad47", "264478", "9e480e")


def photograph(rng: random.Random) -> str:
    """A data address of a small JPEG: patches of colour that run into one another."""
    width, height = rng.randint(3, 9), rng.randint(3, 7)
    light = rng.randint(60, 190)
    base = [light + rng.randint(-50, 50) for _ in range(3)]
    values = bytes(
        min(255, max(0, base[channel] + rng.randint(-40, 40))) for _ in range(width * height) for channel in range(3)
    )
    image = Image.frombytes("RGB", (width, height), values).resize((120, 80), Image.Resampling.BICUBIC)
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=60)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode()


def picture(sheet: Sheet, height: str = "120pt", css: str = "") -> str:
    """An image without words."""
    look = f"display:block;width:100%;height:{height};object-fit:cover;margin-bottom:.4em;{css}"
    return f'<img src="{photograph(sheet.rng)}" style="{look}">'


def figure(
    sheet: Sheet, css: str = "", captioned: bool = True, height: float | None = None, narrow: bool = False
) -> str:
    """A picture, chart or diagram, with its caption below, above or beside it."""
    rng = sheet.rng
    tall = height or rng.uniform(70, 190)
    beside = captioned and not narrow and sheet.chance(0.12)
    above = captioned and not beside and sheet.chance(0.12)
    before = caption(sheet) if above else ""
    kind = rng.choices(["picture", "bars", "lines", "pie", "diagram"], [50, 20, 12, 8, 10])[0]
    body = picture(sheet, f"{tall:.0f}pt") if kind == "picture" else drawing(sheet, kind, tall)
    after = caption(sheet) if captioned and not above else ""
    if beside:
        look = f"grid-template-columns:2fr 1fr;gap:.8em;align-items:{rng.choice(['start', 'end'])};margin:.8em 0;{css}"
        return f'<figure class="grid" style="{look}"><div>{body}</div>{after}</figure>'
    return f'<figure style="margin:.8em 0;{css}">{before}{body}{after}</figure>'


def drawing(sheet: Sheet, kind: str, height: float = 140, width: float = 260) -> str:
    """A drawing in SVG whose words are blocks of the role "figure_text"."""
    inner = {"bars": _bars, "lines": _lines, "pie": _pie}.get(kind, _diagram)(sheet, width, height)
    look = f"display:block;width:100%;height:{height:.0f}pt"
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}" style="{look}" direction="ltr">{inner}</svg>'


def label(sheet: Sheet, x: float, y: float, html: str, size: float = 7, anchor: str = "middle", css: str = "") -> str:
    """Words in a drawing."""
    look = f"font-size:{size}px;fill:{sheet.take('figure_text')};{css}"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{look}">{html}</text>'


def rectangle(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def _axes(sheet: Sheet, width: float, height: float) -> str:
    rng = sheet.rng
    steps, most = rng.randint(3, 5), rng.choice([1, 5, 10, 50, 100, 2000])
    out = label(sheet, width / 2, 9, sheet.words.phrase(2, 5), 8, css="font-weight:700") if sheet.chance(0.5) else ""
    for step in range(steps + 1):
        y = height - 18 - (height - 34) * step / steps
        out += f'<line x1="26" x2="{width - 4:.0f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#bbb" stroke-width=".4"/>'
        out += label(sheet, 23, y + 2, f"{most * step / steps:g}", 6.5, "end")
    return out


def _bars(sheet: Sheet, width: float, height: float) -> str:
    rng = sheet.rng
    out, count = _axes(sheet, width, height), rng.randint(3, 8)
    labelled = sheet.chance(0.5)
    step = (width - 34) / count
    for index in range(count):
        tall = rng.uniform(0.1, 0.95) * (height - 36)
        x, y = 30 + step * index, height - 18 - tall
        out += rectangle(x, y, step * 0.65, tall, f'fill="#{COLOURS[index % 8]}"')
        out += label(sheet, x + step * 0.32, y - 2, sheet.words.number(), 6) if labelled else ""
        name = str(2015 + index) if sheet.chance(0.5) else sheet.words.name()[:9]
        out += label(sheet, x + step * 0.32, height - 8, name, 6.5)
    return out


def _lines(sheet: Sheet, width: float, height: float) -> str:
    rng = sheet.rng
    out, count = _axes(sheet, width, height), rng.randint(4, 8)
    for line in range(rng.randint(1, 3)):
        points = " ".join(
            f"{30 + (width - 40) * i / (count - 1):.1f},{height - 18 - rng.random() * (height - 36):.1f}"
            for i in range(count)
        )
        out += f'<polyline points="{points}" fill="none" stroke="#{COLOURS[line]}" stroke-width="1.5"/>'
        out += label(sheet, width - 6, 18 + 8 * line, sheet.words.name(), 6.5, "end")
    for index in range(count):
        out += label(sheet, 30 + (width - 40) * index / (count - 1), height - 8, str(2010 + index), 6.5)
    return out


def _pie(sheet: Sheet, width: float, height: float) -> str:
    rng = sheet.rng
    radius, out, done = height * 0.2, "", 0.0
    for index in range(rng.randint(3, 5)):
        part = rng.uniform(10, 25)
        out += (
            f'<circle cx="{width * 0.3:.0f}" cy="{height / 2:.0f}" r="{radius:.1f}" fill="none"'
            f' stroke="#{COLOURS[index]}" stroke-width="{radius * 1.9:.1f}"'
            f' pathLength="100" stroke-dasharray="{part:.0f} 100" stroke-dashoffset="{-done:.0f}"/>'
        )
        done += part
        y = height * 0.2 + 13 * index
        out += f'<rect x="{width * 0.6:.0f}" y="{y - 6:.0f}" width="7" height="7" fill="#{COLOURS[index]}"/>'
        out += label(sheet, width * 0.6 + 11, y, f"{sheet.words.name()} {part:.0f}%", 7.5, "start")
    return out


def _diagram(sheet: Sheet, width: float, height: float) -> str:
    rng = sheet.rng
    out, count = "", rng.randint(3, 6)
    columns = 3
    for index in range(count):
        x, y = 4 + (index % columns) * width / columns, 6 + (index // columns) * height / 2
        fill = rng.choice(["#fff", "#cfe2f3", "#eeeeee"])
        wide = width / columns - 22
        look = f'rx="{rng.choice([0, 4])}" fill="{fill}" stroke="#555" stroke-width=".7"'
        out += rectangle(x, y, wide, height * 0.36, look)
        out += label(sheet, x + wide / 2, y + height * 0.18 + 2, sheet.words.phrase(1, 2)[:16], 7)
        if index % columns < columns - 1 and index + 1 < count:
            middle = y + height * 0.18
            ends = f'x1="{x + wide:.1f}" x2="{x + wide + 22:.1f}" y1="{middle:.1f}" y2="{middle:.1f}"'
            out += f'<line {ends} stroke="#555"/>'
    return out
