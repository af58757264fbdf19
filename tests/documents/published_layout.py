"""Stand-ins for published layout checkpoints, from published facts alone: names, shapes, imports, sizes.

`modules.json` is the module tree of `yolov10m-doclayout.yaml` as the published repository builds it, `facts.json` has
the files' imports and classes (docs/decisions/0207), `reference.npz` what the published repository's code answers for
the weights that `weights` draws and the page that `page` does. Nothing here comes of the code under test.
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from documents.layout.doclayout.offline_import import quiet_import

FOLDER = Path(__file__).parents[1] / "data" / "published_layout"
MODULES: dict[str, tuple[str, dict[str, list[int | str]]]] = json.loads((FOLDER / "modules.json").read_text())
SILU = "torch.nn.modules.activation.SiLU"
FACTS: dict[str, Any] = json.loads((FOLDER / "facts.json").read_text())


def shapes(num_classes: int = 10, reg_max: int = 16) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of the state dict, in its order; `num_batches_tracked` has ()."""
    sizes = {"nc": num_classes, "r": reg_max, "4r": 4 * reg_max, "box": max(16, 192 // 4, 4 * reg_max)}
    return {
        f"{path}.{name}": tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        for path, (_, tensors) in MODULES.items()
        for name, shape in tensors.items()
        if reg_max > 1 or ".dfl." not in path
    }


def weights(num_classes: int = 10, reg_max: int = 16, *, seed: int = 0) -> dict[str, torch.Tensor]:
    """A state dict as after training, halves as in the files: normalisations that fit, scores that do not saturate."""
    draw = np.random.default_rng(seed)
    spread: Mapping[str, float] = FACTS["stand_in"]["spread"]
    made: dict[str, torch.Tensor] = {}
    for name, shape in shapes(num_classes, reg_max).items():
        path, _, kind = name.rpartition(".")
        last = path.startswith("model.23.") and path.endswith(".2")
        if kind == "num_batches_tracked":
            made[name] = torch.tensor(1000)
            continue
        values = draw.random(shape, np.float32) * 2 - 1  # uniform: its stream is the same in every version of numpy
        if ".dfl." in name:
            values = np.arange(reg_max, dtype=np.float32).reshape(shape)
        elif kind == "running_mean":
            values *= 0.2 * spread.get(path, 1.0)
        elif kind == "running_var":
            values = (1.25 + 0.75 * values) * spread.get(path, 1.0) ** 2
        elif kind == "bias" and not last:
            values *= 0.1
        elif kind == "bias":
            values = values * 0.5 + (FACTS["stand_in"]["class_bias"] if "cv3" in path else 1.0)
        elif len(shape) == 1:
            values = 1 + 0.3 * values
        else:
            gain = FACTS["stand_in"]["class_gain" if "cv3" in path else "box_gain"] if last else 1.0
            values *= np.float32((3 / np.prod(shape[1:]) / 0.36) ** 0.5 * gain)
        made[name] = torch.from_numpy(np.ascontiguousarray(values)).half()
    return made


def page(side: int, *, seed: int = 1) -> np.ndarray:
    """A drawn page, uint8 (side, side, 3): bars as of text, and boxes of noise."""
    draw = np.random.default_rng(seed)
    pixels = np.full((side, side, 3), 255, np.uint8)
    for _ in range(side // 8):
        x, y, width, height = (
            int(value) for value in draw.integers((0, 0, side // 16, 3), (side, side, side // 2, 14))
        )
        pixels[y : y + height, x : x + width] = draw.integers(0, 120, 3, np.uint8)
    for _ in range(4):
        x, y, size = (int(value) for value in draw.integers((0, 0, side // 8), (side, side, side // 3)))
        box = pixels[y : y + size, x : x + size]
        box[...] = draw.integers(0, 256, box.shape, np.uint8)
    return pixels


def save(file: Path, name: str, *, reg_max: int, image_size: int | None = None) -> dict[str, torch.Tensor]:
    """Write the stand-in of the published file `name` of `facts.json`; gives its weights."""
    fact = FACTS["files"][name]
    state = weights(len(fact["classes"]), reg_max)
    model = _tree(state, with_loss="doclayout_yolo.utils.loss.v10DetectLoss" in fact["imports"])
    model.__dict__ |= {"names": dict(enumerate(fact["classes"])), "yaml": {"yaml_file": "yolov10m-doclayout.yaml"}}
    content = {"epoch": -1, "model": model, "ema": None, "optimizer": None, "date": "2024-10-01", "version": "8.1.34"}
    content["train_args"] = {"imgsz": image_size or fact["image_size"], "lr0": 0.02}
    if "numpy.dtype" in fact["imports"]:  # not stripped after training
        content |= {"best_fitness": np.float64(0.7), "ema": model, "optimizer": {"state": {0: torch.zeros(3)}}}
    by_dill = "dill._dill._load_type" in fact["imports"]
    torch.save(content, file, pickle_module=_pickling(by_dill=by_dill))
    return state


def _tree(state: Mapping[str, torch.Tensor], *, with_loss: bool) -> Any:
    """The module tree, of bare instances of the published classes: nothing of them is called."""
    activation = _bare(SILU)  # one for all, as in the files
    root = _bare(MODULES[""][0])
    made = {"": root}
    for path, (kind, tensors) in MODULES.items():
        parent, _, name = path.rpartition(".")
        if not path or parent not in made:  # the latter: the layer of a distribution that this head has not
            continue
        if path == "model.23.dfl" and f"{path}.conv.weight" not in state:
            made[parent].__dict__["_modules"][name] = _bare("torch.nn.modules.linear.Identity")
            continue
        module = made[path] = activation if kind == SILU else _bare(kind)
        made[parent].__dict__["_modules"][name] = module
        for tensor in tensors:
            value = state[f"{path}.{tensor}"]
            parameter = tensor in ("weight", "bias")
            kept = torch.nn.Parameter(value, requires_grad=False) if parameter else value
            module.__dict__["_parameters" if parameter else "_buffers"][tensor] = kept
    head = made["model.23"].__dict__
    head["shape"] = torch.Size([1, 192, 128, 128])  # as of a network that has been run
    if "model.23.dfl.conv.weight" not in state:
        head["anchors"] = torch.zeros(2, 3)
    root.__dict__["args"] = _bare("doclayout_yolo.utils.IterableSimpleNamespace", {"imgsz": 1024})
    if with_loss:
        root.__dict__["criterion"] = _loss()
    return root


def _loss() -> Any:
    """What training leaves beside the weights."""
    part = {"device": torch.device("cuda:0"), "proj": torch.arange(16.0)}
    for name in ("utils.loss.v8DetectionLoss", "utils.loss.BboxLoss", "utils.tal.TaskAlignedAssigner"):
        part[name] = _bare(f"doclayout_yolo.{name}")
    part["bce"] = _bare("torch.nn.modules.loss.BCEWithLogitsLoss")
    return _bare("doclayout_yolo.utils.loss.v10DetectLoss", part)


def _bare(name: str, state: Mapping[str, Any] | None = None) -> Any:
    """An instance of a published class with this state, made without its constructor."""
    home, _, cls = name.rpartition(".")
    with quiet_import():
        kind = getattr(importlib.import_module(home), cls)
    made = kind.__new__(kind)
    empty = {"training": False, "_parameters": {}, "_buffers": {}, "_modules": {}}
    made.__dict__.update(state or empty | {"_non_persistent_buffers_set": set(), "_forward_hooks": OrderedDict()})
    return made


def _pickling(*, by_dill: bool) -> ModuleType:
    """A pickle module that writes what the files were written with: an older numpy, and for some dill.

    dill writes `set` as a call of `dill._dill._load_type` with its name.
    """
    scalar = _named("numpy.core.multiarray", "scalar")
    load_type = _named("dill._dill", "_load_type")
    homes = {name: ModuleType(name) for name in ("dill", "dill._dill", "numpy.core", "numpy.core.multiarray")}
    for function in (scalar, load_type):
        setattr(homes[function.__module__], function.__name__, function)

    class Pickler(pickle.Pickler):
        def dump(self, obj: Any) -> None:
            before = {name: sys.modules.get(name) for name in homes}
            sys.modules.update(homes)  # not `patch.dict`: what pickle imports meanwhile must stay, or it comes twice
            try:
                super().dump(obj)
            finally:
                for name, module in before.items():
                    del sys.modules[name]
                    if module is not None:
                        sys.modules[name] = module

        def reducer_override(self, obj: Any) -> Any:
            if by_dill and obj is set:
                return load_type, ("set",)
            return (scalar, obj.__reduce__()[1]) if isinstance(obj, np.float64) else NotImplemented

    module = ModuleType("pickling")
    module.Pickler = Pickler  # pyright: ignore[reportAttributeAccessIssue]
    return module


def _named(home: str, name: str) -> FunctionType:
    """A function that a pickle names so, and that does nothing."""
    function = FunctionType((lambda *_: None).__code__, {}, name)
    function.__module__, function.__qualname__ = home, name
    return function
