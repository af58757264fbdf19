"""The sandboxed child that reads the pickle of a published checkpoint without running its code.

`torch.load` runs with `weights_only=True` and the names of SAFE_NAMES. Each name stands for an empty shell that keeps
the state it is given and can do nothing: neither the layout package nor any other code that the pickle names is loaded.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from documents.layout.class_names import kind_of
from documents.walls.seccomp import forbid

LAYERS = {  # modules of the package's architectures, of any of its homes
    "block": "Attention Bottleneck C2f C2fCIB CIB DFL PSA RepVGGDW SCDown SPPF",
    "conv": "Concat Conv DWConv",
    "g2l_crm": "DilatedBlock DilatedBottleneck G2L_CRM",
    "head": "Detect v10Detect",
}
TORCH_NAMES = {
    "activation": "ReLU SiLU Sigmoid",
    "batchnorm": "BatchNorm2d",
    "container": "ModuleList Sequential",
    "conv": "Conv2d",
    "linear": "Identity",
    "loss": "BCEWithLogitsLoss",
    "pooling": "MaxPool2d",
    "upsampling": "Upsample",
}
TRAINING = {  # what training leaves beside the weights: read as shells, then dropped
    "nn.tasks": "YOLOv10DetectionModel",
    "utils": "IterableSimpleNamespace",
    "utils.loss": "BboxLoss v10DetectLoss v8DetectionLoss",
    "utils.tal": "TaskAlignedAssigner",
}
EXTRA_NAMES = ("pathlib.PosixPath", "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar", "numpy.dtype")
TYPE_LOADER = "dill._dill._load_type"  # dill writes a builtin type as a call of this function with the type's name
SAFE_NAMES = (
    *(f"doclayout_yolo.nn.modules.{home}.{name}" for home, names in LAYERS.items() for name in names.split()),
    *(f"doclayout_yolo.{home}.{name}" for home, names in TRAINING.items() for name in names.split()),
    *(f"torch.nn.modules.{home}.{name}" for home, names in TORCH_NAMES.items() for name in names.split()),
    *EXTRA_NAMES,
    TYPE_LOADER,
)
SIDES = "model.23.cv2.0.2.weight"  # (4 * reg_max, channels, 1, 1), in all of the package's architectures
ARCHITECTURE = re.compile(r"yolov10[nsmblx](-doclayout)?\.yaml")
DEFAULT_ARCHITECTURE = "yolov10m-doclayout.yaml"
DEFAULT_IMAGE_SIZE = 1024  # the size of the published checkpoints, if the file does not state one
DEFAULT_CONFIDENCE = 0.2  # the confidence in the published checkpoint's own demonstration
MEMORY_BYTES = 16_000_000_000


class NotPublished(Exception):
    """The pickle is not built like a published checkpoint."""


class Shell:
    """What stands for an allowed name: it keeps its state, and has no behaviour."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Arguments are dropped."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Shell:  # noqa: ARG004  as a pickle calls it
        return object.__new__(cls)

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.__dict__.update({str(name): value for name, value in state.items()})


class NamedType(Shell):
    """What stands for TYPE_LOADER: of a type's name it makes `set`, which only holds values, or else this shell."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], str):
            return set if args[0] == "set" else cls
        return super().__new__(cls, *args, **kwargs)


def shells() -> list[tuple[type[Shell], str]]:
    """A class of its own for each allowed name, as `torch.serialization.safe_globals` takes them."""
    plain = [name for name in SAFE_NAMES if name != TYPE_LOADER]
    return [*((type(name.rpartition(".")[2], (Shell,), {}), name) for name in plain), (NamedType, TYPE_LOADER)]


def tensors(module: Shell, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """What `state_dict` of the module that a shell stands for would hold."""
    import torch

    state = module.__dict__
    dropped = state.get("_non_persistent_buffers_set", ())
    for kind in ("_parameters", "_buffers"):
        for name, value in (state.get(kind) or {}).items():
            if isinstance(value, torch.Tensor) and name not in dropped:
                yield f"{prefix}{name}", value.detach().contiguous().clone()
    for name, child in (state.get("_modules") or {}).items():
        if isinstance(child, Shell):
            yield from tensors(child, f"{prefix}{name}.")


def config_of(model: Shell, train_args: Any, weights: Mapping[str, Any]) -> dict[str, Any]:
    """`config.json` of the converted folder.

    Raises:
        NotPublished: another architecture, or a class that is no kind of region.
    """
    state = model.__dict__
    yaml = state.get("yaml") if isinstance(state.get("yaml"), dict) else {}
    architecture = Path(str((yaml or {}).get("yaml_file", DEFAULT_ARCHITECTURE))).name
    if not ARCHITECTURE.fullmatch(architecture):
        raise NotPublished(f"its architecture is {architecture!r}, none of doclayout-yolo's")
    names = state.get("names")
    if not isinstance(names, dict) or sorted(names) != list(range(len(names))):
        raise NotPublished("it does not name its classes")
    kinds = [kind_of(str(names[number])) for number in range(len(names))]
    if unknown := [names[number] for number, kind in enumerate(kinds) if kind is None]:
        raise NotPublished(f"its classes are no kinds of region: {unknown}")
    if SIDES not in weights:
        raise NotPublished(f"it has no {SIDES}")
    size = train_args.get("imgsz") if isinstance(train_args, dict) else None
    return {
        "architecture": architecture,
        "image_size": size if isinstance(size, int) and size > 0 and size % 32 == 0 else DEFAULT_IMAGE_SIZE,
        "reg_max": weights[SIDES].shape[0] // 4,
        "head": "one_to_one",
        "suppress_iou": None,  # its one-to-one head was trained to find nothing twice
        "confidence": DEFAULT_CONFIDENCE,
        "classes": kinds,
    }


def read(source: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Configuration and weights of a published checkpoint.

    Raises:
        NotPublished: it is built otherwise.
        pickle.UnpicklingError: it names what is not in SAFE_NAMES.
    """
    import torch

    with torch.serialization.safe_globals([*shells()]):
        state = torch.load(source, map_location="cpu", weights_only=True)
    if not isinstance(state, dict):
        raise NotPublished("it is not a dictionary")
    model = state.get("ema") or state.get("model")  # the averaged weights, where training left them in
    if not isinstance(model, Shell) or type(model).__name__ != "YOLOv10DetectionModel":
        raise NotPublished("it holds no layout network")
    weights = dict(tensors(model))
    return config_of(model, state.get("train_args"), weights), weights


def main() -> int:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    import torch  # noqa: F401  here: with all that it loads, before the process is shut in
    from safetensors.torch import save

    with (folder / "config.json").open("wb") as config_file, (folder / "model.safetensors").open("wb") as weights_file:
        if not forbid(threads=True, libraries=True):
            return _refused("this kernel cannot sandbox the child; convert the file on another machine")
        try:
            config, weights = read(source)
            weights_file.write(save(weights))
            config_file.write(json.dumps(config, indent=2).encode() + b"\n")
        except Exception as error:  # whatever the pickle did: one line for the parent
            return _refused(f"{type(error).__name__}: {_first_line(error)}")
    return 0


def _refused(why: str) -> int:
    print(why, file=sys.stderr)  # noqa: T201
    return 1


def _first_line(error: Exception) -> str:
    """What was refused, out of torch's long advice."""
    message = str(error)
    refused = re.search(r"GLOBAL (\S+) (?:was not an allowed global|whose module)", message)
    return f"it names {refused[1]}, which is not allowed" if refused else " ".join(message.split())[:500]


if __name__ == "__main__":
    sys.exit(main())
