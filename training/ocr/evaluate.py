"""Measures a checkpoint: character error rates on synthetic strips and on lines of real PDFs, and strips a second.

    python -m training.ocr.evaluate checkpoints/ocr-compact some.pdf --json figures.json

CER is Levenshtein's distance over the length of the truth. Held-out fonts and texts were never trained on.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import torch

from documents.strips import cut, square
from training.fonts import NoFonts
from training.ocr.characters import CHARS
from training.ocr.levenshtein import distance, leaders
from training.ocr.read import Reader
from training.ocr.strips import StripPress

SEED = 10_000_019  # of no training run
LONGEST = 70  # characters of a synthetic text
MAX_PAGES = 12  # of a PDF
SYNTHETIC = (("cer_seen_fonts", False, 1.0), ("cer_synthetic", True, 1.0), ("cer_synthetic_clean", True, 0.0))

Line = tuple[str, tuple[np.ndarray, ...]]  # the truth, and the squares of the line


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one set of lines was read."""

    name: str
    cer: float
    num_exact: int
    num_lines: int
    num_squares: int
    spent_s: float


def evaluate(folder: Path, pdfs: list[Path], *, count: int = 150, dpi: int = 144, show: int = 0) -> list[Score]:
    """Score the sets in turn; a set whose fonts are not installed is said and left out."""
    reader, scores = Reader(folder), []
    for name, held_out, hard in SYNTHETIC:
        try:
            lines = synthetic_lines(count, held_out=held_out, hard=hard)
        except NoFonts as missing:
            print(f"{name}: left out, {missing}", flush=True)
        else:
            scores.append(score(reader, name, lines, show))
    return scores + [score(reader, path.name, pdf_lines(path, count, dpi), show) for path in pdfs]


def synthetic_lines(count: int, *, held_out: bool, hard: float) -> list[Line]:
    """Strips as training draws them, of a seed that it never saw; `hard` 0: clean."""
    press = StripPress(SEED, held_out=held_out)
    return [(text, (square(rows),)) for text, rows, _ in (press.strip(LONGEST, hard) for _ in range(count))]


def pdf_lines(path: Path, limit: int, dpi: int) -> list[Line]:
    """Horizontal lines of a PDF's pages, drawn at `dpi`, with their text layer's text, where we know its characters."""
    found: list[Line] = []
    choice = random.Random(0)
    with pymupdf.open(path) as pdf:
        for page in (pdf[k] for k in choice.sample(range(len(pdf)), min(len(pdf), MAX_PAGES))):
            drawn = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
            sheet = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width)
            layer: Any = page.get_text("dict", flags=0)
            for line in (line for block in layer["blocks"] for line in block.get("lines", ())):
                text = " ".join("".join(span["text"] for span in line["spans"]).split())
                left, top, right, bottom = (round(v * dpi / 72) for v in line["bbox"])
                if line["dir"] == (1.0, 0.0) and len(text) > 2 and set(text) <= set(CHARS):
                    crop = sheet[max(0, top - 1) : bottom + 1, max(0, left - 3) : right + 3]
                    found.append((text, tuple(part for strip in cut(crop) for part in strip.squares)))
    return choice.sample(found, min(limit, len(found)))


def score(reader: Reader, name: str, lines: list[Line], show: int) -> Score:
    """Read the lines and compare; the first `show` are printed."""
    begun = time.monotonic()
    found = reader.joined([squares for _, squares in lines])
    spent_s = time.monotonic() - begun
    truths = [leaders(text) for text, _ in lines]
    errors = [distance(truth, leaders(read)) for truth, read in zip(truths, found, strict=True)]
    for (text, _), read in list(zip(lines, found, strict=True))[:show]:
        print(f"  | {text}\n  > {read}")
    return Score(
        name=name,
        cer=sum(errors) / max(1, sum(map(len, truths))),
        num_exact=errors.count(0),
        num_lines=len(lines),
        num_squares=sum(len(squares) for _, squares in lines),
        spent_s=spent_s,
    )


def figures(scores: list[Score]) -> dict[str, float]:
    """By stable names: each synthetic set, all PDFs together, and the speed of `generate()` in batches of 16."""
    named = {each.name: each.cer for each in scores if each.name.startswith("cer_")}
    real = [each for each in scores if each.name not in named and each.num_lines]
    if real:
        named["cer_rendered"] = sum(each.cer * each.num_lines for each in real) / sum(each.num_lines for each in real)
    spent_s = sum(each.spent_s for each in scores)
    return {**named, "strips_per_second": sum(each.num_squares for each in scores) / spent_s if spent_s else 0.0}


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("checkpoints/ocr-compact"))
    parser.add_argument("pdfs", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=150, help="lines of each set")
    parser.add_argument("--dpi", type=int, default=144)
    parser.add_argument("--show", type=int, default=0, help="lines of each set to print")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    scores = evaluate(chosen.folder, chosen.pdfs, count=chosen.count, dpi=chosen.dpi, show=chosen.show)
    for each in scores:
        each_ms = 1000 * each.spent_s / max(1, each.num_lines)
        print(f"{each.name}: CER {each.cer:.4f}, {each.num_exact} of {each.num_lines} exact, {each_ms:.0f} ms a line")
    if chosen.json:
        chosen.json.write_text(json.dumps({"benchmark": "ocr", "figures": figures(scores)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
