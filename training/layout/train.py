"""Trains the compact layout network on drawn and real pages, from nothing or a checkpoint; once stopped, it goes on.

    python -m training.layout.train runs/layout --minutes 85
    python -m training.layout.train runs/layout --from checkpoints/layout-compact --rate 0.2 --until 03:05
    python -m training.layout.train runs/layout --minutes 30 --device cuda

The learning rate follows the clock, not a count of steps: a run ends on time on any machine. Early steps see small
images, the last quarter the full square that detection uses; a run from a checkpoint leaves out the smallest.
RUN/state-* is what a run goes on from, RUN/export what `checkpoints/layout-compact` holds: the running average of the
weights.
"""

from __future__ import annotations

import argparse
import os
import time
from datetime import datetime
from pathlib import Path

import cv2
import torch
from torch import Tensor

from training.layout.batches import PHASES, PageBatches, Phase
from training.layout.trainer import Progress, Trainer
from training.layout.training_pages import read_pages
from training.schedule import Schedule, seconds_until
from training.workers import num_drawers

BATCH_SIZE, BATCH_SIZE_ON_GPU = 8, 64
FALL = 0.8  # of a run in which its rate falls
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
    batch_size: int = BATCH_SIZE,
    seed: int = 1,
    device: str = "cpu",
    num_workers: int = 0,
    max_steps: int | None = None,
    phases: tuple[Phase, ...] = PHASES,
    real: Path | None = None,
) -> Progress:
    """Train until `minutes` are spent in all runs into `out` (or the clock shows `until`), or for `max_steps` steps."""
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(device)
    if not trainer.load(out) and begin_from:
        trainer.adopt(begin_from)
    progress = trainer.progress
    budget_s = progress.spent_s + seconds_until(until, datetime.now().astimezone()) if until else 60 * minutes
    schedule = Schedule(budget_s=budget_s, fall=fall)
    begun, saved_s = time.monotonic() - progress.spent_s, progress.spent_s
    last = None if max_steps is None else progress.step + max_steps
    loss_mean: Tensor | None = None
    batches = PageBatches(
        seed * 1_000_000 + progress.step * batch_size,
        batch_size,
        schedule.share_done(progress.spent_s),
        phases[-2:] if begin_from else phases,
        read_pages(real) if real else (),
    )
    for batch in batches.loader(num_workers):
        if progress.spent_s >= budget_s or progress.step == last:
            break
        losses = trainer.step(batch, rate * schedule.rate(progress.step, progress.spent_s))
        loss_mean = losses if loss_mean is None else 0.98 * loss_mean + 0.02 * losses
        progress.spent_s = time.monotonic() - begun
        batches.share_done = schedule.share_done(progress.spent_s)
        if progress.step % PRINT_EVERY == 0:
            values = " ".join(f"{loss:.3f}" for loss in loss_mean.tolist())
            print(f"{progress.spent_s / 60:6.1f} min, step {progress.step}; losses {values}", flush=True)
        if progress.spent_s - saved_s > SAVE_EVERY_S:
            saved_s = progress.spent_s
            trainer.save(out)
    trainer.save(out)
    return progress


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="RUN")
    parser.add_argument("--minutes", type=float, default=85)
    parser.add_argument("--until", metavar="HH:MM", help="end at this time instead")
    parser.add_argument("--from", type=Path, metavar="FOLDER", dest="begin_from", help="checkpoint to begin with")
    parser.add_argument("--real", type=Path, metavar="PAGES", help="of `benchmarks.tagged_pages`, among the drawn ones")
    parser.add_argument("--rate", type=float, default=1.0, help="share of the usual learning rate")
    parser.add_argument("--fall", type=float, default=FALL, help="share of the run in which the rate falls to nothing")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, help="processes that draw pages; 0: this one; unset: all other cores")
    parser.add_argument("--batch-size", type=int, help="pages of a step; unset: as fits the device")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(args.threads)
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
        batch_size=args.batch_size or (BATCH_SIZE if on_cpu else BATCH_SIZE_ON_GPU),
        seed=args.seed,
        device=args.device,
        num_workers=(0 if on_cpu else num_drawers()) if args.workers is None else args.workers,
        real=args.real,
    )


if __name__ == "__main__":
    main()
