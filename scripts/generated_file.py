"""What the generators of code share: format, and writing a file or comparing it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def written_or_checked(target: Path, generated: str, arguments: Sequence[str]) -> int:
    """Write the file; with the argument `--check` only compare it: the exit status is 1 where it differs."""
    if list(arguments) != ["--check"]:
        target.write_text(generated, encoding="utf-8")
        return 0
    same = target.read_text(encoding="utf-8") == generated
    place = target.relative_to(ROOT)
    print(f"{place}: as generated" if same else f"{place} differs from its source: run `make generate`")
    return not same


def formatted(source: str, target: Path) -> str:
    """As `make format` leaves it: imports in their order, and a line may be shorter than its source."""
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(target), "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return source
