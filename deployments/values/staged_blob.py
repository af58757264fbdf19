"""An upload that lies on the disk and waits for a job to own it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StagedBlob:
    """Bytes that are whole and on the disk, but that no job owns yet; whoever has it removes it or keeps it."""

    path: Path
    sha256: str
    size: int
