"""Trains the compact reader from nothing on synthetic strips; stopped at any time, it goes on from its state file.

    python -m training.ocr.train runs/ocr --minutes 90
    python -m training.ocr.train runs/ocr --minutes 30 --device cuda --workers 15 --rows-each 1024

The learning rate follows the clock, not a count of steps: a run ends on time on any machine. RUN/state.pt is what it
goes on from, RUN/export what `checkpoints/ocr-compact` holds.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from training.ocr.batches import Batch, StripBatches
from training.ocr.characters import CHARS
from training.ocr.model import IMAGE, SPECIALS
from training.ocr.muon import Muon
from training.ocr.trainee import Trainee

SIZES = (96, 192, 3, 4)  # widths of vision and text, depths of both
LOSS_WEIGHTS = (1.0, 0.3, 1.0, 0.5)  # next character, attention, place, CTC
SLIP = 0.04  # share of given characters that are wrong, so that it trusts its eyes
FIRST_LONGEST, LATE_LONGEST, LAST_LONGEST = 16, 50, 76  # characters of a text: at first, from where CTC helps, at last
LEARNT_PLACES = 0.5  # loss of places under which texts may grow
SAVE_EVERY_S = 300
PRINT_EVERY = 50  # steps


@dataclass(slots=True)
class Progress:
    """How far a run has come; all of it is in the state file."""

    spent_s: float = 0.0
    num_strips: int = 0
    step: int = 0
    longest: int = FIRST_LONGEST


class Trainer:
    """The trainee, its optimisers and its running average, on one device; they are saved and loaded together."""

    def __init__(self, sizes: tuple[int, ...], device: str) -> None:
        self.device, self.progress = device, Progress()
        self.trainee = Trainee(*sizes).to(device)
        self._averaged = AveragedModel(self.trainee, multi_avg_fn=get_ema_multi_avg_fn(0.997))
        weights = {n: w for n, w in self.trainee.named_parameters() if "pos_embed" not in n}
        matrices = {n: w for n, w in weights.items() if w.ndim > 1 and not re.search("embed_tokens|heads|position", n)}
        slow = [w for n, w in matrices.items() if re.search("[qk]_proj", n)]  # sharp attention is hard to lead
        fast = [w for n, w in matrices.items() if not re.search("[qk]_proj", n)]
        self._others = [w for n, w in weights.items() if n not in matrices]
        wide, narrow = [w for w in self._others if w.ndim > 1], [w for w in self._others if w.ndim < 2]
        self._muon = Muon(
            [{"params": slow, "peak": 0.003}, {"params": fast, "peak": 0.012}], {"lr": 0.0, "decay": 0.05}
        )
        self._adam = torch.optim.AdamW(
            [
                {"params": wide, "weight_decay": 0.01, "peak": 2e-3},
                {"params": narrow, "weight_decay": 0.0, "peak": 1e-3},
            ],
            betas=(0.9, 0.98),
        )

    def step(self, batch: Batch, share_done: float) -> Tensor:
        """One step at `share_done` (0..1) of the run; the four losses, on the device."""
        self._set_rate(share_done)
        image, given, wanted, places, looks = batch.to(self.device)
        slip = (torch.rand(given.shape, device=self.device) < SLIP) & (given > IMAGE)
        given = torch.where(slip, torch.randint_like(given, len(SPECIALS), len(SPECIALS) + len(CHARS)), given)
        with torch.autocast(self.device, torch.bfloat16):
            late = self.progress.longest > LATE_LONGEST
            losses = torch.stack(self.trainee(image, given, wanted, places, looks, late=late))
        (losses @ torch.tensor(LOSS_WEIGHTS, device=self.device)).backward()
        nn.utils.clip_grad_norm_(self._others, 1.0)
        for optimizer in (self._muon, self._adam):
            optimizer.step()
            optimizer.zero_grad()
        self._averaged.update_parameters(self.trainee)
        self.progress.step += 1
        self.progress.num_strips += len(image)
        return losses.detach()

    def save(self, out: Path) -> None:
        """Write the state, whole or not at all, and the averaged model as a checkpoint."""
        file, progress = out / "state.pt", self.progress
        counts = (progress.spent_s, progress.num_strips, progress.step, progress.longest)
        torch.save({"parts": [part.state_dict() for part in self._parts()], "counts": counts}, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
        averaged: Any = self._averaged.module
        averaged.export(out / "export")

    def load(self, out: Path) -> None:
        """Go on from what `save` wrote."""
        state = torch.load(out / "state.pt", map_location=self.device)
        for part, saved in zip(self._parts(), state["parts"], strict=True):
            part.load_state_dict(saved)
        self.progress = Progress(*state["counts"])

    def _parts(self) -> tuple[Trainee, Muon, torch.optim.AdamW, AveragedModel]:
        return self.trainee, self._muon, self._adam, self._averaged

    def _set_rate(self, share_done: float) -> None:
        rate = min(1.0, (self.progress.step + 1) / 100, max(0.01, (1 - share_done) / 0.65))
        for group in self._muon.param_groups + self._adam.param_groups:
            group["lr"] = group["peak"] * rate


def train(
    out: Path,
    minutes: float,
    *,
    rows_each: int = 64,
    sizes: tuple[int, ...] = SIZES,
    seed: int = 0,
    device: str = "cpu",
    num_workers: int = 0,
    max_steps: int | None = None,
) -> Progress:
    """Train until `minutes` are spent in all runs into `out`, or for `max_steps` of this run."""
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(sizes, device)
    if (out / "state.pt").exists():
        trainer.load(out)
    progress, budget_s = trainer.progress, 60 * minutes
    drawn = StripBatches(seed + progress.step, rows_each, progress.longest)
    begun, saved_s, sums = time.monotonic() - progress.spent_s, progress.spent_s, torch.zeros(4)
    last = None if max_steps is None else progress.step + max_steps
    for batch in drawn.loader(num_workers):
        if progress.spent_s >= budget_s or progress.step == last:
            break
        losses = trainer.step(batch, progress.spent_s / budget_s).cpu()
        progress.spent_s, sums = time.monotonic() - begun, sums + losses
        if losses[2].item() < LEARNT_PLACES and progress.longest < LAST_LONGEST:
            progress.longest += 1  # texts stay short until most of their characters are seen
            drawn.longest = progress.longest
        if progress.step % PRINT_EVERY == 0:
            _report(progress, sums / PRINT_EVERY)
            sums.zero_()
        if progress.spent_s - saved_s > SAVE_EVERY_S:
            saved_s = progress.spent_s
            trainer.save(out)
    trainer.save(out)
    return progress


def _report(progress: Progress, losses: Tensor) -> None:
    shown = " ".join(f"{loss:.3f}" for loss in losses.tolist())
    print(
        f"{progress.spent_s / 60:.1f} min, step {progress.step}, {progress.num_strips} strips to {progress.longest}; "
        f"next look place CTC {shown}",
        flush=True,
    )


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="RUN")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=0, help="processes that draw strips; 0: this one")
    parser.add_argument("--rows-each", type=int, default=64, help="rows of text in a batch")
    parser.add_argument("--sizes", type=int, nargs=4, default=SIZES, metavar=("VISION", "TEXT", "SEERS", "READERS"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    if chosen.device == "cpu":
        os.nice(10)  # serving on the same machine goes first
    train(
        chosen.out,
        chosen.minutes,
        rows_each=chosen.rows_each,
        sizes=tuple(chosen.sizes),
        seed=chosen.seed,
        device=chosen.device,
        num_workers=chosen.workers,
    )


if __name__ == "__main__":
    main()
