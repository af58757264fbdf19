"""The network, its optimiser and its running average: what one step does, and what a state file holds."""

from __future__ import annotations

import copy
import json
import math
import types
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from documents.layout.doclayout.offline_import import quiet_import
from training.layout.classes import CLASSES, SHARES, TEXT
from training.precision import has_bfloat16
from training.state import read_state, write_state

ARCHITECTURE = "yolov10n.yaml"
CONFIG = {
    "architecture": ARCHITECTURE,
    "image_size": 640,
    "head": "one_to_many",
    "suppress_iou": 0.6,
    "confidence": 0.15,
    "class_confidence": {"plain text": 0.06, "abandon": 0.08},  # false ones harm least
    "crop_margin": {"x": 4, "y": 1},
    "classes": CLASSES,
}
RATE = 2e-3
EVENNESS = 0.3  # 0: the scores of all classes count alike; 1: each by how rarely it is drawn
AVERAGED_STEPS = 300  # after which the average is a long one


@dataclass(slots=True)
class Progress:
    """How far a run has come; all of it is in the state file."""

    spent_s: float = 0.0
    step: int = 0


class Trainer:
    """The network, its optimiser and its running average, on one device; they are saved and loaded together."""

    def __init__(self, device: str) -> None:
        with quiet_import():
            from doclayout_yolo.cfg import get_cfg
            from doclayout_yolo.nn.tasks import YOLOv10DetectionModel
            from doclayout_yolo.utils.loss import v8DetectionLoss
        self.device, self.progress = device, Progress()
        model: Any = YOLOv10DetectionModel(ARCHITECTURE, nc=len(CLASSES), verbose=False)
        self._model = model.to(device=device, memory_format=torch.channels_last)
        self._model.args = get_cfg()  # the loss reads its gains from there
        self._model.model[-1].forward = types.MethodType(_one_to_many, self._model.model[-1])
        self._loss = v8DetectionLoss(self._model)
        self._loss.bce = nn.BCEWithLogitsLoss(weight=_class_weights().to(device), reduction="none")
        self._averaged = copy.deepcopy(self._model).eval().requires_grad_(False)
        self._weights = [w for w in self._model.parameters() if w.requires_grad]
        decayed = [w for w in self._weights if _decays(w)]
        others = [w for w in self._weights if not _decays(w)]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
        self._adam = torch.optim.AdamW(groups)

    def adopt(self, folder: Path) -> None:
        """Begin with a checkpoint's weights."""
        weights = load_file(folder / "model.safetensors")
        for model in (self._model, self._averaged):
            model.load_state_dict({name: weight.float() for name, weight in weights.items()})

    def step(self, batch: dict[str, Any], rate: float) -> Tensor:
        """One step at that share of the highest rate; the losses of boxes and of classes."""
        for group in self._adam.param_groups:
            group["lr"] = RATE * rate
        batch = {key: part.to(self.device) if isinstance(part, Tensor) else part for key, part in batch.items()}
        self._model.train()
        with torch.autocast(self.device, torch.bfloat16, enabled=has_bfloat16(self.device)):
            out = self._model(batch["img"].contiguous(memory_format=torch.channels_last))
        loss, parts = self._loss([part.float().contiguous() for part in out], batch)
        (loss / len(batch["img"])).backward()
        nn.utils.clip_grad_norm_(self._weights, 10.0)
        self._adam.step()
        self._adam.zero_grad()
        self.progress.step += 1
        self._average()
        return parts[:2].cpu()

    def save(self, out: Path) -> None:
        """Write the state, whole or not at all, and the averaged network as a checkpoint."""
        parts = [part.state_dict() for part in self._parts()]
        write_state(out, self.progress.step, {"parts": parts, "progress": asdict(self.progress)})
        export(self._averaged, out / "export")

    def load(self, out: Path) -> bool:
        """Go on from what `save` wrote, if it did."""
        state = read_state(out, self.device)
        if state is None:
            return False
        for part, saved in zip(self._parts(), state["parts"], strict=True):
            part.load_state_dict(saved)
        self.progress = Progress(**state["progress"])
        return True

    def _parts(self) -> tuple[Any, Any, torch.optim.AdamW]:
        return self._model, self._averaged, self._adam

    @torch.no_grad()
    def _average(self) -> None:
        keep = 0.998 * (1 - math.exp(-self.progress.step / AVERAGED_STEPS))
        pairs = zip(self._averaged.state_dict().values(), self._model.state_dict().values(), strict=True)
        for average, newest in pairs:
            average.lerp_(newest, 1 - keep) if average.is_floating_point() else average.copy_(newest)


def export(model: nn.Module, folder: Path) -> None:
    """Write half-precision weights, nothing pickled, and what is needed to build the network around them.

    The head that is not trained is written as a copy of the one that is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = model.state_dict()
    weights = {name: weights[name.replace(".one2one_", ".")].clone() for name in weights}
    halves = {k: (v.half() if v.is_floating_point() else v) for k, v in weights.items()}
    save_file({k: v.cpu().contiguous() for k, v in halves.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")


def _decays(weight: Tensor) -> bool:
    """Not norms, biases and small depthwise kernels."""
    return weight.ndim == 4 and len(weight) >= 16 and weight[0].numel() >= 16


def _one_to_many(head: Any, maps: list[Tensor]) -> list[Tensor]:
    """The one head that is trained: sides and scores of each map, (n, 4 + classes, h, w).

    The other learns more slowly from as much work, and is not what detection uses.
    """
    return head.forward_feat(maps, head.cv2, head.cv3)


def _class_weights() -> Tensor:
    """Of each class' score in the loss, (classes,); running text, the most frequent, counts once."""
    shares = torch.tensor(SHARES)
    return (shares[TEXT] / shares) ** EVENNESS
