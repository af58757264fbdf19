"""Converts a published layout checkpoint (a pickle, .pt) to safetensors, in a sandboxed child process.

    python -m documents.layout.doclayout.checkpoint_conversion published.pt FOLDER     # also: pagemill convert

The child (`documents.layout.doclayout.unpickle_child`) has no network, may write nothing else, and builds only plain
values and tensors. What it wrote is loaded once and finds the regions of one page before the folder appears.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import documents
from documents.errors import PageFailed
from documents.layout.errors import LayoutCheckpointError

TIMEOUT_S = 600.0
MAX_ERROR_CHARACTERS = 2000  # maximum length of the child's error message
TEST_PAGE_SIDE = 640  # side of the page that a new folder is tested with, in pixels


class ConversionError(Exception):
    """The file is no published layout checkpoint, or holds what none needs."""


def convert(source: Path, folder: Path) -> Path:
    """Write `folder` with config.json and model.safetensors from the pickle `source` (or a folder that holds one).

    The folder appears whole or not at all; one that is there stays as it is.

    Raises:
        ConversionError: it cannot be converted; nothing is left.
    """
    source = _pickle(source)
    if folder.exists():
        raise ConversionError(f"{folder} already exists")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".converting-", dir=folder.parent) as aside:
        _run_child(source, Path(aside))
        converted = Path(aside) / "done"
        converted.mkdir()
        for name in ("config.json", "model.safetensors"):
            shutil.move(Path(aside) / name, converted / name)
        _try(source, converted)
        try:
            converted.rename(folder)
        except OSError:  # another process was first, with the same content
            if not (folder / "config.json").is_file():
                raise
    return folder


def converted(source: Path, under: Path) -> Path:
    """The converted form of `source` in the folder `under`: made at first, found by the content's SHA-256 later.

    Raises:
        ConversionError: as `convert`.
    """
    with source.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    folder = under / f"{source.stem}-{digest[:16]}"
    return folder if (folder / "config.json").is_file() else convert(source, folder)


def _pickle(source: Path) -> Path:
    pickles = sorted(source.glob("*.pt")) if source.is_dir() else [source]
    if len(pickles) != 1 or not pickles[0].is_file():
        raise ConversionError(f"{source} is neither a .pt file nor a folder that holds one")
    return pickles[0]


def _run_child(source: Path, folder: Path) -> None:
    root = str(Path(documents.__file__).resolve().parent.parent)
    environment = {
        "PYTHONPATH": os.pathsep.join(folder for folder in (root, os.environ.get("PYTHONPATH", "")) if folder),
        "PATH": os.defpath,
        "HOME": str(folder),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [
        sys.executable,
        "-P",
        "-m",
        "documents.layout.doclayout.unpickle_child",
        str(source.resolve()),
        str(folder.resolve()),
    ]
    try:
        done = subprocess.run(  # noqa: S603  our own module; the names are arguments
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            env=environment,
            cwd="/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ConversionError(f"{source} was not converted within {TIMEOUT_S:g} s") from None
    if done.returncode:
        last_line = done.stderr.strip().splitlines()[-1:] or [f"the child ended with {done.returncode}"]
        raise ConversionError(f"{source} cannot be converted: {last_line[0][:MAX_ERROR_CHARACTERS]}")


def _try(source: Path, folder: Path) -> None:
    """Load `folder` on the CPU and run one page through it; raises ConversionError: it does not work."""
    from documents.layout.doclayout.detector import Detector  # here: it loads torch

    page = np.full((TEST_PAGE_SIDE, TEST_PAGE_SIDE, 3), 255, np.uint8)
    page[::12, 20:-20] = 0  # lines of ink
    try:
        (regions,) = Detector(folder).detect([page], [None])
    except LayoutCheckpointError as error:
        raise ConversionError(f"{source} was converted, but cannot be loaded: {error}") from error
    if isinstance(regions, PageFailed):
        raise ConversionError(f"{source} was converted, but does not work: {regions}")


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: python -m documents.layout.doclayout.checkpoint_conversion SOURCE FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    try:
        print(convert(Path(sys.argv[1]), Path(sys.argv[2])))  # noqa: T201
    except ConversionError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
