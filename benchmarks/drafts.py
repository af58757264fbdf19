"""What drafts save on real and drawn lines: steps per line, and equal tokens.

`python -m benchmarks.drafts FOLDER... [--pages 20] [--json FILE]`: lines are cut from the pictures in each FOLDER and
from the first pages of its PDFs without text, and read by the compact checkpoint without drafts, with those that are
looked up in the text (`max_drafts`), and with those of its draft head; two rounds, processor seconds of the better one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import torch
from PIL import Image

from batching import EngineConfig, Request, RequestStats, StepStats, generate
from batching.inputs.got.draft_head import DraftHead
from batching.inputs.got.vision_encoder import VisionEncoder
from batching.loading.models import load_got_ocr2
from benchmarks.harness import report
from configs.settings import Settings, checkpoint_path
from documents.ocr_input.line_strips import cut

SIDES = {"none": (False, 0), "look_up": (False, 4), "head": (True, 0)}  # whether by the head; tokens looked up
ROUNDS = 2
DPI = 150
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff"})


@dataclass(frozen=True, slots=True)
class Run:
    """The lines of one folder, read once."""

    tokens: list[list[int]]
    steps_per_line: float
    proposed: int
    accepted: int
    given_up: int
    seconds: float  # of the processor


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=20, help="of each folder")
    parser.add_argument("--json", metavar="OUT", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    reader = Reader()
    rows = [
        row_of(folder.name, side, runs[side], runs["none"])
        for folder in args.folders
        for runs in [runs_of(reader, folder, args.pages)]
        for side in SIDES
    ]
    print(report.table(rows))
    figures = {
        f"{name}_{row['lines']}_{row['drafts']}": float(row[name])
        for row in rows
        for name in row.keys() - {"lines", "drafts"}
    }
    if args.json:
        report.record(args.json, "drafts", figures, rows)
    return 0 if all(row["equal"] for row in rows) else 1


class Reader:
    """The shipped checkpoint with the server's limits, with and without its head."""

    def __init__(self) -> None:
        self._settings = Settings().ocr
        folder = Path(checkpoint_path(self._settings.model))
        self._runner = load_got_ocr2(folder)
        head = DraftHead.of_folder(folder, self._runner.model.config.text_config, torch.device("cpu"), torch.float32)
        self._encoders = {
            has_head: VisionEncoder(self._runner.model, head if has_head else None) for has_head in (False, True)
        }

    def read(self, squares: list[np.ndarray], side: str) -> Run:
        """All squares at once, as a full server has them."""
        by_head, max_drafts = SIDES[side]
        self._runner.inputs.encoder = self._encoders[by_head]
        ends: list[RequestStats] = []
        steps: list[StepStats] = []
        config = EngineConfig(
            max_running=self._settings.max_running, max_drafts=max_drafts, on_step=steps.append, on_finish=ends.append
        )
        began = time.process_time()
        completions = generate(self._runner, [Request(image=square) for square in squares], config)
        return Run(
            tokens=[completion.token_ids for completion in completions],
            steps_per_line=sum(end.num_steps for end in ends) / len(ends),
            proposed=sum(step.num_drafts for step in steps),
            accepted=sum(step.num_accepted for step in steps),
            given_up=sum(end.gave_up_drafts for end in ends),
            seconds=time.process_time() - began,
        )


def runs_of(reader: Reader, folder: Path, num_pages: int) -> dict[str, Run]:
    """The quickest run of each side; sides take turns."""
    squares = [square for page in pages(folder, num_pages) for strip in cut(page) for square in strip.squares]
    runs: dict[str, Run] = {}
    for _ in range(ROUNDS):
        for side in SIDES:
            run = reader.read(squares, side)
            if side not in runs or run.seconds < runs[side].seconds:
                runs[side] = run
    return runs


def row_of(lines: str, side: str, run: Run, plain: Run) -> dict[str, Any]:
    """Its figures beside those without drafts."""
    return {
        "lines": lines,
        "drafts": side,
        "count": len(run.tokens),
        "tokens": sum(map(len, run.tokens)),
        "equal": float(run.tokens == plain.tokens),
        "steps_per_line": round(run.steps_per_line, 2),
        "share_of_steps": round(run.steps_per_line / plain.steps_per_line, 3),
        "accepted_share": round(run.accepted / run.proposed, 3) if run.proposed else 0.0,
        "given_up": run.given_up,
        "seconds_over_plain": round(run.seconds / plain.seconds, 3),
    }


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
