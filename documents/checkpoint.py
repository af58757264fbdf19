"""A layout checkpoint is a folder with config.json and model.safetensors, on this machine or on the model hub."""

from __future__ import annotations

from pathlib import Path

FILES = ("config.json", "model.safetensors")


class LayoutCheckpointError(Exception):
    """The name is no layout checkpoint that can be loaded here."""


def layout_folder(path_or_id: str | Path) -> Path:
    """The checkpoint's folder; a name that is none here is the hub's: fetched, or from its cache with HF_HUB_OFFLINE.

    Raises LayoutCheckpointError: it cannot be had, is a pickle, or holds no safetensors.
    """
    folder = Path(path_or_id)
    if folder.suffix == ".pt":
        raise LayoutCheckpointError(f"{folder} is a pickle: convert it to safetensors first; pickles are not loaded")
    if not folder.exists():
        folder = _snapshot(str(path_or_id))
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        raise LayoutCheckpointError(f"{path_or_id} has no {' and no '.join(missing)}: it cannot be loaded")
    return folder


def _snapshot(hub_id: str) -> Path:
    """The hub's files of `hub_id` in the local cache."""
    from huggingface_hub import snapshot_download  # here: a folder needs no hub

    try:
        return Path(snapshot_download(hub_id, allow_patterns=list(FILES)))
    except Exception as error:  # of a dozen kinds, some of them bare Exceptions: an unknown name, no network, no leave
        raise LayoutCheckpointError(
            f"{hub_id} is no folder here, and the model hub does not give it ({type(error).__name__}): "
            "set layout.model to a folder with config.json and model.safetensors, or to the id of a repository that "
            "can be reached"
        ) from error
