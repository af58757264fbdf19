"""The pages of this folder, the Markdown that a person accepted, and what `differs.md` says of each."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MAX_BYTES = 200_000  # per page
_LIST_ITEM = re.compile(r"\n(\n *(?:-|[0-9]{1,9}[.)]) )")  # behind an empty line, which says nothing there
PAGE_ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<lines>\d+) \| (?P<cause>[^|]+) \|$", re.MULTILINE)


_RELATION_ROW = re.compile(r"^\| (?P<relation>\w+) \| `(?P<name>\w+)` \| (?P<cause>[^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Gap:
    """How many lines of a page's Markdown are not those of its truth, and why."""

    num_lines: int
    cause: str


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.pdf"))


def gaps() -> dict[str, Gap]:
    """What `differs.md` lists, by the name of the page."""
    text = (FOLDER / "differs.md").read_text(encoding="utf-8")
    return {row["name"]: Gap(int(row["lines"]), row["cause"].strip()) for row in PAGE_ROW.finditer(text)}


def relation_gaps() -> dict[tuple[str, str], str]:
    """The causes that `differs.md` lists, by relation and page."""
    text = (FOLDER / "differs.md").read_text(encoding="utf-8")
    return {(row["relation"], row["name"]): row["cause"].strip() for row in _RELATION_ROW.finditer(text)}


def accepted(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def difference(name: str, text: str) -> list[str]:
    """A unified diff from the accepted Markdown of a page to `text`; empty where they are equal.

    An empty line before a list item depends only on which region the item is in, so it is left aside.
    """
    before, after = (_LIST_ITEM.sub(r"\1", markdown).splitlines() for markdown in (accepted(name), text))
    return list(difflib.unified_diff(before, after, f"{name}.md", "read", n=1, lineterm=""))


def num_changed(diff: list[str]) -> int:
    """How many lines of the accepted Markdown are missing or new, empty ones too."""
    return sum(line[:1] in {"+", "-"} for line in diff[2:])
