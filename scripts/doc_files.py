"""Prints the first sentence of every production file, so that a newcomer finds which one to open.

`python scripts/doc_files.py [FOLDER]`
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    *("documents", "retrieval", "batching", "configs", "deployments", "pagemill"),
    *("benchmarks", "training", "examples", "scripts"),
)
SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.S)
SUFFIXES = (".py", ".js")
MAX_FILES = 15  # of a folder, beside `__init__.py`
CROWDED = ("benchmarks", "training")  # one file per command, and one per kind of drawing


def main() -> int:
    chosen = PurePosixPath(*sys.argv[1:2])
    for folder, files in _by_folder().items():
        if folder.is_relative_to(chosen):
            print(f"\n{folder}/")
            print("".join(f"  {file.name}: {first_sentence(ROOT / file)}\n" for file in files), end="")
    return 0


def crowded() -> Iterator[str]:
    """Folders with more files than one reads at a glance."""
    for folder, files in _by_folder().items():
        if folder.parts[0] not in CROWDED and sum(file.name != "__init__.py" for file in files) > MAX_FILES:
            yield str(folder)


def undescribed() -> Iterator[str]:
    """Files that do not say what they are for."""
    for files in _by_folder().values():
        yield from (str(file) for file in files if file.name != "__init__.py" and not first_sentence(ROOT / file))


def first_sentence(file: Path) -> str:
    """Of the module's docstring, or of the comment that a script begins with; empty where there is neither."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        comment = ast.get_docstring(ast.parse(text)) or ""
    else:
        lines = re.match(r"(?://.*\n)*", text)
        comment = re.sub(r"^// ?", "", lines[0] if lines else "", flags=re.M)
    paragraph = " ".join(comment.strip().split("\n\n")[0].split())
    sentence = SENTENCE.match(paragraph)
    return sentence[1] if sentence else paragraph


def _by_folder() -> dict[PurePosixPath, list[PurePosixPath]]:
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *ROOMS]
    listing = subprocess.run(git, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    folders: dict[PurePosixPath, list[PurePosixPath]] = {}
    for name in sorted(set(listing.splitlines())):
        file = PurePosixPath(name)
        if file.suffix in SUFFIXES and (ROOT / file).is_file():
            folders.setdefault(file.parent, []).append(file)
    ordered = sorted(folders, key=lambda folder: (ROOMS.index(folder.parts[0]), folder.parts))
    return {folder: folders[folder] for folder in ordered}


if __name__ == "__main__":
    sys.exit(main())
