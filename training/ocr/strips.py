"""Synthetic strips: a line of text, drawn with an installed font, spoilt as scans are, folded as the reader folds."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw

from documents.ocr_input.strip_folding import MARGIN, SQUARE_SIDE, levels, traced_fold
from training.ocr.characters import CHARS
from training.ocr.cutting import as_cut
from training.ocr.fonts import advance, families, glyphs, typeface
from training.ocr.kinds import KINDS, Kind, Setting
from training.ocr.surroundings import surround
from training.ocr.texts import Writer

SLANTED = r"(?i)ital|obl|slant|[-_]r?i$|-it$|bi$|cmun(ti|sl)"  # names of font files
SMALL = 0.78  # of a small capital beside a capital
INK = 128  # grey below which a pixel of an unspoilt line is ink
LEAST_CONTRAST = 85  # of levelled ink and paper, on average, in a line that can be read
UPRIGHT = 0.88  # of the strips of printers, typewriters and old presses
CUT_SHARE = 0.5  # of the strips, that are cut out as the server does it
TRIES = 4  # at spoiling a line without losing it


class Letter(NamedTuple):
    """What is drawn for one character."""

    glyph: str
    size: int
    gap: float = 0.0  # pixels more than usual, to the next one
    lift: int = 0  # pixels above the line
    grey: int = 0  # paler than the ink of the line


class StripPress:
    """One seed gives one stream of strips; `held_out` fonts and texts are never trained on."""

    def __init__(self, seed: int, *, held_out: bool = False, weights: Mapping[str, float] | None = None) -> None:
        """`weights`: how often each of `KINDS` is drawn; their own, where none are given."""
        self._random, self._noise, self._held_out = random.Random(seed), np.random.default_rng(seed), held_out
        self._writer = Writer(self._random, held_out)
        kind_weights = weights or {name: kind.weight for name, kind in KINDS.items()}
        self._kinds, self._weights = [KINDS[name] for name in kind_weights], list(kind_weights.values())

    def strip(self, longest: int, hard: float = 1.0) -> tuple[str, np.ndarray, np.ndarray]:
        """A text, its folded rows, and which character stands at each 8th column of them.

        The rows are uint8 (rows, STRIP_HEIGHT, SQUARE_SIDE); the last is int16 (rows * SQUARE_SIDE / 8): an index into
        the text, or -1. `hard` scales how often strips are spoilt.
        """
        r, kind = self._random, self._random.choices(self._kinds, self._weights)[0]
        text = self._text(min(longest, kind.longest), kind)
        path, size = self._face(kind), round(r.triangular(11, 46, 20))
        text = " ".join("".join(c for c in text if c in glyphs(path)).split()) or "a"
        text, letters = set_letters(text, size, kind.setting)
        letters = self._apart(letters, size, kind)
        line, before, width = self._draw(path, size, letters, kind, hard)
        if kind.stretch != (1.0, 1.0):
            wide = r.uniform(*kind.stretch)
            line = cv2.resize(line, (max(4, round(line.shape[1] * wide)), line.shape[0]))
            before, width = before * wide, width * wide
        ink = line < INK
        if r.random() < kind.worn_share * hard:
            line = self._worn(line, size, kind)
        strip = as_cut(line, size, ink) if r.random() < CUT_SHARE * hard and not kind.angle else None
        if strip is not None:
            line, left, zoom = strip
            before, width = before * zoom - left, width * zoom
        rows, starts, scale = traced_fold(levels(line) if strip is None else line)
        ends = np.cumsum([advance(path, letter.size, letter.glyph) + letter.gap for letter in letters])
        middles = (before + (ends - np.diff(ends, prepend=0) / 2) * (width / ends[-1])) * scale
        at = np.searchsorted(starts, middles, "right") - 1
        slots = at * (SQUARE_SIDE // 8) + np.clip(
            (middles - np.array(starts)[at]) // 8, 0, SQUARE_SIDE // 8 - 1
        ).astype(int)
        where = np.full(len(rows) * (SQUARE_SIDE // 8) + 1, -1, np.int16)
        for k, slot in enumerate(slots):
            where[slot if where[slot] < 0 else slot + 1] = k
        return text, rows, where[:-1]

    def _face(self, kind: Kind) -> Path:
        """A file of any family, each equally often; of printers and old presses mostly an upright one."""
        family = self._random.choice(families(self._held_out, kind.faces))
        upright = [path for path in family if not re.search(SLANTED, path.stem)]
        return self._random.choice(
            upright if kind.genre != "general" and upright and self._random.random() < UPRIGHT else family
        )

    def _worn(self, line: np.ndarray, size: int, kind: Kind) -> np.ndarray:
        """The line as the kind spoils it, so that most of its ink still stands out from the paper."""
        ink = line < INK
        for _ in range(TRIES):
            worn = kind.wear(line, size, self._random, self._noise)
            levelled = levels(worn)
            if not ink.any() or ink.all() or levelled[~ink].mean() - levelled[ink].mean() > LEAST_CONTRAST:
                return worn
        return line

    def _text(self, longest: int, kind: Kind) -> str:
        if kind.genre == "general":
            return self._writer.text(longest, western=kind.western)
        make = {"prose": self._writer.prose, "form": self._writer.paper.form, "receipt": self._writer.paper.receipt}
        return make[kind.genre](longest)

    def _apart(self, letters: list[Letter], size: int, kind: Kind) -> list[Letter]:
        """The letters with the gaps, heights and shades that the kind has; nothing follows the last one."""
        r = self._random
        track = size * r.uniform(0.05, 0.5) if r.random() < kind.spaced else 0.0
        wide = size * r.uniform(0.2, 1.6) if kind.genre != "general" and r.random() < 0.3 else 0.0
        reach, shades = (r.choice((0, 1, size // 16)), r.choice((0, 60, 120))) if kind.strikes else (0, 0)
        if not (track or wide or reach or shades):
            return letters
        moved = [
            letter._replace(
                gap=track + (wide * r.random() if letter.glyph == " " else 0.0),
                lift=r.randint(-reach, reach),
                grey=r.randint(0, shades),
            )
            for letter in letters
        ]
        return [*moved[:-1], moved[-1]._replace(gap=0.0)]

    def _draw(
        self, path: Path, size: int, letters: list[Letter], kind: Kind, hard: float
    ) -> tuple[np.ndarray, float, float]:
        """The line as `documents.ocr_input.line_strips` would cut it, perhaps worn; the ink's left column and width."""
        r, runs, pad = self._random, _runs(letters), size
        left, top, right, bottom = _bounds(path, runs)
        height, width = round(bottom - top), round(right - left)
        angle = r.uniform(-kind.angle, kind.angle) if kind.angle else r.gauss(0, 0.35)
        turned = bool(kind.angle) or r.random() < 0.15 * hard
        rise = math.ceil(width * abs(math.sin(math.radians(angle)))) if kind.angle else 0
        sheet = Image.new("L", (width + 2 * pad, height + 2 * pad + rise), 255)
        draw, ink = ImageDraw.Draw(sheet), r.choice((0, 0, 0, r.randrange(110)))
        x, base = pad - left, pad + rise // 2 - top
        for text, run_size, gap, lift, grey in runs:
            shade = min(200, ink + grey)
            draw.text((x, base - lift), text, font=typeface(path, run_size), fill=shade, anchor="ls")
            x += typeface(path, run_size).getlength(text) + gap
        if r.random() < 0.15 * hard:  # the line above or below, at a tight leading
            gap = r.choice((-1, 1)) * (height + round(pad * r.uniform(0.02, 0.3)))
            other = self._writer.text(60)
            start = pad - left - r.randrange(40)
            draw.text((start, base + gap), other, font=typeface(path, size), fill=ink, anchor="ls")
        ink_box = (pad, pad + rise // 2, pad + width, pad + rise // 2 + height)
        grown_up, grown_down = surround(draw, kind.around, ink_box, round(base), ink, r)
        if turned:
            sheet = sheet.rotate(angle, Image.Resampling.BILINEAR, fillcolor=255)
        above, below = (height * r.gauss(MARGIN, 0.03 * hard) for _ in range(2))
        if r.random() < 0.03 * hard:  # cut too tightly or too loosely
            above, below = (height * r.uniform(-0.06, 0.35) for _ in range(2))
        before, after = (round(max(0, pad * r.gauss(0.1, 0.1))) for _ in range(2))
        above, below = above + grown_up, below + grown_down
        box = (pad - before, pad - round(above), pad + width + after, pad + rise + height + round(below))
        return np.asarray(sheet.crop(box)), before, width


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


def _runs(letters: list[Letter]) -> list[Letter]:
    """Neighbours that stand as the font has them, together."""
    runs: list[Letter] = []
    for letter in letters:
        if runs and runs[-1][1:] == letter[1:] and not letter.gap and not letter.lift and not letter.grey:
            runs[-1] = runs[-1]._replace(glyph=runs[-1].glyph + letter.glyph)
        else:
            runs.append(letter)
    return runs


def _bounds(path: Path, runs: list[Letter]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the ink, from the start of the baseline."""
    x, bounds = 0.0, (math.inf, math.inf, -math.inf, -math.inf)
    for text, size, gap, lift, _ in runs:
        x0, y0, x1, y1 = typeface(path, size).getbbox(text, anchor="ls")
        bounds = (min(bounds[0], x + x0), min(bounds[1], y0 - lift), max(bounds[2], x + x1), max(bounds[3], y1 - lift))
        x += typeface(path, size).getlength(text) + gap
    return bounds
