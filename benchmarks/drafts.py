"""Drafts that the model verifies, and none: equal tokens over real strips, and what they cost.

`python -m benchmarks.drafts FOLDER [--pages 20] [--json FILE]`: lines are cut from the pictures in FOLDER and from the
first pages of its PDFs without text, and read by the compact checkpoint with each number of drafts in turn, two rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image

from batching import EngineConfig, Request, generate
from batching.loading.models import load_got_ocr2
from batching.requests.completion import Completion
from batching.runner import Runner
from benchmarks.harness.report import record
from configs.settings import Settings, checkpoint_path
from documents.ocr_input.line_strips import cut

DRAFTS = (0, 2, 4)
ROUNDS = 2
DPI = 150
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--json", metavar="OUT", type=Path)
    args = parser.parse_args()
    squares = [square for page in pages(args.folder, args.pages) for strip in cut(page) for square in strip.squares]
    settings = Settings().ocr
    runner = load_got_ocr2(checkpoint_path(settings.model))
    seconds = dict.fromkeys(DRAFTS, float("inf"))
    outputs: dict[int, list[Completion]] = {}
    for _ in range(ROUNDS):
        for drafts in DRAFTS:
            began = time.process_time()
            outputs[drafts] = read(runner, squares, drafts, settings.max_running)
            seconds[drafts] = min(seconds[drafts], time.process_time() - began)
    plain = [completion.token_ids for completion in outputs[0]]
    figures = {"strips": float(len(squares)), "tokens": float(sum(map(len, plain)))}
    for drafts in DRAFTS[1:]:
        equal = [completion.token_ids for completion in outputs[drafts]] == plain
        figures |= {f"equal_{drafts}": float(equal), f"plain_over_{drafts}": round(seconds[0] / seconds[drafts], 3)}
    print(figures)
    if args.json:
        record(args.json, "drafts", figures)
    return 0 if all(figures[f"equal_{drafts}"] for drafts in DRAFTS[1:]) else 1


def read(runner: Runner, squares: list[np.ndarray], drafts: int, max_running: int) -> list[Completion]:
    """All squares; `drafts` tokens of each are guessed per step."""
    return generate(
        runner, [Request(image=square) for square in squares], EngineConfig(max_running=max_running, max_drafts=drafts)
    )


def pages(folder: Path, limit: int) -> Iterator[np.ndarray]:
    """Pictures of pages without text, by name, uint8 (height, width, 3)."""
    for path in sorted(folder.iterdir()):
        if limit and path.suffix.lower() in PICTURES:
            yield np.asarray(Image.open(path).convert("RGB"))
            limit -= 1
        elif limit and path.suffix.lower() == ".pdf":
            with pymupdf.open(path) as document:
                if not document.needs_pass and not str(document[0].get_text()).strip():
                    pixels = document[0].get_pixmap(dpi=DPI)
                    yield np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
                    limit -= 1


if __name__ == "__main__":
    raise SystemExit(main())
