"""Finds the folder of a layout checkpoint (`layout.model`), on this machine or on the model hub.

One of transformers has preprocessor_config.json beside them. A published DocLayout-YOLO holds a pickle (`.pt`) instead:
it is converted once, by `documents.layout.doclayout.checkpoint_conversion`, never opened by the process that asks for
the folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from documents.layout.doclayout.checkpoint_conversion import ConversionError, converted
from documents.layout.errors import LayoutCheckpointError

FILES = ("config.json", "model.safetensors")
OPTIONAL_FILES = ("preprocessor_config.json",)  # only models of transformers have these
PICKLE_PATTERN = "*.pt"


def layout_folder(path_or_id: str | Path, *, converted_dir: Path | None = None) -> Path:
    """The checkpoint's folder; a name that is none here is the hub's: fetched, or from its cache with HF_HUB_OFFLINE.

    A `.pt` file, or a folder that holds one and no safetensors, is converted into `converted_dir` (the user's cache if
    unset) at first, and taken from there later.

    Raises LayoutCheckpointError: it cannot be had, is no checkpoint, or holds what a checkpoint need not hold.
    """
    path = Path(path_or_id)
    if not path.exists():
        if path.suffix == ".pt":
            raise LayoutCheckpointError(f"{path} does not exist")
        path = _snapshot(str(path_or_id))
    missing = [name for name in FILES if not (path / name).is_file()]
    if not missing:
        return path
    if pickle := _pickle(path):
        try:
            return converted(pickle, converted_dir or _cache())
        except ConversionError as error:
            raise LayoutCheckpointError(str(error)) from error
    raise LayoutCheckpointError(f"{path_or_id} has no {' and no '.join(missing)}: it cannot be loaded")


def _pickle(path: Path) -> Path | None:
    """The one `.pt` of a folder without safetensors, or the path itself if it is one."""
    if path.is_file():
        return path if path.suffix == ".pt" else None
    if (path / FILES[1]).exists():
        return None
    pickles = sorted(path.glob(PICKLE_PATTERN))
    if len(pickles) > 1:
        raise LayoutCheckpointError(
            f"{path} holds several .pt files: name one of {[pickle_file.name for pickle_file in pickles]}"
        )
    return pickles[0] if pickles else None


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pagemill" / "layout"


def _snapshot(hub_id: str) -> Path:
    """The hub's files of `hub_id` in the local cache."""
    from huggingface_hub import snapshot_download  # here: a folder needs no hub

    try:
        folder = Path(snapshot_download(hub_id, allow_patterns=[*FILES, *OPTIONAL_FILES]))
        if not (folder / FILES[1]).is_file():
            folder = Path(snapshot_download(hub_id, allow_patterns=[PICKLE_PATTERN]))
    except Exception as error:  # of a dozen kinds, some of them bare Exceptions: an unknown name, no network, no leave
        raise LayoutCheckpointError(
            f"{hub_id} is not a local folder, and the model hub does not have it ({type(error).__name__}): "
            "set layout.model to a folder with config.json and model.safetensors, or to the id of a repository that "
            "can be reached"
        ) from error
    return folder
