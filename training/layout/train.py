"""Trains the compact layout network from random weights on drawn pages; stopped at any time, it goes on from its state.

    python -m training.layout.train runs/layout --minutes 85
    python -m training.layout.train runs/layout --minutes 30 --device cuda --workers 15 --batch-size 64

The learning rate follows the clock, not a count of steps: a run ends on time on any machine. Early steps see small
images, the last quarter the full square that detection uses. RUN/state.pt is what a run goes on from, RUN/export what
`checkpoints/layout-compact` holds: the running average of the weights.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from documents.offline import quiet_import
from training.layout.batches import PHASES, PageBatches, Phase
from training.layout.classes import CLASSES

ARCHITECTURE = "yolov10n.yaml"
CONFIG = {
    "architecture": ARCHITECTURE,
    "image_size": 640,
    "head": "one_to_many",
    "suppress_iou": 0.6,
    "confidence": 0.15,
    "crop_margin": {"x": 4, "y": 1},
    "classes": CLASSES,
}
RATE, LAST_RATE = 2e-3, 0.02  # the second as a share of the first
WARM_UP = 100  # steps
AVERAGED_STEPS = 300  # after which the average is a long one
SAVE_EVERY_S = 300
PRINT_EVERY = 50  # steps


@dataclass(slots=True)
class Progress:
    """How far a run has come; all of it is in the state file."""

    spent_s: float = 0.0
    step: int = 0


class Trainer:
    """The network, its optimiser and its running average, on one device; they are saved and loaded together."""

    def __init__(self, device: str, rate: float = RATE) -> None:
        with quiet_import():
            from doclayout_yolo.cfg import get_cfg
            from doclayout_yolo.nn.tasks import YOLOv10DetectionModel
        self.device, self.progress, self._rate = device, Progress(), rate
        model: Any = YOLOv10DetectionModel(ARCHITECTURE, nc=len(CLASSES), verbose=False)
        self._model = model.to(device=device, memory_format=torch.channels_last)
        self._model.args = get_cfg()  # the loss reads its gains from there
        self._averaged = copy.deepcopy(self._model).eval().requires_grad_(False)
        self._weights = [w for w in self._model.parameters() if w.requires_grad]
        decayed = [w for w in self._weights if _decays(w)]
        others = [w for w in self._weights if not _decays(w)]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
        self._adam = torch.optim.AdamW(groups)

    def step(self, batch: dict[str, Any], share_done: float) -> Tensor:
        """One step at `share_done` (0..1) of the run; the six losses."""
        cosine = LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, share_done))) / 2
        for group in self._adam.param_groups:
            group["lr"] = self._rate * min(1, (self.progress.step + 1) / WARM_UP) * cosine
        batch = {key: part.to(self.device) if isinstance(part, Tensor) else part for key, part in batch.items()}
        self._model.train()
        with torch.autocast(self.device, torch.bfloat16):
            out = self._model(batch["img"].contiguous(memory_format=torch.channels_last))
        loss, parts = self._model.loss(batch, _floats(out))
        (loss / len(batch["img"])).backward()
        nn.utils.clip_grad_norm_(self._weights, 10.0)
        self._adam.step()
        self._adam.zero_grad()
        self.progress.step += 1
        self._average()
        return parts.detach().cpu()

    def save(self, out: Path) -> None:
        """Write the state, whole or not at all, and the averaged network as a checkpoint."""
        file, progress = out / "state.pt", self.progress
        parts = [part.state_dict() for part in (self._model, self._averaged, self._adam)]
        torch.save({"parts": parts, "counts": (progress.spent_s, progress.step)}, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
        export(self._averaged, out / "export")

    def load(self, out: Path) -> None:
        """Go on from what `save` wrote."""
        state = torch.load(out / "state.pt", map_location=self.device)
        for part, saved in zip((self._model, self._averaged, self._adam), state["parts"], strict=True):
            part.load_state_dict(saved)
        self.progress = Progress(*state["counts"])

    @torch.no_grad()
    def _average(self) -> None:
        keep = 0.998 * (1 - math.exp(-self.progress.step / AVERAGED_STEPS))
        pairs = zip(self._averaged.state_dict().values(), self._model.state_dict().values(), strict=True)
        for average, newest in pairs:
            average.lerp_(newest, 1 - keep) if average.is_floating_point() else average.copy_(newest)


def train(
    out: Path,
    minutes: float,
    *,
    batch_size: int = 8,
    rate: float = RATE,
    seed: int = 1,
    device: str = "cpu",
    num_workers: int = 0,
    max_steps: int | None = None,
    phases: tuple[Phase, ...] = PHASES,
) -> Progress:
    """Train until `minutes` are spent in all runs into `out`, or for `max_steps` of this run."""
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(device, rate)
    if (out / "state.pt").exists():
        trainer.load(out)
    progress, budget_s = trainer.progress, 60 * minutes
    begun, saved_s = time.monotonic() - progress.spent_s, progress.spent_s
    last = None if max_steps is None else progress.step + max_steps
    shown: Tensor | None = None
    drawn = PageBatches(seed * 1_000_000 + progress.step * batch_size, batch_size, progress.spent_s / budget_s, phases)
    for batch in drawn.loader(num_workers):
        if progress.spent_s >= budget_s or progress.step == last:
            break
        losses = trainer.step(batch, progress.spent_s / budget_s)
        shown = losses if shown is None else 0.98 * shown + 0.02 * losses
        progress.spent_s = time.monotonic() - begun
        drawn.share_done = min(1.0, progress.spent_s / budget_s)
        if progress.step % PRINT_EVERY == 0:
            values = " ".join(f"{loss:.3f}" for loss in shown.tolist())
            print(f"{progress.spent_s / 60:6.1f} min, step {progress.step}; losses {values}", flush=True)
        if progress.spent_s - saved_s > SAVE_EVERY_S:
            saved_s = progress.spent_s
            trainer.save(out)
    trainer.save(out)
    return progress


def export(model: nn.Module, folder: Path) -> None:
    """Write half-precision weights, nothing pickled, and what is needed to build the network around them."""
    folder.mkdir(parents=True, exist_ok=True)
    halves = {k: (v.half() if v.is_floating_point() else v) for k, v in model.state_dict().items()}
    save_file({k: v.cpu().contiguous() for k, v in halves.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")


def _decays(weight: Tensor) -> bool:
    """Not norms, biases and small depthwise kernels."""
    return weight.ndim == 4 and len(weight) >= 16 and weight[0].numel() >= 16


def _floats(out: Any) -> Any:
    """The network's answers in single precision, however they are nested."""
    if isinstance(out, dict):
        return {key: _floats(value) for key, value in out.items()}
    return out.float().contiguous() if isinstance(out, Tensor) else [_floats(value) for value in out]


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="RUN")
    parser.add_argument("--minutes", type=float, default=85)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=0, help="processes that draw pages; 0: this one")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    cv2.setNumThreads(chosen.threads)
    if chosen.device == "cpu":
        os.nice(10)  # serving on the same machine goes first
    train(
        chosen.out,
        chosen.minutes,
        batch_size=chosen.batch_size,
        rate=chosen.rate,
        seed=chosen.seed,
        device=chosen.device,
        num_workers=chosen.workers,
    )


if __name__ == "__main__":
    main()
