"""Synthetic strips: a line of text, drawn with an installed font, spoilt as scans are, folded as the reader folds."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from documents.ocr_input.folding import MARGIN, SIDE, levels, traced_fold
from training.ocr.characters import CHARS
from training.ocr.fonts import advance, families, glyphs, typeface
from training.ocr.kinds import KINDS, Around, Kind, Setting
from training.ocr.texts import Writer

SMALL = 0.78  # of a small capital beside a capital


class Letter(NamedTuple):
    """What is drawn for one character."""

    glyph: str
    size: int


class StripPress:
    """One seed gives one stream of strips; `held_out` fonts and texts are never trained on."""

    def __init__(self, seed: int, *, held_out: bool = False, weights: Mapping[str, float] | None = None) -> None:
        """`weights`: how often each of `KINDS` is drawn; their own, where none are given."""
        self._random, self._noise, self._held_out = random.Random(seed), np.random.default_rng(seed), held_out
        self._writer = Writer(self._random, held_out)
        chosen = weights or {name: kind.weight for name, kind in KINDS.items()}
        self._kinds, self._weights = [KINDS[name] for name in chosen], list(chosen.values())

    def strip(self, longest: int, hard: float = 1.0) -> tuple[str, np.ndarray, np.ndarray]:
        """A text, its folded rows, uint8 (rows, HEIGHT, SIDE), and which character stands at each 8th column of them.

        The last is int16 (rows * SIDE / 8): an index into the text, or -1. `hard` scales how often strips are spoilt.
        """
        r, kind = self._random, self._random.choices(self._kinds, self._weights)[0]
        text = self._writer.text(min(longest, kind.longest), western=kind.western)
        path, size = r.choice(r.choice(families(self._held_out))), round(r.triangular(11, 46, 20))
        text = " ".join("".join(c for c in text if c in glyphs(path)).split()) or "a"
        text, letters = set_letters(text, size, kind.setting)
        line, before, width = self._draw(path, size, letters, kind, hard)
        if r.random() < kind.worn_share * hard:
            line = kind.wear(line, size, r, self._noise)
        rows, starts, scale = traced_fold(levels(line))
        ends = np.cumsum([advance(path, letter.size, letter.glyph) for letter in letters])
        middles = (before + (ends - np.diff(ends, prepend=0) / 2) * (width / ends[-1])) * scale
        at = np.searchsorted(starts, middles, "right") - 1
        slots = at * (SIDE // 8) + np.clip((middles - np.array(starts)[at]) // 8, 0, SIDE // 8 - 1).astype(int)
        where = np.full(len(rows) * (SIDE // 8) + 1, -1, np.int16)
        for k, slot in enumerate(slots):
            where[slot if where[slot] < 0 else slot + 1] = k
        return text, rows, where[:-1]

    def _draw(
        self, path: Path, size: int, letters: list[Letter], kind: Kind, hard: float
    ) -> tuple[np.ndarray, int, int]:
        """The line as `documents.ocr_input.strips` would cut it, perhaps worn; the ink's left column and width."""
        r, runs, pad = self._random, _runs(letters), size
        left, top, right, bottom = _bounds(path, runs)
        height, width = round(bottom - top), round(right - left)
        angle = r.uniform(-kind.angle, kind.angle) if kind.angle else r.gauss(0, 0.35)
        turned = bool(kind.angle) or r.random() < 0.15 * hard
        rise = math.ceil(width * abs(math.sin(math.radians(angle)))) if kind.angle else 0
        sheet = Image.new("L", (width + 2 * pad, height + 2 * pad + rise), 255)
        draw, ink = ImageDraw.Draw(sheet), r.choice((0, 0, 0, r.randrange(110)))
        x, base = pad - left, pad + rise // 2 - top
        for text, run_size in runs:
            draw.text((x, base), text, font=typeface(path, run_size), fill=ink, anchor="ls")
            x += typeface(path, run_size).getlength(text)
        if r.random() < 0.15 * hard:  # the line above or below, at a tight leading
            gap = r.choice((-1, 1)) * (height + round(pad * r.uniform(0.02, 0.3)))
            other = self._writer.text(60)
            start = pad - left - r.randrange(40)
            draw.text((start, base + gap), other, font=typeface(path, size), fill=ink, anchor="ls")
        self._surround(draw, kind.around, (pad, pad + rise // 2, pad + width, pad + rise // 2 + height), ink)
        if turned:
            sheet = sheet.rotate(angle, Image.Resampling.BILINEAR, fillcolor=255)
        above, below = (height * r.gauss(MARGIN, 0.03 * hard) for _ in range(2))
        if r.random() < 0.03 * hard:  # cut too tightly or too loosely
            above, below = (height * r.uniform(-0.06, 0.35) for _ in range(2))
        before, after = (round(max(0, pad * r.gauss(0.1, 0.1))) for _ in range(2))
        box = (pad - before, pad - round(above), pad + width + after, pad + rise + height + round(below))
        return np.asarray(sheet.crop(box)), before, width

    def _surround(self, draw: ImageDraw.ImageDraw, around: Around, box: tuple[int, int, int, int], ink: int) -> None:
        """What stands about the letters in `box`: a line under them, or rules that a cell left."""
        r, (x0, y0, x1, y1) = self._random, box
        thick = max(1, (y1 - y0) // 16)
        if around == "line" or (around == "nothing" and r.random() < 0.02):
            y = y1 + r.randrange(3) - (y1 - y0) // 6
            draw.line((x0, y, x1, y), fill=ink, width=thick)
        if around == "rules":
            out = max(2, (y1 - y0) // 12)
            for shown, line in (
                (0.4, (x0 - out, 0, x0 - out, 2 * y1)),
                (0.4, (x1 + out, 0, x1 + out, 2 * y1)),
                (0.25, (0, y0 - out, 2 * x1, y0 - out)),
                (0.25, (0, y1 + out, 2 * x1, y1 + out)),
            ):
                if r.random() < shown:
                    draw.line(line, fill=ink, width=thick)


def set_letters(text: str, size: int, setting: Setting) -> tuple[str, list[Letter]]:
    """The text as it can be read from its letters, and the letters: a small capital stands for a small letter."""
    if setting == "small capitals":
        small = max(8, round(size * SMALL))
        text = text.title() if text.islower() else text
        return text, [Letter(c.upper(), small) if c.islower() and c.upper() in CHARS else Letter(c, size) for c in text]
    if setting == "raised capital":
        text = text[0].upper() + text[1:] if text[0].upper() in CHARS else text
        return text, [Letter(c, round(size * 1.6) if k == 0 else size) for k, c in enumerate(text)]
    return text, [Letter(c, size) for c in text]


def _runs(letters: list[Letter]) -> list[tuple[str, int]]:
    """Neighbours of one size, together."""
    runs: list[tuple[str, int]] = []
    for glyph, size in letters:
        if runs and runs[-1][1] == size:
            runs[-1] = (runs[-1][0] + glyph, size)
        else:
            runs.append((glyph, size))
    return runs


def _bounds(path: Path, runs: list[tuple[str, int]]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the ink, from the start of the baseline."""
    x, found = 0.0, (math.inf, math.inf, -math.inf, -math.inf)
    for text, size in runs:
        x0, y0, x1, y1 = typeface(path, size).getbbox(text, anchor="ls")
        found = (min(found[0], x + x0), min(found[1], y0), max(found[2], x + x1), max(found[3], y1))
        x += typeface(path, size).getlength(text)
    return found
