"""Cuts a text into runs by links, formulas, what is struck out, raised and lowered.

Only http, https and mailto addresses are links.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from documents.inspection import Rise
from documents.region_values import InlineFormula, Link, Region, Script, TextRange
from documents.text.placed_text import struck_ranges

_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_SPACES = re.compile(r"\s+")


class Run(NamedTuple):
    """A part of a text: where it leads, if anywhere; whether it is struck out; the formula that all of it says; its
    rise, and whether it is the mark of a note.
    """

    text: str
    uri: str | None = None
    struck: bool = False
    latex: str | None = None
    rise: Rise | None = None
    is_note: bool = False


Marked = tuple[str, Sequence[Link], Sequence[TextRange], Sequence[InlineFormula], Sequence[Script]]


def marked(region: Region) -> Marked:
    """The text of a region, and what is marked in it, as `lines_of` takes both."""
    return region.text, region.links, region.struck, region.formulas, region.scripts


def lines_of(
    text: str,
    links: Sequence[Link] = (),
    struck: Sequence[TextRange] = (),
    formulas: Sequence[InlineFormula] = (),
    scripts: Sequence[Script] = (),
) -> list[list[Run]]:
    """The lines of a text, each in its runs; a link or what is struck out over several lines is a run in each."""
    lines: list[list[Run]] = [[]]
    for run in _runs(text, links, struck, formulas, scripts):
        first, *others = run.text.split("\n")
        for number, part in enumerate((first, *others)):
            if number:
                lines.append([])
            if part:
                lines[-1].append(run._replace(text=part) if part.strip() else Run(part))
    return lines


def on_one_line(lines: Sequence[Sequence[Run]]) -> list[Run]:
    """All runs with single spaces, as `" ".join(text.split())` has them."""
    runs: list[Run] = []
    for run in (run for line in lines for run in (*line, Run(" "))):
        text = _SPACES.sub(" ", run.text)
        if not runs or runs[-1].text.endswith(" "):
            text = text.lstrip()
        if text:
            runs.append(run._replace(text=text))
    if runs:
        runs[-1] = runs[-1]._replace(text=runs[-1].text.rstrip())
    return [run for run in runs if run.text]


def without_marker(line: Sequence[Run], marker: str) -> list[Run]:
    """A line without the marker that it begins with, and the space behind that."""
    text = "".join(run.text for run in line)
    left_out = len(text) - len(text.removeprefix(marker).lstrip())
    runs: list[Run] = []
    for run in line:
        rest = run.text[left_out:]
        left_out = max(0, left_out - len(run.text))
        if rest:
            runs.append(run._replace(text=rest))
    return runs


def struck_text(text: str, struck: Sequence[TextRange]) -> str:
    """The text with `~~` around what is struck out of it, in each of its lines."""
    if not struck:
        return text
    return "\n".join(
        "".join(f"~~{run.text}~~" if run.struck else run.text for run in line) for line in lines_of(text, (), struck)
    )


def _runs(
    text: str,
    links: Sequence[Link],
    struck: Sequence[TextRange],
    formulas: Sequence[InlineFormula],
    scripts: Sequence[Script],
) -> list[Run]:
    linked = _linked(text, links)
    ranges = struck_ranges(text, ((words.start, words.end) for words in struck))
    uris = {start: uri for start, _, uri in linked}
    struck_from = {words.start for words in ranges}
    ends = {end for _, end, _ in linked}
    struck_to = {words.end for words in ranges}
    latex = {(formula.start, formula.end): formula.latex for formula in formulas if formula.end <= len(text)}
    raised = {script.start: script for script in scripts if script.end <= len(text)}
    around = {end for formula in latex for end in formula}
    around |= {end for script in raised.values() for end in (script.start, script.end)}
    runs: list[Run] = []
    uri: str | None = None
    is_struck = False
    script: Script | None = None
    for start, end in pairwise(sorted({0, len(text), *uris, *ends, *struck_from, *struck_to, *around})):
        uri = uris.get(start, None if start in ends else uri)
        is_struck = start in struck_from or (is_struck and start not in struck_to)
        script = raised.get(start, script if script is not None and start < script.end else None)
        run = Run(text[start:end], uri, is_struck, latex.get((start, end)))
        runs.append(run if script is None else run._replace(rise=script.rise, is_note=script.is_note))
    return runs


def _linked(text: str, links: Sequence[Link]) -> list[tuple[int, int, str]]:
    """Where each link begins and ends; one without a place is where its words stand next, or is left out if nowhere."""
    places: list[tuple[int, int, str]] = []
    end = 0
    for link in links:
        is_placed = link.start is not None and link.start >= end and text.startswith(link.text, link.start)
        start = link.start if is_placed and link.start is not None else text.find(link.text, end)
        if start >= 0 and link.text and _ADDRESS.match(link.uri):
            end = start + len(link.text)
            places.append((start, end, link.uri))
    return places
