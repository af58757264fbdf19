"""What stands about the letters of a strip: a line under them, the rules of a cell, the lines and boxes of a form."""

from __future__ import annotations

import random

from PIL import ImageDraw

from training.ocr.kinds import Around

Box = tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels


def surround(
    draw: ImageDraw.ImageDraw, around: Around, box: Box, base: int, ink: int, r: random.Random
) -> tuple[int, int]:
    """What stands about the letters in `box`: a line under them, or rules that a cell or a form left.

    How far that reaches above and below the box, in pixels, where it belongs to the line that is cut out.
    """
    x0, y0, x1, y1 = box
    thick = max(1, (y1 - y0) // 16)
    if around == "line" or (around == "nothing" and r.random() < 0.02):
        y = y1 + r.randrange(3) - (y1 - y0) // 6
        draw.line((x0, y, x1, y), fill=ink, width=thick)
    if around == "rules":
        out = max(2, (y1 - y0) // 12)
        for is_shown, line in (
            (0.4, (x0 - out, 0, x0 - out, 2 * y1)),
            (0.4, (x1 + out, 0, x1 + out, 2 * y1)),
            (0.25, (0, y0 - out, 2 * x1, y0 - out)),
            (0.25, (0, y1 + out, 2 * x1, y1 + out)),
        ):
            if r.random() < is_shown:
                draw.line(line, fill=ink, width=thick)
    return _form_lines(draw, box, base, ink, r) if around == "form" else (0, 0)


def _form_lines(draw: ImageDraw.ImageDraw, box: Box, base: int, ink: int, r: random.Random) -> tuple[int, int]:
    """A line to write on under all or a part of the letters, a box's edges; see `surround`."""
    x0, y0, x1, y1 = box
    high = y1 - y0
    thick, up, down = r.choice((1, 1, max(1, high // 14), max(2, high // 9))), 0, 0
    if r.random() < 0.35:  # from touching the letters' feet to a quarter of their height below
        y = base + round(high * r.uniform(-0.03, 0.3))
        left = x0 - r.randrange(high) if r.random() < 0.6 else round(r.uniform(x0, x1))
        right = x1 + r.randrange(2 * high) if r.random() < 0.6 else round(r.uniform(left, x1))
        draw.line((left, y, right, y), fill=ink, width=thick)
        down = max(0, y + thick - y1)
    if r.random() < 0.1:
        y = y0 - round(high * r.uniform(0.02, 0.2))
        draw.line((0, y, 2 * x1, y), fill=ink, width=thick)
        up = max(0, y0 - y)
    for x in (x0 - max(2, round(high * r.uniform(0.08, 0.4))), x1 + max(2, round(high * r.uniform(0.08, 0.4)))):
        if r.random() < 0.1:
            draw.line((x, 0, x, 3 * y1), fill=ink, width=thick)
    return up, down
