"""Synthetic strips: a line of text, drawn with an installed font, spoilt as scans are, folded as the reader folds."""

from __future__ import annotations

import io
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from documents.strips import MARGIN, SIDE, levels, traced_fold
from training.ocr.fonts import advance, families, glyphs, typeface
from training.ocr.texts import Writer


class StripPress:
    """One seed gives one stream of strips; `held_out` fonts and texts are never trained on."""

    def __init__(self, seed: int, *, held_out: bool = False) -> None:
        self._random, self._noise, self._held_out = random.Random(seed), np.random.default_rng(seed), held_out
        self._writer = Writer(self._random, held_out)

    def strip(self, longest: int, hard: float = 1.0) -> tuple[str, np.ndarray, np.ndarray]:
        """A text, its folded rows, uint8 (rows, HEIGHT, SIDE), and which character stands at each 8th column of them.

        The last is int16 (rows * SIDE / 8): an index into the text, or -1. `hard` scales how often strips are spoilt.
        """
        r, text = self._random, self._writer.text(longest)
        path, size = r.choice(r.choice(families(self._held_out))), round(r.triangular(11, 46, 20))
        text = " ".join("".join(c for c in text if c in glyphs(path)).split()) or "a"
        line, before, width = self._draw(text, typeface(path, size), hard)
        rows, starts, scale = traced_fold(levels(self._spoil(line, size) if r.random() < 0.65 * hard else line))
        ends = np.cumsum([advance(path, size, c) for c in text])
        middles = (before + (ends - np.diff(ends, prepend=0) / 2) * (width / ends[-1])) * scale
        at = np.searchsorted(starts, middles, "right") - 1
        slots = at * (SIDE // 8) + np.clip((middles - np.array(starts)[at]) // 8, 0, SIDE // 8 - 1).astype(int)
        where = np.full(len(rows) * (SIDE // 8) + 1, -1, np.int16)
        for k, slot in enumerate(slots):
            where[slot if where[slot] < 0 else slot + 1] = k
        return text, rows, where[:-1]

    def _draw(self, text: str, font: ImageFont.FreeTypeFont, hard: float) -> tuple[np.ndarray, int, int]:
        """The line as `documents.strips` would cut it, perhaps with leftovers; the ink's left column and width."""
        r, pad = self._random, round(font.size)
        left, top, right, bottom = font.getbbox(text)
        height, width = round(bottom - top), round(right - left)
        sheet = Image.new("L", (width + 2 * pad, height + 2 * pad), 255)
        draw, ink = ImageDraw.Draw(sheet), r.choice((0, 0, 0, r.randrange(110)))
        draw.text((pad - left, pad - top), text, font=font, fill=ink)
        if r.random() < 0.15 * hard:  # the line above or below, at a tight leading
            gap = r.choice((-1, 1)) * (height + round(pad * r.uniform(0.02, 0.3)))
            draw.text((pad - left - r.randrange(40), pad - top + gap), self._writer.text(60), font=font, fill=ink)
        if r.random() < 0.02 * hard:  # underlined
            y = pad + height + r.randrange(3) - (height > pad and pad // 5)
            draw.line((pad, y, pad + width, y), fill=ink, width=max(1, pad // 16))
        if r.random() < 0.15 * hard:
            sheet = sheet.rotate(r.gauss(0, 0.35), Image.Resampling.BILINEAR, fillcolor=255)
        above, below = (height * r.gauss(MARGIN, 0.03 * hard) for _ in range(2))
        if r.random() < 0.03 * hard:  # cut too tightly or too loosely
            above, below = (height * r.uniform(-0.06, 0.35) for _ in range(2))
        before, after = (round(max(0, pad * r.gauss(0.1, 0.1))) for _ in range(2))
        box = (pad - before, pad - round(above), pad + width + after, pad + height + round(below))
        return np.asarray(sheet.crop(box)), before, width

    def _spoil(self, line: np.ndarray, size: int) -> np.ndarray:
        """Blur, thicken, sharpen, resample, tint, add noise, compress, binarise or invert, each now and then."""
        r, picture = self._random, Image.fromarray(line)
        if r.random() < 0.3:
            picture = picture.filter(ImageFilter.GaussianBlur(r.uniform(0.2, 0.045 * size)))
        if r.random() < 0.12 and size >= 16:
            thin = ImageFilter.MaxFilter(3) if size > 30 else ImageFilter.SHARPEN
            picture = picture.filter(r.choice((ImageFilter.MinFilter(3), thin)))
        if r.random() < 0.25:
            scale, full = max(r.uniform(0.5, 1.0), 9 / size), picture.size
            small = (max(4, round(full[0] * scale)), max(4, round(full[1] * scale)))
            picture = picture.resize(small, r.choice((Image.Resampling.BILINEAR, Image.Resampling.BOX))).resize(full)
        pixels = np.asarray(picture, dtype=np.float32)
        if r.random() < 0.3:
            paper, ink = r.uniform(170, 255), r.uniform(0, 90)
            pixels = ink + pixels * ((paper - ink) / 255)
        if r.random() < 0.4:
            pixels = pixels + self._noise.standard_normal(pixels.shape, np.float32) * r.uniform(2, 22)
        pixels = np.clip(pixels, 0, 255).astype(np.uint8)
        if r.random() < 0.25:
            buffer = io.BytesIO()
            Image.fromarray(pixels).save(buffer, "JPEG", quality=r.randrange(18, 80))
            pixels = np.asarray(Image.open(buffer))
        if r.random() < 0.1:
            pixels = np.where(pixels > r.uniform(100, 190), 255, 0).astype(np.uint8)
        return 255 - pixels if r.random() < 0.05 else pixels
