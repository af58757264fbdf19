"""Loads an object detector of transformers, its image processor and class names; refuses unsuitable ones.

Only safetensors are opened and no code of the folder is run; transformers is imported when such a folder is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from documents.layout.errors import LayoutCheckpointError

PROCESSOR_FILE = "preprocessor_config.json"
TEXT_DETECTOR_PREFIX = "PPOCR"  # names of classes that find lines of text begin with this
# the short side of a picture is not enlarged if the long side is longer than this multiple of it
MAX_SIDE_RATIO = 2**0.5
MAX_NAMED = 4  # weights that an error names


@dataclass(frozen=True, slots=True)
class ObjectNetwork:
    """`labels` by the number that the network tells; `image_size` is the long side of the pictures to draw."""

    family: str
    model: torch.nn.Module
    processor: Any
    labels: tuple[str, ...]
    image_size: int


def model_type(folder: Path) -> str | None:
    """The family of a folder of transformers, as its config.json names it; None: another kind of checkpoint."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    family = config.get("model_type") if isinstance(config, dict) else None
    return family if isinstance(family, str) else None


def load_object_network(folder: Path) -> ObjectNetwork:
    """Load a folder that `AutoModelForObjectDetection` knows, in float32.

    Raises:
        LayoutCheckpointError: it is of another class, finds no regions, or something of it is missing.
    """
    from transformers import AutoConfig, AutoImageProcessor, AutoModelForObjectDetection

    if not (folder / PROCESSOR_FILE).is_file():
        raise LayoutCheckpointError(f"{folder} has no {PROCESSOR_FILE}: how pages are made ready is not known")
    own: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _refusing(folder), _no_progress_bars():
        config = AutoConfig.from_pretrained(folder, **own)
        _check_class(folder, config)
        model, loaded = AutoModelForObjectDetection.from_pretrained(
            folder, config=config, dtype=torch.float32, use_safetensors=True, output_loading_info=True, **own
        )
        processor = AutoImageProcessor.from_pretrained(folder, **own)
    wrong = sorted(str(name) for key in ("missing_keys", "mismatched_keys") for name in loaded.get(key, ()))
    if wrong:
        raise LayoutCheckpointError(
            f"{folder} lacks {len(wrong)} weights of its network, or has them in other shapes: {wrong[:MAX_NAMED]}"
        )
    if not hasattr(processor, "post_process_object_detection"):
        raise LayoutCheckpointError(f"{type(processor).__name__} of {folder} has no post_process_object_detection")
    names: Any = config.id2label or {}
    labels = tuple(str(names[number]) for number in sorted(names))
    return ObjectNetwork(config.model_type, model.eval(), processor, labels, _picture_side(folder, processor))


def _check_class(folder: Path, config: Any) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES as CLASSES

    name = CLASSES.get(config.model_type)
    if name is None:
        architectures = ", ".join(config.architectures or [config.model_type])
        raise LayoutCheckpointError(
            f"{folder} holds {architectures}, which finds no regions of pages: layout.model takes DocLayout-YOLO, or "
            f"a model of AutoModelForObjectDetection, as {CLASSES['rt_detr_v2']} or {CLASSES['pp_doclayout_v3']}"
        )
    if name.startswith(TEXT_DETECTOR_PREFIX):
        raise LayoutCheckpointError(
            f"{folder} holds {name}, a text detector: it finds lines of text and has no classes of regions. "
            "layout.model needs a model with classes, as RTDetrV2ForObjectDetection"
        )


def _picture_side(folder: Path, processor: Any) -> int:
    """The long side, in pixels, of the pictures that the processor makes smaller rather than larger."""
    size = processor.size
    if not processor.do_resize:
        raise LayoutCheckpointError(f"{folder}: its {PROCESSOR_FILE} has do_resize off, so pictures have any size")
    if size.height and size.width:
        return round(MAX_SIDE_RATIO * max(size.height, size.width))
    bound = size.longest_edge or max(size.max_height or 0, size.max_width or 0)
    if not bound:
        raise LayoutCheckpointError(
            f"{folder}: the size in its {PROCESSOR_FILE} sets no bound to a picture's long side"
        )
    return int(bound)


@contextmanager
def _refusing(folder: Path) -> Iterator[None]:
    try:
        yield
    except LayoutCheckpointError:
        raise
    except Exception as error:  # of a dozen kinds: a damaged file, a package that is missing, code of its own
        raise LayoutCheckpointError(f"{folder} cannot be loaded: {type(error).__name__}: {error}") from error


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Loading says nothing among the server's output."""
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()
