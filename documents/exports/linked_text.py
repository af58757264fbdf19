"""Finds links in a text; only http, https and mailto addresses become links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from documents.values import Link

_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)


class Run(NamedTuple):
    """A part of a text, and where it leads, if anywhere."""

    text: str
    uri: str | None = None


def lines_of(text: str, links: Sequence[Link]) -> list[list[Run]]:
    """The lines of a text, each in its runs; a link leads from where its words stand next, and is left out if nowhere.

    A link over several lines is a run in each.
    """
    lines: list[list[Run]] = [[]]
    for run in _runs(text, links):
        first, *others = run.text.split("\n")
        for number, part in enumerate((first, *others)):
            if number:
                lines.append([])
            if part:
                lines[-1].append(Run(part, run.uri if part.strip() else None))
    return lines


def without_marker(line: Sequence[Run], marker: str) -> list[Run]:
    """A line without the marker that it begins with, and the space behind that."""
    text = "".join(run.text for run in line)
    left_out = len(text) - len(text.removeprefix(marker).lstrip())
    runs: list[Run] = []
    for run in line:
        rest = run.text[left_out:]
        left_out = max(0, left_out - len(run.text))
        if rest:
            runs.append(Run(rest, run.uri))
    return runs


def _runs(text: str, links: Sequence[Link]) -> list[Run]:
    runs: list[Run] = []
    end = 0
    for link in links:
        start = text.find(link.text, end)
        if start >= 0 and link.text and _ADDRESS.match(link.uri):
            runs += [Run(text[end:start]), Run(link.text, link.uri)]
            end = start + len(link.text)
    return [*runs, Run(text[end:])]
