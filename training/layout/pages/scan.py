"""Wear as of a scanner or a camera; what moves pixels moves the boxes too."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image

from training.layout.pages.page import Page


def scanned(p: Page) -> None:
    """Wear the bitmap as a scanner or a camera would; a rotation also moves the boxes."""
    r, g = p.r, np.random.default_rng(p.r.getrandbits(32))
    a = np.asarray(p.im)
    if r.random() < 0.6:
        t = r.gauss(0, 0.7)
        m = cv2.getRotationMatrix2D((p.w / 2, p.h / 2), t, 1)
        a = cv2.warpAffine(a, m, (p.w, p.h), borderValue=p.paper)
        for k, (c, (x0, y0, x1, y1)) in enumerate(p.boxes):
            q = m @ np.array([[x0, x1, x0, x1], [y0, y0, y1, y1], [1, 1, 1, 1]])
            p.boxes[k] = (c, (max(0, q[0].min()), max(0, q[1].min()), min(p.w, q[0].max()), min(p.h, q[1].max())))
    b = a.astype(np.float32)
    if r.random() < 0.5:
        b *= np.array([1, r.uniform(0.93, 1), r.uniform(0.75, 0.98)], np.float32)
    if r.random() < 0.5:
        ramp = np.linspace(r.uniform(0.65, 1), r.uniform(0.85, 1), p.w, dtype=np.float32)[None, :, None]
        b *= ramp * np.linspace(r.uniform(0.8, 1), 1, p.h, dtype=np.float32)[:, None, None]
    if r.random() < 0.5:
        b = cv2.GaussianBlur(b, (0, 0), r.uniform(0.4, 1.2))
    if r.random() < 0.7:
        b += cv2.resize(g.normal(0, r.uniform(2, 14), (p.h // 2, p.w // 2)).astype(np.float32), (p.w, p.h))[..., None]
    b = (b - 128) * r.uniform(0.6, 1.05) + 128 + r.uniform(-10, 15)
    p.im = Image.fromarray(np.clip(b, 0, 255).astype(np.uint8))
