"""Which regions of a page are notes at its foot: each is numbered as the text calls it, or goes on from such a one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from documents.values import BoundingBox, RegionKind

NUMBER = re.compile(r"(\d{1,3})[.)]?\s+\S")
PLAIN_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
LEVEL = 2.5  # times the type: how far the tops of notes in two columns may differ
APART = 0.8  # times the type: the least blank above notes
ENDS = (*".!?:;…", '."', '?"', '!"', ".”", "?”", "!”", ".’", ".)")


class PlacedRegion(NamedTuple):
    """A region as it stands on the upright page."""

    kind: RegionKind
    box: BoundingBox
    text: str


def foot_notes(regions: Sequence[PlacedRegion], rules: Sequence[BoundingBox], body: float) -> set[int]:
    """Indices of the notes that are read after the text of all columns; `body` is the page's type size in points.

    A note below a rule of its own closes its column and is none of these. Where no rule parts notes from text, those
    of all columns are one part of the page, as the text that they interrupt is another.
    """
    notes: set[int] = set()
    found = True
    while found:
        found = False
        for i in sorted(range(len(regions)), key=lambda i: (-regions[i].box.y0, i)):
            if i not in notes and _is_note(regions, i, notes, body) and not _is_ruled(regions[i].box, rules, body):
                notes.add(i)
                found = True
    return notes | {i for i in range(len(regions)) if notes and _goes_on(regions, i, notes, body)}


def ruled_notes(
    regions: Sequence[PlacedRegion], rules: Sequence[BoundingBox], body: float, notes: set[int]
) -> set[int]:
    """Indices of the notes that close their column below a rule of its own, `notes` being those of all columns."""
    found: set[int] = set()
    for i in sorted(range(len(regions)), key=lambda i: (-regions[i].box.y0, i)):
        if i not in notes and _is_note(regions, i, notes | found, body) and _is_ruled(regions[i].box, rules, body):
            found.add(i)
    return found


def _is_note(regions: Sequence[PlacedRegion], i: int, notes: set[int], body: float) -> bool:
    """Whether it is the last but notes in its column, set apart, and called by the text or next to one that is."""
    label = _label(regions[i])
    if label is None or not _is_last(regions, i, notes):
        return False
    above = _above(regions, i)
    if above is not None and _gap(regions, above, i) < APART * body:
        return False
    return label - 1 in {_label(regions[k]) for k in notes} or _is_called(regions, i, label)


def _is_text(region: PlacedRegion) -> bool:
    return region.kind in ("plain text", "table_footnote") and bool(region.text.strip())


def _label(region: PlacedRegion) -> int | None:
    """The number that a region begins with."""
    found = NUMBER.match(region.text.translate(PLAIN_FIGURES)) if _is_text(region) else None
    return int(found[1]) if found else None


def _is_called(regions: Sequence[PlacedRegion], i: int, label: int) -> bool:
    """Whether the number stands, without a blank, behind a word or a stop of the text."""
    call = re.compile(rf"(?<!\d[.,:])(?<=[^\W\d_]|[.,;:!?\"'”’)\]]){label}(?![\d%])")
    return any(call.search(other.text.translate(PLAIN_FIGURES)) for k, other in enumerate(regions) if k != i)


def _is_last(regions: Sequence[PlacedRegion], i: int, notes: set[int]) -> bool:
    """Whether nothing but notes stands below it in its column."""
    mine = regions[i].box
    return all(
        k in notes or k == i or other.box.center[1] <= mine.center[1] or not _in_column(other.box, mine)
        for k, other in enumerate(regions)
    )


def _above(regions: Sequence[PlacedRegion], i: int) -> int | None:
    mine = regions[i].box
    higher = [k for k, r in enumerate(regions) if r.box.center[1] < mine.center[1] and _in_column(r.box, mine)]
    return max(higher, key=lambda k: regions[k].box.y1, default=None)


def _gap(regions: Sequence[PlacedRegion], above: int, below: int) -> float:
    return regions[below].box.y0 - regions[above].box.y1


def _in_column(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.3 * min(a.width, b.width)


def _is_ruled(note: BoundingBox, rules: Sequence[BoundingBox], body: float) -> bool:
    """Whether a level rule no wider than its column stands over it."""
    return any(
        -2 * body <= rule.y0 - note.y0 <= 0.5 * body and abs(rule.x0 - note.x0) <= body and rule.x1 <= note.x1 + body
        for rule in rules
        if rule.width > rule.height
    )


def _goes_on(regions: Sequence[PlacedRegion], i: int, notes: set[int], body: float) -> bool:
    """Whether notes of the page before go on here: level with a note further right, below text that breaks off."""
    mine, above = regions[i].box, _above(regions, i)
    if i in notes or above is None or not _is_text(regions[i]) or not _is_last(regions, i, notes):
        return False
    broken = regions[above].kind == "plain text" and not regions[above].text.rstrip().endswith(ENDS)
    level = any(regions[k].box.x0 > mine.x1 and abs(regions[k].box.y0 - mine.y0) <= LEVEL * body for k in notes)
    starts_anew = not regions[i].text[:1].islower()
    return level and broken and starts_anew and _gap(regions, above, i) >= APART * body
