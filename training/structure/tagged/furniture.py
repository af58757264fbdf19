"""Running heads, running feet and page numbers of tagged PDFs: artifacts, and lines that come back page after page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from documents.inspection import Inspection, TextLine
from documents.segments.roles import Role
from documents.text.languages import PAGE_NUMBER

EDGE = 0.13  # of the page's height, at top and bottom, where furniture stands
MIN_PAGES = 3  # on which a line comes back that no artifact says to be furniture
GRID = 8.0  # points: a line that comes back stands at the same height


class Recurrence(NamedTuple):
    """A line that comes back, whatever number stands in it."""

    text: str
    height: int


def recurrences(inspections: Sequence[Inspection]) -> frozenset[Recurrence]:
    """The visible lines that stand at one height on at least MIN_PAGES of a document's pages."""
    counts: Counter[Recurrence] = Counter()
    for inspection in inspections:
        counts.update({recurrence(line) for line in inspection.lines if line.hidden is None})
    return frozenset(line for line, count in counts.items() if count >= MIN_PAGES)


def recurrence(line: TextLine) -> Recurrence:
    return Recurrence(re.sub(r"\d+", "0", line.text.strip()), round(line.box.center[1] / GRID))


def furniture_role(line: TextLine, inspection: Inspection) -> Role | None:
    """What a line is that belongs to no text, by where it stands; None if it stands at no edge."""
    middle = line.box.center[1] / max(1.0, inspection.height)
    if EDGE < middle < 1 - EDGE or line.angle:
        return None
    if PAGE_NUMBER.fullmatch(line.text.strip()):
        return "page_number"
    return "page_header" if middle <= EDGE else "page_footer"
