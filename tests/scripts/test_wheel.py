"""The wheel: what a checkout has and a server needs is in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "batching",
    "benchmarks",
    "configs",
    "deployments",
    "documents",
    "pagemill",
    "retrieval",
    "training",
    "checkpoints",
)
LEFT_OUT = ("benchmarks/", "training/", "batching/native/build")  # of these rooms the code alone


def test_every_file_that_a_server_needs_is_in_the_wheel(tmp_path: Path) -> None:
    """A package that the list of packages forgot was missing from the wheel, and no checkout could show it."""
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(git, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    for name in names:
        if name.startswith(tuple(f"{room}/" for room in ROOMS)) or "/" not in name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        "out",
        ".",
    ]
    subprocess.run(pip, check=True, capture_output=True, cwd=tmp_path)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    needed = {
        name
        for name in names
        if name.startswith(tuple(f"{room}/" for room in ROOMS))
        and (name.endswith(".py") or not name.startswith(LEFT_OUT))
        and name != "checkpoints/README.md"
    }
    assert needed - packed == set()
