"""A run's state on disk: parts of less than 16 MiB, of which a reader sees the newest whole set or none."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import torch

PART_BYTES = 15 * 2**20  # what carries files away may refuse larger ones
NAME = re.compile(r"state-(\d+)\.(\d+)of(\d+)")


def write_state(folder: Path, step: int, state: Any) -> None:
    """Write the state of a step, then take away those of other steps."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    torch.save(state, buffer)
    content = buffer.getvalue()
    parts = [content[at : at + PART_BYTES] for at in range(0, len(content), PART_BYTES)]
    for k, part in enumerate(parts, 1):
        fresh = folder / "state.new"
        fresh.write_bytes(part)
        fresh.replace(folder / f"state-{step}.{k}of{len(parts)}")
    for path, named in _parts(folder):
        if int(named[1]) != step:
            path.unlink()


def read_state(folder: Path, device: str) -> Any:
    """The newest state of which no part is missing, or None."""
    by_step: dict[int, list[tuple[int, int, Path]]] = {}
    for path, named in _parts(folder):
        by_step.setdefault(int(named[1]), []).append((int(named[2]), int(named[3]), path))
    for _, parts in sorted(by_step.items(), reverse=True):
        if len(parts) == parts[0][1]:
            content = b"".join(path.read_bytes() for _, _, path in sorted(parts))
            return torch.load(io.BytesIO(content), map_location=device)
    return None


def _parts(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    return [(path, named) for path in folder.glob("state-*") if (named := NAME.fullmatch(path.name))]
