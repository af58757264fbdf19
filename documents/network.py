"""The layout network: squares in, the surest boxes out; each image of a batch is worked on as if it were alone.

The layers are the package's. Its own output is not used: it keeps anchors of the last batch's size, which threads and
CUDA graphs would share, and decodes in the layers' precision, where half a float holds no pixel.
"""

from __future__ import annotations

import json
import logging
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F  # noqa: N812  the name by which all know it

from documents.checkpoint import LayoutCheckpointError
from documents.offline import quiet_import
from documents.values import RegionKind

MAX_DETECTIONS = 300
STRIDES = (8, 16, 32)


class LayoutNetwork(nn.Module):
    """uint8 squares (n, s, s, 3) to float32 rows (n, MAX_DETECTIONS, 6): x0, y0, x1, y1, score, class; surest first."""

    cells: torch.Tensor
    strides: torch.Tensor

    def __init__(self, model: Any, *, image_size: int, one_to_many: bool) -> None:
        super().__init__()
        *body, head = model.model
        self.body = nn.ModuleList(body)
        self._from: list[int | list[int]] = [layer.f for layer in (*body, head)]
        self._saved = frozenset(model.save)
        boxes, classes = (head.cv2, head.cv3) if one_to_many else (head.one2one_cv2, head.one2one_cv3)
        self.boxes, self.classes = boxes, classes
        self.num_classes: int = head.nc
        cells, strides = zip(*(_cells(image_size // stride, stride) for stride in STRIDES), strict=True)
        self.register_buffer("cells", torch.cat(cells), persistent=False)  # centres, in strides
        self.register_buffer("strides", torch.cat(strides), persistent=False)

    def forward(self, squares: torch.Tensor) -> torch.Tensor:
        weight: torch.Tensor = self.boxes[0][-1].weight  # pyright: ignore[reportIndexIssue, reportAssignmentType]
        images = squares.permute(0, 3, 1, 2).to(weight.dtype) / 255
        maps = self._maps(images)
        sides = torch.cat([part(each).flatten(2) for part, each in zip(self.boxes, maps, strict=True)], 2)
        scores = torch.cat([part(each).flatten(2) for part, each in zip(self.classes, maps, strict=True)], 2)
        return self._surest(sides.float().transpose(1, 2), scores.float().sigmoid().transpose(1, 2))

    def _maps(self, images: torch.Tensor) -> list[torch.Tensor]:
        """The feature maps that the head looks at, finest first."""
        made: list[torch.Tensor | None] = []
        now: Any = images
        for index, layer in enumerate(self.body):
            now = layer(self._inputs(self._from[index], now, made))
            made.append(now if index in self._saved else None)
        return self._inputs(self._from[-1], now, made)

    def _inputs(self, source: int | list[int], last: Any, made: list[torch.Tensor | None]) -> Any:
        if isinstance(source, int):
            return last if source == -1 else made[source]
        return [last if each == -1 else made[each] for each in source]

    def _surest(self, sides: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Distances to the four sides (n, a, 4), in strides, and scores (n, a, c) to rows."""
        boxes = torch.cat((self.cells - sides[..., :2], self.cells + sides[..., 2:]), 2) * self.strides
        count = min(MAX_DETECTIONS, boxes.shape[1])
        _, places = scores.amax(2).topk(count)  # a box among the surest has its surest class among them
        chosen = scores.gather(1, places[..., None].expand(-1, -1, self.num_classes)).flatten(1)
        values, flat = chosen.topk(count)
        places = places.gather(1, flat // self.num_classes)
        found = boxes.gather(1, places[..., None].expand(-1, -1, 4))
        return torch.cat((found, values[..., None], (flat % self.num_classes)[..., None].float()), 2)


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json` of a checkpoint; raises LayoutCheckpointError where it cannot be meant for this network."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        classes, size = config["classes"], int(config["image_size"])
        _ = config["architecture"], config["confidence"], config["suppress_iou"]
    except (ValueError, KeyError, TypeError) as error:
        raise LayoutCheckpointError(f"{folder}: config.json is not that of a layout checkpoint: {error!r}") from error
    if unknown := set(classes) - set(get_args(RegionKind)):
        raise LayoutCheckpointError(f"{folder} knows classes that are no kind of region: {sorted(unknown)}")
    if size < STRIDES[-1] or size % STRIDES[-1]:
        raise LayoutCheckpointError(f"{folder}: image_size {size} is no multiple of {STRIDES[-1]}")
    return config


def load_network(folder: Path, config: Mapping[str, Any]) -> LayoutNetwork:
    """The network of a checkpoint folder on the CPU, in float32, for evaluation only.

    Raises:
        LayoutCheckpointError: the weights do not fit the architecture that config.json names.
    """
    model = build(str(config["architecture"]), len(config["classes"]))
    try:
        model.load_state_dict(load_file(folder / "model.safetensors"))  # halves are widened as they are copied
    except (RuntimeError, SafetensorError) as error:
        raise LayoutCheckpointError(f"{folder}: the weights are not of {config['architecture']}: {error}") from error
    model = fused(model)
    one_to_many = config.get("head") == "one_to_many"  # learns faster than the one-to-one head; needs suppression
    return LayoutNetwork(model, image_size=int(config["image_size"]), one_to_many=one_to_many).eval()


def build(architecture: str, num_classes: int) -> Any:
    """The package's module of a `yolov10*.yaml`, with random weights; raises LayoutCheckpointError: there is none."""
    with quiet_import():
        from doclayout_yolo.nn.tasks import YOLOv10DetectionModel

    logging.getLogger("doclayout_yolo").setLevel(logging.WARNING)  # it prints each setting of ours that is not its own
    try:
        return YOLOv10DetectionModel(architecture, nc=num_classes, verbose=False)
    except (FileNotFoundError, KeyError, TypeError, SyntaxError) as error:
        raise LayoutCheckpointError(f"doclayout-yolo has no architecture {architecture!r}: {error}") from error


def fused(model: Any) -> Any:
    """The model in evaluation mode with its normalisations folded into the convolutions before them."""
    model = model.requires_grad_(False).eval().fuse(verbose=False)
    for block in model.modules():
        if (
            type(block).__name__ == "DilatedBlock"
        ):  # calls the folded normalisation by name: the package's fuse() lacks it
            block.dilated_conv = types.MethodType(_dilated_conv, block)
    return model


def _dilated_conv(block: Any, x: torch.Tensor, dilation: int) -> torch.Tensor:
    """`DilatedBlock.dilated_conv`, its normalisation folded into weight and bias."""
    conv = block.dcv.conv
    made = F.conv2d(x, conv.weight, conv.bias, padding=dilation * (block.k // 2), dilation=dilation)
    return block.dcv.act(made)


def _cells(count: int, stride: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Centres (count * count, 2) of a square grid, row by row, and the stride of each."""
    middle = torch.arange(count, dtype=torch.float32) + 0.5
    y, x = torch.meshgrid(middle, middle, indexing="ij")
    return torch.stack((x, y), -1).view(-1, 2), torch.full((count * count, 1), float(stride))
