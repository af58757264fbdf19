"""Trains the compact reader on synthetic strips, from nothing or from a checkpoint; stopped at any time, it goes on.

    python -m training.ocr.train runs/ocr --minutes 90
    python -m training.ocr.train runs/ocr --from checkpoints/ocr-compact --rate 0.5 --until 03:05
    python -m training.ocr.train runs/ocr --minutes 30 --device cuda

The learning rate follows the clock, not a count of steps: a run ends on time on any machine. RUN/state-* is what it
goes on from, RUN/export what `checkpoints/ocr-compact` holds.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import deque
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import torch
from torch import Tensor

from training.ocr.batches import StripBatches, real_drawings
from training.ocr.kinds import weights
from training.ocr.trainer import LAST_LONGEST, SIZES, Progress, Trainer
from training.schedule import Schedule, seconds_until
from training.workers import num_drawers

LEARNT_PLACES = 0.5  # loss of places under which texts may grow
FALL = 0.65  # of a run in which its rate falls
ROWS_EACH, ROWS_EACH_ON_GPU = 64, 1024  # of a batch
SAVE_EVERY_S = 300
PRINT_EVERY = 50  # steps


def train(
    out: Path,
    minutes: float,
    *,
    begin_from: Path | None = None,
    until: str | None = None,
    rate: float = 1.0,
    fall: float = FALL,
    rows_each: int = ROWS_EACH,
    sizes: tuple[int, ...] = SIZES,
    seed: int = 0,
    device: str = "cpu",
    num_workers: int = 0,
    kinds: Mapping[str, float] | None = None,
    real: Path | None = None,
    max_steps: int | None = None,
) -> Progress:
    """Train until `minutes` are spent in all runs into `out` (or the clock shows `until`), or for `max_steps` steps.

    `kinds`: how often each is drawn, see `training.ocr.kinds`; `real`: lines of scanned paper to learn from, too.
    """
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(sizes, device)
    if not trainer.load(out) and begin_from:
        trainer.adopt(begin_from)
    progress = trainer.progress
    budget_s = progress.spent_s + seconds_until(until, datetime.now().astimezone()) if until else 60 * minutes
    schedule = Schedule(budget_s=budget_s, fall=fall)
    lines = real_drawings(real) if real else []
    batches = StripBatches(seed + progress.step, rows_each, progress.longest, kinds, real=lines)
    begun, saved_s, recent = time.monotonic() - progress.spent_s, progress.spent_s, deque[Tensor](maxlen=PRINT_EVERY)
    last = None if max_steps is None else progress.step + max_steps
    for batch in batches.loader(num_workers):
        if progress.spent_s >= budget_s or progress.step == last:
            break
        losses = trainer.step(batch, rate * schedule.rate(progress.step, progress.spent_s)).cpu()
        progress.spent_s = time.monotonic() - begun
        recent.append(losses)
        if losses[2].item() < LEARNT_PLACES and progress.longest < LAST_LONGEST:
            progress.longest += 1  # texts stay short until most of their characters are seen
            batches.longest = progress.longest
        if progress.step % PRINT_EVERY == 0:
            _report(progress, torch.stack(list(recent)).mean(0))
        if progress.spent_s - saved_s > SAVE_EVERY_S:
            saved_s = progress.spent_s
            trainer.save(out)
    trainer.save(out)
    return progress


def _report(progress: Progress, losses: Tensor) -> None:
    losses_text = " ".join(f"{loss:.3f}" for loss in losses.tolist())
    print(
        f"{progress.spent_s / 60:.1f} min, step {progress.step}, {progress.num_strips} strips to {progress.longest}; "
        f"next look place CTC {losses_text}",
        flush=True,
    )


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="RUN")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--until", metavar="HH:MM", help="end at this time instead")
    parser.add_argument("--from", type=Path, metavar="FOLDER", dest="begin_from", help="checkpoint to begin with")
    parser.add_argument("--rate", type=float, default=1.0, help="share of the usual learning rates")
    parser.add_argument("--fall", type=float, default=FALL, help="share of the run in which the rate falls to nothing")
    parser.add_argument("--weigh", type=Path, metavar="FILE", help="evaluation's figures: draw what is read worst more")
    parser.add_argument(
        "--real", type=Path, metavar="LINES", help="folder of lines of scanned paper to learn from, too"
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, help="processes that draw strips; 0: this one; unset: all other cores")
    parser.add_argument("--rows-each", type=int, help="rows of text in a batch; unset: as fits the device")
    parser.add_argument("--sizes", type=int, nargs=4, default=SIZES, metavar=("VISION", "TEXT", "SEERS", "READERS"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    on_cpu = args.device == "cpu"
    if on_cpu:
        os.nice(10)  # serving on the same machine goes first
    train(
        args.out,
        args.minutes,
        begin_from=args.begin_from,
        until=args.until,
        rate=args.rate,
        fall=args.fall,
        rows_each=args.rows_each or (ROWS_EACH if on_cpu else ROWS_EACH_ON_GPU),
        sizes=tuple(args.sizes),
        seed=args.seed,
        device=args.device,
        num_workers=(0 if on_cpu else num_drawers()) if args.workers is None else args.workers,
        real=args.real,
        kinds=weights(json.loads(args.weigh.read_text())["figures"]) if args.weigh else None,
    )


if __name__ == "__main__":
    main()
