"""The trainee, its optimisers and its running average: what one step does, and what a state file holds."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from training.ocr.batches import Batch
from training.ocr.characters import CHARS
from training.ocr.model import IMAGE, SPECIALS
from training.ocr.muon import Muon
from training.ocr.trainee import Help, Trainee
from training.precision import has_bfloat16
from training.state import read_state, write_state

SIZES = (96, 192, 3, 4)  # widths of vision and text, depths of both
LOSS_WEIGHTS = (1.0, 0.3, 1.0, 0.5)  # next character, attention, place, CTC
SLIP = 0.04  # share of given characters that are wrong, so that it trusts its eyes
FIRST_LONGEST, LATE_LONGEST, LAST_LONGEST = 16, 50, 76  # characters of a text: at first, from where CTC helps, at last
AVERAGE = 0.997  # of the running average of the weights, kept in a step; less in the first steps


@dataclass(slots=True)
class Progress:
    """How far a run has come; all of it is in the state file."""

    spent_s: float = 0.0
    num_strips: int = 0
    step: int = 0
    longest: int = FIRST_LONGEST
    helped: bool = True  # by both heads


class Trainer:
    """The trainee, its optimisers and its running average, on one device; they are saved and loaded together."""

    def __init__(self, sizes: tuple[int, ...], device: str) -> None:
        self.device, self.progress = device, Progress()
        self.trainee = Trainee(*sizes).to(device)
        self._averaged = AveragedModel(self.trainee, multi_avg_fn=_average)
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

    def adopt(self, folder: Path) -> None:
        """Begin with a checkpoint's weights; what reads already learns on without the heads."""
        self.trainee.adopt(folder)
        self.progress.longest, self.progress.helped = LAST_LONGEST, False

    def step(self, batch: Batch, rate: float) -> Tensor:
        """One step at that share of the highest rates; the four losses, on the device."""
        for group in self._muon.param_groups + self._adam.param_groups:
            group["lr"] = group["peak"] * rate
        image, inputs, targets, places, looks = batch.to(self.device)
        slip = (torch.rand(inputs.shape, device=self.device) < SLIP) & (inputs > IMAGE)
        inputs = torch.where(slip, torch.randint_like(inputs, len(SPECIALS), len(SPECIALS) + len(CHARS)), inputs)
        with torch.autocast(self.device, torch.bfloat16, enabled=has_bfloat16(self.device)):
            losses = torch.stack(self.trainee(image, inputs, targets, places, looks, self._help()))
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
        write_state(
            out,
            self.progress.step,
            {"parts": [part.state_dict() for part in self._parts()], "progress": asdict(self.progress)},
        )
        averaged: Any = self._averaged.module
        averaged.export(out / "export")

    def load(self, out: Path) -> bool:
        """Go on from what `save` wrote, if it did."""
        state = read_state(out, self.device)
        if state is None:
            return False
        for part, saved in zip(self._parts(), state["parts"], strict=True):
            part.load_state_dict(saved)
        self.progress = Progress(**state["progress"])
        return True

    def _help(self) -> Help:
        if not self.progress.helped:
            return "none"
        return "ctc" if self.progress.longest > LATE_LONGEST else "places"

    def _parts(self) -> tuple[Trainee, Muon, torch.optim.AdamW, AveragedModel]:
        return self.trainee, self._muon, self._adam, self._averaged


@torch.no_grad()
def _average(averages: Any, newest: Any, num_averaged: Any) -> None:
    steps = float(num_averaged)
    for average, new in zip(averages, newest, strict=True):
        average.lerp_(new, 1 - min(AVERAGE, (1 + steps) / (10 + steps)))
