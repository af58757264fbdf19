"""`pagemill convert`: converts a published layout checkpoint (.pt) to safetensors, in a child process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STDERR = 2  # file descriptor for output that a person reads


def convert(source: Path, folder: Path) -> int:
    """Convert the `.pt` file `source`, or the one in that folder, into `folder`; the exit status of the conversion."""
    command = [sys.executable, "-P", "-m", "documents.layout.doclayout.checkpoint_conversion", str(source), str(folder)]
    return subprocess.run(command, stdout=STDERR, check=False).returncode  # noqa: S603  our own module; the paths are arguments
