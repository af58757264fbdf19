"""Splits a column of keys (`[FIPS 201]`), and the texts beside them, where each key stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.inspection import TextLine
from documents.structure.heading_lines import Row, rows_of
from documents.structure.page_draft import PageDraft, Part
from documents.text.list_markers import KEY
from documents.values import BoundingBox, RegionKind
from documents.vertical_index import VerticalIndex

PARTED: tuple[RegionKind, ...] = ("plain text", "title")
MOST_LEVEL = 64  # keys level with a row that are looked at


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """How a key stands to the text that it names."""

    level: float = 0.5  # of a key's height, by which the middle of its row may differ
    reach: float = 200.0  # points from a key to its text


def part_at_keys(page: PageDraft, limits: KeyColumn) -> PageDraft:
    """Keys that one part holds are a part each, and a text begins again at every row that has a key of its own."""
    keys = _keys(page)
    if not keys:
        return page
    index = VerticalIndex([key.box for key in keys])
    key_ids = set(map(id, keys))
    parts: list[Part] = []
    for part in page.parts:
        pieces = _pieces(part, keys, index, key_ids, limits) if part.detection.kind in PARTED else []
        if len(pieces) < 2:
            parts.append(part)
            continue
        for lines in pieces:
            box = BoundingBox.around([line.box for line in lines])
            parts.append(Part.of(part.detection.model_copy(update={"box": box}), tuple(lines), part.rules))
    return replace(page, parts=tuple(parts))


def _keys(page: PageDraft) -> list[TextLine]:
    """The upright lines that are a key alone."""
    parts = (part for part in page.parts if part.detection.kind in PARTED)
    return [line for part in parts for line in part.lines if not line.angle and KEY.fullmatch(line.text)]


def _pieces(
    part: Part, keys: Sequence[TextLine], index: VerticalIndex, key_ids: set[int], limits: KeyColumn
) -> list[list[TextLine]]:
    if any(line.angle for line in part.lines):
        return []
    if all(id(line) in key_ids for line in part.lines):
        return [[line] for line in part.lines]
    if any(id(line) in key_ids for line in part.lines):
        return []
    rows = rows_of(part.lines)
    middles = [row.box.center[1] for row in rows]
    begins = [
        any(_is_beside(keys[k].box, row, limits) for k in index.crossing(middle, middle, MOST_LEVEL))
        for row, middle in zip(rows, middles, strict=True)
    ]
    if not any(begins[:1]):  # a key in the middle of its text is level with no beginning
        return []
    pieces: list[list[TextLine]] = []
    for row, is_first in zip(rows, begins, strict=True):
        if is_first:
            pieces.append([])
        pieces[-1] += row.lines
    return pieces


def _is_beside(key: BoundingBox, row: Row, limits: KeyColumn) -> bool:
    level = abs(key.center[1] - row.box.center[1]) <= limits.level * key.height
    return level and 0.0 <= row.box.x0 - key.x1 <= limits.reach
