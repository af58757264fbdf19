"""The DocLayout-YOLO network and the loading of its weights.

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

from documents.layout.doclayout.offline_import import quiet_import
from documents.layout.errors import LayoutCheckpointError
from documents.region_values import RegionKind

MAX_DETECTIONS = 300
LAYER_STRIDES = (8, 16, 32)
SIDES = "model.23.cv2.0.2.weight"  # (4 * reg_max, channels, 1, 1): the last layer of all architectures is the head


class LayoutNetwork(nn.Module):
    """uint8 squares (n, s, s, 3) to float32 rows (n, MAX_DETECTIONS, 6): x0, y0, x1, y1, score, class; surest first."""

    cells: torch.Tensor
    strides: torch.Tensor
    bins: torch.Tensor

    def __init__(self, model: Any, *, image_size: int, one_to_many: bool) -> None:
        super().__init__()
        *body, head = model.model
        self.body = nn.ModuleList(body)
        self._from: list[int | list[int]] = [layer.f for layer in (*body, head)]
        self._saved = frozenset(model.save)
        boxes, classes = (head.cv2, head.cv3) if one_to_many else (head.one2one_cv2, head.one2one_cv3)
        self.boxes = boxes
        self.classes = classes
        self.num_classes: int = head.nc
        self.reg_max: int = head.reg_max
        cells, strides = zip(*(_cells(image_size // stride, stride) for stride in LAYER_STRIDES), strict=True)
        self.register_buffer("cells", torch.cat(cells), persistent=False)  # centres, in strides
        self.register_buffer("strides", torch.cat(strides), persistent=False)
        self.register_buffer("bins", torch.arange(self.reg_max, dtype=torch.float32), persistent=False)

    def forward(self, squares: torch.Tensor) -> torch.Tensor:
        weight: torch.Tensor = self.boxes[0][-1].weight  # pyright: ignore[reportIndexIssue, reportAssignmentType]
        images = squares.permute(0, 3, 1, 2).to(weight.dtype) / 255
        maps = self._maps(images)
        sides = torch.cat([part(features).flatten(2) for part, features in zip(self.boxes, maps, strict=True)], 2)
        scores = torch.cat([part(features).flatten(2) for part, features in zip(self.classes, maps, strict=True)], 2)
        return self._surest(sides.float().transpose(1, 2), scores.float().sigmoid().transpose(1, 2))

    def _maps(self, images: torch.Tensor) -> list[torch.Tensor]:
        """The feature maps that the head looks at, finest first."""
        feature_maps: list[torch.Tensor | None] = []
        now: Any = images
        for index, layer in enumerate(self.body):
            now = layer(self._inputs(self._from[index], now, feature_maps))
            feature_maps.append(now if index in self._saved else None)
        return self._inputs(self._from[-1], now, feature_maps)

    def _inputs(self, source: int | list[int], last: Any, feature_maps: list[torch.Tensor | None]) -> Any:
        if isinstance(source, int):
            return last if source == -1 else feature_maps[source]
        return [last if index == -1 else feature_maps[index] for index in source]

    def _surest(self, sides: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """What the head says of the four sides (n, a, 4 * reg_max), and scores (n, a, c), to rows."""
        sides = self._distances(sides)
        boxes = torch.cat((self.cells - sides[..., :2], self.cells + sides[..., 2:]), 2) * self.strides
        count = min(MAX_DETECTIONS, boxes.shape[1])
        _, places = scores.amax(2).topk(count)  # a box among the surest has its surest class among them
        top_scores = scores.gather(1, places[..., None].expand(-1, -1, self.num_classes)).flatten(1)
        values, flat = top_scores.topk(count)
        places = places.gather(1, flat // self.num_classes)
        top_boxes = boxes.gather(1, places[..., None].expand(-1, -1, 4))
        return torch.cat((top_boxes, values[..., None], (flat % self.num_classes)[..., None].float()), 2)

    def _distances(self, sides: torch.Tensor) -> torch.Tensor:
        """Distances (n, a, 4) in strides: what stands there, or the mean of a distribution over 0, 1 ... reg_max - 1.

        The distribution is that of Generalized Focal Loss (arXiv:2006.04388, section 3.2).
        """
        if self.reg_max == 1:
            return sides
        return sides.unflatten(2, (4, self.reg_max)).softmax(3) @ self.bins


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json` of a checkpoint; raises LayoutCheckpointError where it cannot be meant for this network."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        classes, size = config["classes"], int(config["image_size"])
        _ = config["architecture"], config["confidence"], config["suppress_iou"], int(config.get("reg_max", 1))
    except (ValueError, KeyError, TypeError) as error:
        raise LayoutCheckpointError(f"{folder}: config.json is not that of a layout checkpoint: {error!r}") from error
    if unknown := set(classes) - set(get_args(RegionKind)):
        raise LayoutCheckpointError(f"{folder} has classes that are not kinds of regions: {sorted(unknown)}")
    if size < LAYER_STRIDES[-1] or size % LAYER_STRIDES[-1]:
        raise LayoutCheckpointError(f"{folder}: image_size {size} is no multiple of {LAYER_STRIDES[-1]}")
    return config


def load_network(folder: Path, config: Mapping[str, Any]) -> LayoutNetwork:
    """The network of a checkpoint folder on the CPU, in float32, for evaluation only.

    Raises:
        LayoutCheckpointError: the weights do not fit the architecture that config.json names.
    """
    try:
        weights = load_file(folder / "model.safetensors")
        reg_max = int(config.get("reg_max", reg_max_of(weights)))
        model = build(str(config["architecture"]), len(config["classes"]), reg_max=reg_max)
        model.load_state_dict(weights)  # halves are widened as they are copied
    except (RuntimeError, SafetensorError) as error:
        raise LayoutCheckpointError(f"{folder}: the weights are not of {config['architecture']}: {error}") from error
    model = fused(model)
    one_to_many = config.get("head") == "one_to_many"  # learns faster than the one-to-one head; needs suppression
    return LayoutNetwork(model, image_size=int(config["image_size"]), one_to_many=one_to_many).eval()


def reg_max_of(weights: Mapping[str, torch.Tensor]) -> int:
    """How many numbers the head of these weights gives for each side of a box; 1 where they hold no such head."""
    return weights[SIDES].shape[0] // 4 if SIDES in weights else 1


def build(architecture: str, num_classes: int, *, reg_max: int = 1) -> Any:
    """The package's module of a `yolov10*.yaml`, with random weights; raises LayoutCheckpointError: there is none.

    `reg_max`: numbers for each side of a box. The package's own head has 1; the repository that trained most of the
    published checkpoints has 16 (github.com/opendatalab/DocLayout-YOLO, `nn/modules/head.py`).
    """
    with quiet_import():
        from doclayout_yolo.nn.tasks import YOLOv10DetectionModel

    logging.getLogger("doclayout_yolo").setLevel(logging.WARNING)  # it prints each setting of ours that is not its own
    try:
        model = YOLOv10DetectionModel(architecture, nc=num_classes, verbose=False)
    except (FileNotFoundError, KeyError, TypeError, SyntaxError) as error:
        raise LayoutCheckpointError(f"doclayout-yolo has no architecture {architecture!r}: {error}") from error
    if reg_max != model.model[-1].reg_max:
        _give_bins(model.model[-1], reg_max)
    return model


def _give_bins(head: Any, reg_max: int) -> None:
    """Replace the branches for boxes by ones of `reg_max` numbers a side, as wide as the published code makes them."""
    from doclayout_yolo.nn.modules.block import DFL
    from doclayout_yolo.nn.modules.conv import Conv
    from doclayout_yolo.utils.torch_utils import initialize_weights

    inputs = [branch[0].conv.in_channels for branch in head.cv2]
    width = max(16, inputs[0] // 4, 4 * reg_max)
    for name in ("cv2", "one2one_cv2"):
        branches = (
            nn.Sequential(Conv(channels, width, 3), Conv(width, width, 3), nn.Conv2d(width, 4 * reg_max, 1))
            for channels in inputs
        )
        setattr(head, name, nn.ModuleList(branches))
    initialize_weights(head)  # the package's epsilon of normalisations, 1e-3, not torch's
    head.reg_max = reg_max
    head.no = head.nc + 4 * reg_max
    head.dfl = DFL(reg_max) if reg_max > 1 else nn.Identity()  # its weights are 0, 1 ... reg_max - 1, in the file too


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
    features = F.conv2d(x, conv.weight, conv.bias, padding=dilation * (block.k // 2), dilation=dilation)
    return block.dcv.act(features)


def _cells(count: int, stride: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Centres (count * count, 2) of a square grid, row by row, and the stride of each."""
    middle = torch.arange(count, dtype=torch.float32) + 0.5
    y, x = torch.meshgrid(middle, middle, indexing="ij")
    return torch.stack((x, y), -1).view(-1, 2), torch.full((count * count, 1), float(stride))
