"""Warns about hidden text: one warning with a box for each run of hidden lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from documents.boxes import BoundingBox
from documents.inspection import Hidden, Inspection, TextLine
from documents.values import PageWarning

MAX_PLACES = 50  # maximum number of places per page that have a warning of their own
MAX_LINE_DISTANCE = 1.0  # maximum distance between two lines of one place, in font sizes
REASONS: dict[Hidden, tuple[str, str]] = {  # of one line, of several
    "tiny": ("is too small to read", "are too small to read"),
    "off_page": ("lies off the page", "lie off the page"),
    "no_ink": ("has no visible ink", "have no visible ink"),
}


def hidden_text_warnings(inspection: Inspection) -> Iterator[PageWarning]:
    """A `hidden_text` warning for each place, and one for all that are more than MAX_PLACES.

    What lies off the page has its box there, outside the sheet.
    """
    places = _places([line for line in inspection.lines if line.hidden is not None])
    for lines in places[:MAX_PLACES]:
        yield _warning(inspection, lines, BoundingBox.around([line.box for line in lines]))
    if further := [line for lines in places[MAX_PLACES:] for line in lines]:
        yield _warning(inspection, further, None)


def _places(hidden: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines that follow each other in the file, lie close together, and are hidden for one reason."""
    places: list[list[TextLine]] = []
    for line in hidden:
        if places and places[-1][-1].hidden == line.hidden and _close(places[-1][-1], line):
            places[-1].append(line)
        else:
            places.append([line])
    return places


def _close(line: TextLine, other: TextLine) -> bool:
    by = MAX_LINE_DISTANCE * max(line.font_size, other.font_size)
    a, b = line.box, other.box
    return a.x0 - by <= b.x1 and b.x0 - by <= a.x1 and a.y0 - by <= b.y1 and b.y0 - by <= a.y1


def _warning(inspection: Inspection, lines: Sequence[TextLine], box: BoundingBox | None) -> PageWarning:
    """`hidden text removed: 1 line has no visible ink`, the lines counted by their reason."""
    counts: Counter[Hidden] = Counter(line.hidden for line in lines if line.hidden is not None)
    reasons = ", ".join(_counted(counts[reason], *REASONS[reason]) for reason in REASONS if counts[reason])
    message = f"hidden text removed: {reasons}"
    return PageWarning(code="hidden_text", message=message, page=inspection.number, box=box)


def _counted(count: int, of_one: str, of_several: str) -> str:
    return f"1 line {of_one}" if count == 1 else f"{count} lines {of_several}"
