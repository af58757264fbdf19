"""Charts of reports: bars, lines and areas with numbers at their axes, a legend, perhaps a title in the frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PIL import ImageFont

from training.layout.classes import FIG_CAP, FIGURE
from training.layout.pages.page import Ink, Page, Rect, colour
from training.layout.pages.typefaces import reach, width


class _Axes(NamedTuple):
    """Where the plot lies within the chart (pixels), its type, its colours and the number of places along its axis."""

    box: Rect
    font: ImageFont.FreeTypeFont
    inks: Sequence[Ink]
    num_places: int


def chart(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A chart with its caption above, below or within; returns where the next block may begin."""
    r, f = p.r, p.f(0, p.r.choice((0.55, 0.65, 0.75)))
    h = min(w * r.uniform(0.35, 0.9), y1 - y - 4 * p.pt)
    if h < 9 * f.size or w < 14 * f.size or sum(p.paper) < 380:
        return y
    y, above = y + 0.4 * p.pt, r.random() < 0.45
    if above:
        y = _caption(p, x, y, w, y1 - h) + 0.4 * p.pt
    _draw(p, (x, y, x + w, y + h), f)
    p.label(FIGURE, (x, y, x + w, y + h))
    y += h + 0.3 * p.pt
    if not above and r.random() < 0.6:
        y = _caption(p, x, y, w, y1)
    return y + r.uniform(0.8, 1.8) * p.pt


def _caption(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r = p.r
    lead = [
        r.choice(("Figure", "Figure", "Chart", "FIGURE", "Exhibit", "Graph")),
        f"{r.randint(1, 40)}{r.choice('.:')}",
    ]
    words = (lead if r.random() < 0.8 else []) + p.words(r.choice((4, 7, 12)))
    return p.text(x, y, w, words, p.f(r.choice((0, 1)), 0.9), cls=FIG_CAP, align=r.choice("llc"), lead=1.15, y1=y1)


def _draw(p: Page, box: Rect, f: ImageFont.FreeTypeFont) -> None:
    """Fill the box with one chart, its words at the edges."""
    r, (x0, y0, x1, y1) = p.r, box
    if r.random() < 0.35:
        p.d.rectangle(
            box, r.choice((p.paper, (245, 245, 245), (240, 244, 250))), r.choice((p.ink, (160, 160, 160), None))
        )
        x0, y0, x1, y1 = x0 + 0.6 * f.size, y0 + 0.6 * f.size, x1 - 0.6 * f.size, y1 - 0.6 * f.size
    if r.random() < 0.3:
        _write(p, ((x0 + x1) / 2, y0), " ".join(p.words(r.randint(2, 7))[:7]), f, "ma", x1 - x0)
        y0 += 1.8 * f.size
    inks = [colour(r, 20, 190) for _ in range(r.randint(1, 4))] if r.random() < 0.7 else [(60, 60, 60), (170, 170, 170)]
    if len(inks) > 1 and r.random() < 0.8:
        y1 = _legend(p, (x0, y0, x1, y1), inks, f)
    across: Callable[[Page, _Axes], None] = r.choice((_columns, _columns, _lines, _lines, _bars))
    left = (r.uniform(5, 11) if across is _bars else r.uniform(2.5, 5)) * f.size
    plot = (x0 + left, y0 + 0.5 * f.size, x1 - 0.8 * f.size, y1 - 1.8 * f.size)
    across(p, _Axes(plot, f, inks, r.randint(3, 14)))


def _legend(p: Page, box: Rect, inks: Sequence[Ink], f: ImageFont.FreeTypeFont) -> float:
    """Swatches and names in the lowest line; returns the foot of what is left."""
    x, y = box[0] + 2 * f.size, box[3] - 1.2 * f.size
    for ink in inks:
        name = " ".join(p.words(p.r.randint(1, 2))[:2])
        if x + 2.5 * f.size + width(f, name) > box[2]:
            break
        p.d.rectangle((x, y + 0.2 * f.size, x + 0.7 * f.size, y + 0.9 * f.size), ink)
        p.d.text((x + f.size, y + reach(f)[0]), name, p.ink, f, anchor="ls")
        x += 2.5 * f.size + width(f, name)
    return y - 0.4 * f.size


def _scale(p: Page, axes: _Axes, *, upright: bool) -> None:
    """Numbers at even steps along the axis of values, with lines across or without."""
    r, (x0, y0, x1, y1), f = p.r, axes.box, axes.font
    steps, unit = r.randint(3, 8), r.choice((1, 2, 5, 10, 20, 50, 250, 1000))
    suffix, grid = r.choice(("", "", "%", "M")), r.random() < 0.6
    for k in range(steps + 1):
        share, name = k / steps, f"{k * unit:,}{suffix}"
        if upright:
            y = y1 - share * (y1 - y0)
            p.d.text((x0 - 0.4 * f.size, y), name, p.ink, f, anchor="rm")
            p.d.line((x0, y, x1 if grid else x0 + 3, y), (190, 190, 190) if grid and k else p.ink)
        else:
            x = x0 + share * (x1 - x0)
            p.d.text((x, y1 + 0.4 * f.size), name, p.ink, f, anchor="ma")
            p.d.line((x, y0 if grid else y1 - 3, x, y1), (190, 190, 190) if grid and k else p.ink)


def _names(p: Page, axes: _Axes) -> None:
    """A word or a year below each place of the lower axis that has room for it."""
    (x0, _, x1, y1), f, first = axes.box, axes.font, p.r.randint(1950, 2015)
    room, years = (x1 - x0) / axes.num_places, p.r.random() < 0.6
    for k in range(axes.num_places):
        name = str(first + k) if years else p.words(1)[0]
        if width(f, name) < 0.95 * room:
            p.d.text((x0 + (k + 0.5) * room, y1 + 0.4 * f.size), name, p.ink, f, anchor="ma")


def _columns(p: Page, axes: _Axes) -> None:
    """Upright bars side by side."""
    _scale(p, axes, upright=True)
    (x0, y0, x1, y1), room = axes.box, (axes.box[2] - axes.box[0]) / axes.num_places
    bar, says = 0.75 * room / len(axes.inks), p.r.random() < 0.3
    for k in range(axes.num_places):
        for i, ink in enumerate(axes.inks):
            height, left = p.r.uniform(0.05, 0.95) * (y1 - y0), x0 + (k + 0.12) * room + i * bar
            p.d.rectangle((left, y1 - height, left + 0.9 * bar, y1), ink)
            name = f"{p.r.uniform(0, 100):.1f}"
            if says and width(axes.font, name) < 1.1 * bar:
                p.d.text((left + bar / 2, y1 - height - 2), name, p.ink, axes.font, anchor="ms")
    p.d.line((x0, y1, x1, y1), p.ink)
    _names(p, axes)


def _lines(p: Page, axes: _Axes) -> None:
    """Lines over the places, with dots or without."""
    _scale(p, axes, upright=True)
    (x0, y0, x1, y1), num_points = axes.box, p.r.randint(4, 40)
    for ink in axes.inks:
        at, points = p.r.uniform(0.2, 0.8), list[tuple[float, float]]()
        for k in range(num_points):
            at = min(0.97, max(0.03, at + p.r.gauss(0, 0.08)))
            points.append((x0 + (k + 0.5) / num_points * (x1 - x0), y1 - at * (y1 - y0)))
        p.d.line(points, ink, p.r.randint(1, 3))
        if num_points < 15 and p.r.random() < 0.5:
            for x, y in points:
                p.d.ellipse((x - 3, y - 3, x + 3, y + 3), ink)
    p.d.line((x0, y0, x0, y1, x1, y1), p.ink)
    _names(p, axes)


def _bars(p: Page, axes: _Axes) -> None:
    """Level bars below one another, each with its name at the left and perhaps its value at its end."""
    _scale(p, axes, upright=False)
    (x0, y0, x1, y1), f, says = axes.box, axes.font, p.r.random() < 0.5
    room = (y1 - y0) / axes.num_places
    for k in range(axes.num_places):
        y, length, ink = y0 + (k + 0.15) * room, p.r.uniform(0.03, 0.9) * (x1 - x0), axes.inks[k % len(axes.inks)]
        p.d.rectangle((x0, y, x0 + length, y + 0.7 * room), ink)
        if f.size < 1.1 * room:
            left = x0 - 10 * f.size
            _write(
                p, (x0 - 0.4 * f.size, y + 0.35 * room), " ".join(p.words(p.r.randint(1, 3))[:3]), f, "rm", x0 - left
            )
            if says:
                p.d.text((x0 + length + 3, y + 0.35 * room), f"{p.r.uniform(0, 100):.0f}", p.ink, f, anchor="lm")
    p.d.line((x0, y0, x0, y1), p.ink)


def _write(p: Page, at: tuple[float, float], s: str, f: ImageFont.FreeTypeFont, anchor: str, room: float) -> None:
    while s and width(f, s) > room:
        s = s[:-1]
    p.d.text(at, s, p.ink, f, anchor=anchor)
