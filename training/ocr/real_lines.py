"""Lines of scanned paper with what a person read there: cut out of their pages, kept in a folder, read back.

    python -m training.ocr.real_lines PAPER OUT --count 300

PAPER has a folder for each of `SPLITS`, with a `truth.json`: a list of pages, each of `file`, `split` and `text`, with
`lines` or `words` of `box` (x0, y0, x1, y1 in pixels) and `text` where they are known. The lines of a book's page are
those that the compact reader reads nearly as the page's text has them somewhere.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from documents.ocr_input.line_strips import Strip, cut
from documents.ocr_input.strip_folding import fold, levels, square
from training.ocr.alignment import aligned
from training.ocr.characters import CHARS
from training.ocr.levenshtein import distance
from training.ocr.read import Reader, Reads, Squares
from training.ocr.sets import Line

SPLITS = {"forms": "tune", "receipts": "tune", "books": "judge"}  # what is measured: books' other pages are trained on
LIST = "lines.csv"
NEXT = 1.2  # heights of a word: what follows farther away is another line
LEVEL = 0.6  # of a word's height, that it shares with the next one in its line
DOUBT = 0.3  # share of a book's line that may be read differently
SHORTEST = 12  # characters of a book's line
LEAST_PIXELS = 4

Cut = tuple[str, np.ndarray]  # a text, and its picture: uint8 (height, width)


def read_lines(folder: Path) -> list[Line]:
    """The lines that `main` kept; none of a folder without them."""
    if not (folder / LIST).is_file():
        return []
    with (folder / LIST).open(encoding="utf-8", newline="") as file:
        return [Line(row["text"], squares_of(_grey(folder / row["file"]))) for row in csv.DictReader(file)]


def squares_of(picture: np.ndarray) -> Squares:
    """A line's squares, from its picture, uint8 (height, width): of several strips the tallest and those beside it.

    A rule, or the feet of the line above, may be a strip of its own.
    """
    strips = cut(picture)
    if not strips:
        return (square(fold(levels(picture))),)
    tallest = max(strips, key=lambda strip: strip.box.y1 - strip.box.y0)
    beside = sorted((strip for strip in strips if _beside(strip, tallest)), key=lambda strip: strip.box.x0)
    return tuple(square for strip in beside for square in strip.squares)


def word_lines(words: list[dict[str, Any]]) -> list[tuple[str, tuple[int, int, int, int]]]:
    """Words in reading order, joined where one stands beside the one before it: texts and boxes."""
    lines: list[tuple[str, tuple[int, int, int, int]]] = []
    for word in words:
        x0, y0, x1, y1 = word["box"]
        if lines:
            text, (left, top, right, bottom) = lines[-1]
            shared, least = min(bottom, y1) - max(top, y0), min(bottom - top, y1 - y0)
            if shared > LEVEL * least and -3 <= x0 - right < NEXT * least:
                box = (min(left, x0), min(top, y0), max(right, x1), max(bottom, y1))
                lines[-1] = (f"{text} {word['text']}", box)
                continue
        lines.append((word["text"], (x0, y0, x1, y1)))
    return lines


def boxed(page: dict[str, Any], picture: np.ndarray) -> Iterator[Cut]:
    """The lines of a page whose boxes are known."""
    true_lines = word_lines(page["words"]) or [(line["text"], tuple(line["box"])) for line in page["lines"]]
    for text, (x0, y0, x1, y1) in true_lines:
        line = picture[max(0, y0 - 1) : y1 + 1, max(0, x0 - 3) : x1 + 3]
        if min(line.shape) > LEAST_PIXELS and any(c.isalnum() for c in text) and set(text) <= set(CHARS):
            yield text, line


def unboxed(page: dict[str, Any], picture: np.ndarray, reader: Reads, doubt: float = DOUBT) -> Iterator[Cut]:
    """The lines of a page of which only the text is known, as far as the reader finds them in it."""
    strips = cut(picture)
    read = reader.joined([strip.squares for strip in strips])
    for strip, text, truth in zip(strips, read, aligned(read, page["text"]), strict=True):
        if len(truth) >= SHORTEST and set(truth) <= set(CHARS) and distance(truth, text) <= doubt * len(truth):
            box = strip.box
            x0, y0, x1, y1 = (round(v) for v in (box.x0, box.y0, box.x1, box.y1))
            yield truth, picture[max(0, y0 - 1) : y1 + 1, max(0, x0 - 3) : x1 + 3]


def lines_of_kind(folder: Path, split: str, reader: Reads, count: int, doubt: float = DOUBT) -> list[Cut]:
    """At most `count` lines, of pages of that split in a chance order that is always the same."""
    pages = [page for page in json.loads((folder / "truth.json").read_text("utf-8")) if page["split"] == split]
    chance, lines = random.Random(0), list[Cut]()
    per_page = max(1, 2 * count // max(1, len(pages)))
    for page in chance.sample(pages, len(pages)):
        picture = _grey(folder / page["file"])
        has_boxes = page["words"] or page["lines"]
        of_page = list(boxed(page, picture) if has_boxes else unboxed(page, picture, reader, doubt))
        lines += chance.sample(of_page, min(len(of_page), per_page if has_boxes else 3 * per_page))
        if len(lines) >= 2 * count:
            break
    return chance.sample(lines, min(count, len(lines)))


def _beside(strip: Strip, other: Strip) -> bool:
    shared = min(strip.box.y1, other.box.y1) - max(strip.box.y0, other.box.y0)
    return shared > LEVEL * min(strip.box.y1 - strip.box.y0, other.box.y1 - other.box.y0)


def _grey(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("L"))


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paper", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--reader", type=Path, default=Path("checkpoints/ocr-compact"), help="aligns books")
    parser.add_argument("--count", type=int, default=300, help="lines of each kind")
    parser.add_argument("--split", help="of the pages; unset: those that measure")
    parser.add_argument(
        "--doubt", type=float, default=DOUBT, help="share of a book's line that may be read differently"
    )
    parser.add_argument("--kinds", nargs="*", default=list(SPLITS))
    args = parser.parse_args()
    reader = Reader(args.reader)
    for kind in args.kinds:
        lines = lines_of_kind(args.paper / kind, args.split or SPLITS[kind], reader, args.count, args.doubt)
        folder = args.out / kind
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LIST).open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(("file", "text"))
            for k, (text, picture) in enumerate(lines):
                Image.fromarray(picture).save(folder / f"{k:04}.png")
                table.writerow((f"{k:04}.png", text))
        print(f"{kind}: {len(lines)} lines", flush=True)


if __name__ == "__main__":
    main()
