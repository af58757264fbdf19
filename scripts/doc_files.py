"""Writes docs/files.md: the first sentence of every production file, so that a newcomer finds which one to open."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    *("documents", "retrieval", "batching", "configs", "deployments", "pagemill"),
    *("benchmarks", "training", "examples", "scripts"),
)
SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.S)
SUFFIXES = (".py", ".js")
HEAD = """\
# Which file to open

Generated from the first sentence of each file by `python scripts/check_docs.py --write`; `make check` fails where it
differs. Search this page for the words of your task. How the packages depend on each other is in
[ARCHITECTURE.md](../ARCHITECTURE.md).
"""


def files_page() -> str:
    """The whole page: a heading per folder, a line per file."""
    parts = [HEAD]
    for folder, files in _by_folder().items():
        own = [file for file in files if file.name != "__init__.py"]
        if not own:
            continue
        parts.append(f"\n## {folder}/\n\n")
        room = next((first_sentence(ROOT / file) for file in files if file.name == "__init__.py"), "")
        parts.append(f"{room}\n\n" if room else "")
        parts.append("| file | what it does |\n| --- | --- |\n")
        parts += [f"| [`{file.name}`](../{file}) | {_cell(first_sentence(ROOT / file))} |\n" for file in own]
    return "".join(parts)


def undescribed() -> Iterator[str]:
    """Files of the page that do not say what they are for."""
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


def _cell(sentence: str) -> str:
    return sentence.replace("|", "\\|")
