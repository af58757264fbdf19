"""Clean print as scans: pages set in common faces, drawn coarse and fine, skewed a little, grainy, faxed or as JPEG.

`python -m benchmarks.loads.drawn_scans FOLDER OUT [--pages 8]` sets the texts of the split `tune` of FOLDER, which is
as `benchmarks.paper` takes it, and makes OUT a further kind of it, all of the split `tune`. Confidence that is fitted
on worn paper alone takes clean print for doubtful.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

from benchmarks.paper import sample

KIND = "books"  # whose texts are set: the others have no sentences
FACES = ("tiro", "helv", "cour", "hebo")  # of those that every PDF reader has
SIZES = (10, 11, 9, 12)  # points
DPI = (100, 150, 200, 300)
TURNS = (0.0, 0.8, -1.2)  # degrees
LONGEST = 1800  # characters per page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", type=int, default=8)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    truths: list[dict[str, str]] = []
    for k, page in enumerate(sample(args.folder / KIND, "tune", args.pages)):
        text = page["text"][:LONGEST].rsplit(" ", 1)[0]
        file = f"{k:02}.jpg"
        drawn(text, k).save(args.out / file, quality=70, dpi=(DPI[k % len(DPI)],) * 2)
        truths.append({"file": file, "split": "tune", "text": text})
    (args.out / "truth.json").write_text(json.dumps(truths, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def drawn(text: str, k: int) -> Image.Image:
    """The k-th way of a page of this text, 8 bits grey: every third one has nothing but black and white."""
    face, size, dpi = FACES[k % len(FACES)], SIZES[k // 2 % len(SIZES)], DPI[k % len(DPI)]
    page = pymupdf.open().new_page(width=420, height=595)
    box = pymupdf.Rect(40, 40, 380, 560)
    while page.insert_textbox(box, text, fontname=face, fontsize=size) < 0:  # nothing is set if not all of it fits
        size -= 0.5
    pixmap = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    return worn(Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples), dpi, k)


def worn(picture: Image.Image, dpi: int, k: int) -> Image.Image:
    """The k-th wear of a clean page, 8 bits grey, in its size: turned, blurred, grainy, every third one faxed."""
    picture = picture.rotate(TURNS[k % len(TURNS)], Image.Resampling.BICUBIC, fillcolor=255)
    picture = picture.filter(ImageFilter.GaussianBlur(dpi / 300))
    grain = np.random.default_rng(k).normal(-6, 5, (picture.height, picture.width))
    grainy = np.clip(np.asarray(picture, float) + grain, 0, 255).astype(np.uint8)
    return Image.fromarray(np.where(grainy < 128, 0, 255).astype(np.uint8) if k % 3 == 2 else grainy)


if __name__ == "__main__":
    sys.exit(main())
