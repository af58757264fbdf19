"""What receipt printers, typewriters, fax machines and old presses do to a line; every function keeps its shape."""

from __future__ import annotations

import random

import cv2
import numpy as np

from training.ocr.wear import compressed, noisy


def form(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Copied or faxed in black and white, then kept as a picture of 70 to 110 dots per inch."""
    printed = _inked(line, size, r, g)
    if r.random() < 0.6:
        printed = _bilevel(printed, size, r.uniform(20, 42), r, g)
    small = _resampled(printed, min(1.0, r.triangular(11, 26, 17) / size), r)
    if r.random() < 0.4:
        small = compressed(small, r.randrange(20, 85))
    return _enlarged(_faded(small, r, 0.3), line.shape, r)


def thermal(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Heated dots: a raster of its own, pale or streaked print, folds and shade, scanned and compressed."""
    height, width = line.shape
    pixels = line
    if r.random() < 0.6:
        dots = _resampled(line, r.uniform(13, 24) / size, r)
        dots = (255 * (dots > r.uniform(110, 205))).astype(np.uint8)
        pixels = cv2.resize(dots, (width, height), interpolation=r.choice((cv2.INTER_NEAREST, cv2.INTER_LINEAR)))
    ink = 255 - cv2.GaussianBlur(pixels, (0, 0), r.uniform(0.3, 0.05 * size)).astype(np.float32)
    if r.random() < 0.5:
        ink *= _streaks(width, r.uniform(0.0, 0.8), max(2, int(width / size)), g)[None, :]
    if r.random() < 0.3:
        ink *= _streaks(height, r.uniform(0.0, 0.6), 6, g)[:, None]
    paper = r.uniform(150, 255) * (1 - r.choice((0.0, 0.0, 0.3)) * _streaks(width, 1.0, 3, g)[None, :])
    pixels = noisy(paper - ink * r.uniform(0.25, 1.0) * paper / 255, r.choice((0.0, 3.0, 8.0, 16.0)), g)
    if r.random() < 0.3:
        pixels = _enlarged(_resampled(pixels, r.uniform(9, 18) / size, r), line.shape, r)
    return compressed(pixels, r.randrange(15, 85)) if r.random() < 0.6 else pixels


def dot_matrix(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Pins on a ribbon: each dot of a coarse raster is a round spot, some pins weak, the ribbon worn."""
    pitch = size / r.uniform(10, 15)  # of the pins, in pixels
    rows, columns = max(4, round(line.shape[0] / pitch)), max(4, round(line.shape[1] / pitch * r.choice((1, 1, 1.5))))
    struck = (255 - cv2.resize(line, (columns, rows), interpolation=cv2.INTER_AREA)).astype(np.float32)
    struck = (struck > r.uniform(70, 130)) * g.uniform(r.uniform(0.4, 1.0), 1.0, struck.shape)
    struck *= 1 - (g.random((rows, 1)) < r.choice((0.0, 0.0, 0.08))) * 0.8  # a weak pin
    cell, radius = 6, r.uniform(2.2, 3.9)
    y, x = np.mgrid[:cell, :cell] - (cell - 1) / 2
    spot = np.clip(radius - np.hypot(x, y) + 0.5, 0, 1)
    ink = np.kron(struck, spot).astype(np.float32)
    ink = cv2.resize(ink, line.shape[::-1], interpolation=cv2.INTER_AREA)
    ink = cv2.GaussianBlur(ink, (0, 0), max(0.2, r.uniform(0.01, 0.05) * size)) * r.uniform(0.6, 1.3)
    return _spoilt_scan(255 * (1 - np.clip(ink, 0, 1)), size, r, g)


def typed(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """A ribbon's weave, strokes that did not strike through or ran together; often copied at a low resolution."""
    printed = _inked(line, size, r, g)
    ink = (255 - printed) * _blotches(line.shape, max(2, size / 6), r.uniform(0.0, 0.35), g)
    printed = np.clip(255 - ink, 0, 255).astype(np.uint8)
    return form(printed, size, r, g) if r.random() < 0.6 else _spoilt_scan(printed, size, r, g)


def carbon(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """A copy through carbon paper: broad soft strokes, smudges, a grey ground."""
    soft = cv2.GaussianBlur(255 - line, (0, 0), r.uniform(0.03, 0.07) * size).astype(np.float32)
    ink = np.clip(soft * r.uniform(1.0, 2.2), 0, 255) * _blotches(line.shape, size / 4, r.uniform(0.2, 0.7), g)
    smudge = _blotches(line.shape, size, 1.0, g) * r.uniform(0, 45)
    pixels = noisy(255 - smudge - ink * r.uniform(0.4, 0.9), r.uniform(2, 14), g)
    return _bilevel(pixels, size, r.uniform(20, 40), r, g) if r.random() < 0.3 else pixels


def book(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Letterpress on old paper: ink that spread or failed, the other side showing through, often black and white."""
    printed = _inked(line, size, r, g)
    ink = (255 - printed) * _blotches(line.shape, max(2, size / 8), r.uniform(0.0, 0.5), g)
    if r.random() < 0.3:
        behind = cv2.GaussianBlur(255 - line[::-1, ::-1], (0, 0), 0.06 * size).astype(np.float32)
        ink = np.maximum(ink, np.roll(behind, r.randrange(-size, size), 1) * r.uniform(0.05, 0.3))
    pixels = np.clip(255 - ink, 0, 255).astype(np.uint8)
    if r.random() < 0.7:
        return _bilevel(pixels, size, r.uniform(28, 60), r, g)
    return _spoilt_scan(pixels, size, r, g)


def _inked(line: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Strokes made broader or finer, with frayed edges."""
    rough = cv2.GaussianBlur(line, (0, 0), r.uniform(0.2, 0.05 * size)).astype(np.float32)
    fray = cv2.GaussianBlur(g.standard_normal(line.shape, np.float32), (0, 0), r.uniform(0.6, 0.06 * size + 0.4))
    fray *= r.uniform(0, 40) / max(1e-3, float(fray.std()))
    limit = r.triangular(95, 215, 160)  # of grey, below which paper takes ink: high is broad
    sharp = r.uniform(2, 6)
    return np.clip(127 + (rough + fray * (rough < 250) - limit) * sharp, 0, 255).astype(np.uint8)


def _bilevel(line: np.ndarray, size: int, em: float, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """Black and white at `em` dots per em, with specks and holes."""
    small = _resampled(line, min(1.0, em / size), r)
    white = small > r.triangular(100, 215, 160)
    if r.random() < 0.3:
        white ^= g.random(white.shape) < r.choice((0.002, 0.006, 0.015))
    interpolation = r.choice((cv2.INTER_NEAREST, cv2.INTER_LINEAR))
    return cv2.resize((255 * white).astype(np.uint8), line.shape[::-1], interpolation=interpolation)


def _spoilt_scan(pixels: np.ndarray, size: int, r: random.Random, g: np.random.Generator) -> np.ndarray:
    """As an office scanner keeps it: less contrast, noise, fewer pixels, JPEG, each now and then."""
    shape, scan = pixels.shape, _faded(noisy(pixels, r.choice((0.0, 3.0, 10.0)), g), r, 0.6)
    if r.random() < 0.5:
        scan = _enlarged(_resampled(scan, min(1.0, r.uniform(10, 24) / size), r), shape, r)
    return compressed(scan, r.randrange(18, 85)) if r.random() < 0.4 else scan


def _faded(pixels: np.ndarray, r: random.Random, share: float) -> np.ndarray:
    if r.random() >= share:
        return pixels
    paper, ink = r.uniform(160, 255), r.uniform(0, 120)
    return (ink + pixels * ((paper - ink) / 255)).astype(np.uint8)


def _resampled(line: np.ndarray, scale: float, r: random.Random) -> np.ndarray:
    size = (max(4, round(line.shape[1] * scale)), max(4, round(line.shape[0] * scale)))
    return cv2.resize(line, size, interpolation=r.choice((cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_LINEAR)))


def _enlarged(small: np.ndarray, shape: tuple[int, ...], r: random.Random) -> np.ndarray:
    kinds = (cv2.INTER_LINEAR, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST)
    return cv2.resize(small, (shape[1], shape[0]), interpolation=r.choice(kinds))


def _streaks(length: int, depth: float, count: int, g: np.random.Generator) -> np.ndarray:
    """Factors of 1 - depth to 1 that change slowly, about `count` times."""
    coarse = g.uniform(1 - depth, 1, (1, max(2, count))).astype(np.float32)
    return cv2.resize(coarse, (length, 1), interpolation=cv2.INTER_LINEAR)[0]


def _blotches(shape: tuple[int, ...], pitch: float, depth: float, g: np.random.Generator) -> np.ndarray:
    """Factors of 1 - depth to 1 in spots of about `pitch` pixels."""
    coarse = g.uniform(1 - depth, 1, (max(2, round(shape[0] / pitch)), max(2, round(shape[1] / pitch))))
    return cv2.resize(coarse.astype(np.float32), (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
