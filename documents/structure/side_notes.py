"""Finds side notes (small text in the margin), each read after the paragraph that it stands beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.text.word_count import num_words
from documents.values import BoundingBox, RegionKind
from documents.vertical_index import VerticalIndex

MAIN: tuple[RegionKind, ...] = ("plain text",)
MOST_BESIDE = 256  # paragraphs that one note is compared with


@dataclass(frozen=True, slots=True)
class SideNotes:
    """What makes text in a margin notes rather than a column."""

    wide: float = 0.6  # of the widest text: regions as wide as this are the columns
    narrow: float = 0.45  # of the widest text: no note is wider
    small: float = 0.93  # of the body's type
    share: float = 0.35  # of the columns' letters: more, and a margin is a column
    max_words: int = 40  # of a note, a sentence or two; more is a text of its own
    apart: float = 1.5  # times the body's type: closer blocks in a margin are one
    rough: float = 1.1  # sizes measured on a picture are off by a tenth: only plainly small type makes a note there


class MarginCandidate(NamedTuple):
    """A region as it stands on the upright page, with its usual type size in points."""

    kind: RegionKind
    box: BoundingBox
    text: str
    font_size: float
    italic: bool = False


def side_notes(regions: Sequence[MarginCandidate], body: float, limits: SideNotes = SideNotes()) -> dict[int, int]:
    """The index of the region that each note is read after, by the note's; `body` is the page's type size in points."""
    texts = [k for k, region in enumerate(regions) if region.kind in MAIN and region.text.strip()]
    widest = max((regions[k].box.width for k in texts), default=0.0)
    columns = [
        k for k in texts if regions[k].box.width >= limits.wide * widest and not _is_small(regions[k], body, limits)
    ]
    if not columns:
        return {}
    left, right = min(regions[k].box.x0 for k in columns), max(regions[k].box.x1 for k in columns)
    letters = sum(len(regions[k].text) for k in columns)
    index = VerticalIndex([regions[k].box for k in columns])
    note_of: dict[int, int] = {}
    for margin in (
        [k for k, region in enumerate(regions) if region.box.x1 <= left and region.text.strip()],
        [k for k, region in enumerate(regions) if region.box.x0 >= right and region.text.strip()],
    ):
        if not margin or sum(len(regions[k].text) for k in margin) > limits.share * letters:
            continue
        if all(_is_note(regions[k], widest, body, limits) for k in margin) and not _is_sidebar(
            regions, margin, body, limits
        ):
            note_of |= {k: home for k in margin if (home := _home(regions, columns, index, k)) is not None}
    return note_of


def _is_small(region: MarginCandidate, body: float, limits: SideNotes) -> bool:
    return region.font_size <= limits.small * body


def _is_note(region: MarginCandidate, widest: float, body: float, limits: SideNotes) -> bool:
    set_apart = _is_small(region, body, limits) or region.italic
    return region.kind in MAIN and set_apart and region.box.width <= limits.narrow * widest


def _is_sidebar(regions: Sequence[MarginCandidate], margin: Sequence[int], body: float, limits: SideNotes) -> bool:
    """Whether blocks of a margin that follow each other closely are longer than any note."""
    count, bottom = 0, float("-inf")
    for k in sorted(margin, key=lambda k: regions[k].box.y0):
        count = (count if regions[k].box.y0 - bottom < limits.apart * body else 0) + num_words(regions[k].text)
        bottom = regions[k].box.y1
        if count > limits.max_words:
            return True
    return False


def _home(regions: Sequence[MarginCandidate], columns: Sequence[int], index: VerticalIndex, note: int) -> int | None:
    """The paragraph level with a note's first line, the nearest to its margin; None if none stands beside it."""
    box = regions[note].box
    near = [columns[n] for n in index.crossing(box.y0, box.y1, MOST_BESIDE)]
    beside = [k for k in near if min(box.y1, regions[k].box.y1) > max(box.y0, regions[k].box.y0)]

    def distance(k: int) -> tuple[float, float]:
        other = regions[k].box
        return max(0.0, other.y0 - box.y0, box.y0 - other.y1), max(other.x0 - box.x1, box.x0 - other.x1)

    return min(beside, key=distance, default=None)
