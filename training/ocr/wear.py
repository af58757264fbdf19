"""What scanners, fax machines, cameras and years do to a printed line; every function keeps the line's shape."""

from __future__ import annotations

import io
import random
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image, ImageFilter

Wear = Callable[[np.ndarray, int, random.Random, np.random.Generator], np.ndarray]  # of uint8 (h, w), size in pixels


def office(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Blur, thicken, sharpen, resample, tint, add noise, compress, binarise or invert, each now and then."""
    picture = Image.fromarray(line)
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
        pixels = pixels + g.standard_normal(pixels.shape, np.float32) * r.uniform(2, 22)
    pixels = np.clip(pixels, 0, 255).astype(np.uint8)
    if r.random() < 0.25:
        pixels = compressed(pixels, r.randrange(18, 80))
    if r.random() < 0.1:
        pixels = np.where(pixels > r.uniform(100, 190), 255, 0).astype(np.uint8)
    return 255 - pixels if r.random() < 0.05 else pixels


def inverse(line: np.ndarray, _size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Light letters on a dark or coloured ground."""
    ground, letters = r.uniform(0, 120), r.uniform(200, 255)
    return noisy(letters + (ground - letters) * (line / np.float32(255)), r.uniform(0, 10), g)


def fax(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Black and white at a fax machine's rows, with specks."""
    height, width = line.shape
    scale = max(r.uniform(0.6, 1.0), 13 / size)
    rows = max(4, round(height * scale * (0.6 if size > 24 and r.random() < 0.4 else 1.0)))
    small = cv2.resize(line, (max(4, round(width * scale)), rows), interpolation=cv2.INTER_AREA)
    white = small > r.uniform(120, 190)
    specks = g.random(white.shape) < r.choice((0.0, 0.002, 0.01))
    return cv2.resize((255 * (white ^ specks)).astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)


def photographed(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """A page at an angle under one lamp: converging lines, a moved or unsharp lens, falling light, JPEG."""
    height, width = line.shape
    reach = min(0.12 * height, 4.0)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    moved = corners + np.array([(0, r.uniform(-reach, reach)) for _ in corners], np.float32)
    bent = cv2.warpPerspective(line, cv2.getPerspectiveTransform(corners, moved), (width, height), borderValue=255)
    if r.random() < 0.4:
        length = r.randrange(2, max(3, size // 7))
        kernel = np.full((1, length) if r.random() < 0.7 else (length, 1), 1 / length, np.float32)
        bent = cv2.filter2D(bent, -1, kernel)
    else:
        bent = cv2.GaussianBlur(bent, (0, 0), r.uniform(0.3, 0.045 * size))
    return compressed(noisy(_shaded(bent, r), r.uniform(3, 14), g), r.randrange(30, 85))


def uneven(line: np.ndarray, _size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Light that falls off, or the shadow of a binding."""
    return noisy(_shaded(line, r), r.uniform(0, 8), g)


def worn(line: np.ndarray, _size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Ink that has gone in spots or all over, specks of dirt, grain."""
    height, width = line.shape
    spots = g.random((max(2, height // 3), max(2, width // 3))).astype(np.float32)
    erased = cv2.resize(spots, (width, height), interpolation=cv2.INTER_CUBIC) > r.uniform(0.8, 1.0)
    pixels = np.where(erased, line + (255.0 - line) * r.uniform(0.3, 1.0), line).astype(np.float32)
    dirt = g.random(line.shape) < r.choice((0.0, 0.002, 0.008))
    pixels = np.where(dirt, r.uniform(0, 120), 255 - (255 - pixels) * r.uniform(0.45, 1.0))
    return noisy(cv2.GaussianBlur(pixels, (0, 0), r.uniform(0.2, 0.9)), r.uniform(4, 26), g)


def _shaded(line: np.ndarray, r: random.Random) -> np.ndarray:
    """Light of which at least half is left at the darkest side."""
    height, width = line.shape
    across = np.linspace(r.uniform(0.5, 1.0), r.uniform(0.5, 1.0), width, dtype=np.float32)
    down = np.linspace(r.uniform(0.85, 1.0), 1.0, height, dtype=np.float32)
    return line * across * down[:, None]


def noisy(pixels: np.ndarray, deviation: float, g: np.random.Generator) -> np.ndarray:
    return np.clip(pixels + g.standard_normal(pixels.shape, np.float32) * deviation, 0, 255).astype(np.uint8)


def compressed(pixels: np.ndarray, quality: int) -> np.ndarray:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality)
    return np.asarray(Image.open(buffer))
