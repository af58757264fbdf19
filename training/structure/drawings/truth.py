"""Reads the truth of a drawn page back from the colours of its letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymupdf

from documents.inspection import Inspection, TextLine
from documents.region_values import Span
from documents.segments.page_tokens import PageTokens, page_tokens
from documents.segments.roles import ROLES
from training.structure.drawings.drawn_document import DrawnBlock
from training.structure.network.examples import NO_RANK, NO_TABLE, UNKNOWN_TABLE, Example

MIN_SEGMENTS = 3
MAX_TOKENS = 420  # of a training page
MAX_UNKNOWN = 0.08  # of the segments of a page may be of no block
BESIDE_THE_TEXT = frozenset({"page_header", "page_footer", "page_number", "stamp"})  # roles without a reading order


def example_of(inspection: Inspection, page: pymupdf.Page, blocks: Mapping[int, DrawnBlock]) -> Example | None:
    """The example of an inspected page of a drawing; None if it has too few segments, or too many that are unknown."""
    lines = [line for line in inspection.lines if line.hidden is None]
    tokens = page_tokens(inspection, lines)
    colours = colours_of(page, lines, blocks)
    known = sum(colour is not None for colour in colours)
    if known < MIN_SEGMENTS or known < (1 - MAX_UNKNOWN) * len(lines) or len(tokens.kind) > MAX_TOKENS:
        return None
    drawn = [blocks[colour] if colour is not None else None for colour in colours]
    return Example(
        tokens=tokens,
        role=np.array([-1 if block is None else ROLES.index(block.role) for block in drawn], np.int8),
        block=np.array([-1 if colour is None else colour for colour in colours], np.int32),
        place=np.arange(len(lines), dtype=np.float32),
        rank=_ranks(tokens, drawn),
        table=np.array([_table(block) for block in drawn], np.int16),
    )


def _table(block: DrawnBlock | None) -> int:
    if block is None:
        return UNKNOWN_TABLE
    if block.cell is not None:
        return block.cell.table
    return UNKNOWN_TABLE if block.role == "table" else NO_TABLE


def colours_of(
    page: pymupdf.Page, lines: Sequence[TextLine | Span], blocks: Mapping[int, DrawnBlock]
) -> list[int | None]:
    """The block colour of most letters of each line."""
    raw: dict[str, Any] = page.get_text("rawdict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)  # pyright: ignore[reportAssignmentType]
    letters: list[tuple[float, float, int]] = []
    upright = page.rotation_matrix
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                colour = int(span["color"]) & 0xFFFFFF
                if colour not in blocks:
                    continue
                for char in span["chars"]:
                    if char["c"].isspace():
                        continue
                    rect = pymupdf.Rect(char["bbox"]) * upright
                    letters.append(((rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2, colour))
    if not letters:
        return [None] * len(lines)
    table = np.array(letters)
    colours: list[int | None] = []
    for line in lines:
        box = line.box
        inside = (table[:, 0] >= box.x0 - 0.5) & (table[:, 0] <= box.x1 + 0.5)
        inside &= (table[:, 1] >= box.y0) & (table[:, 1] <= box.y1)
        values, counts = np.unique(table[inside, 2], return_counts=True)
        colours.append(int(values[counts.argmax()]) if len(values) else None)
    return colours


def _ranks(tokens: PageTokens, drawn: Sequence[DrawnBlock | None]) -> np.ndarray:
    """The order of each segment's block; notes come after the text above them, floats after what stands above them."""
    x0, y0, x1, _ = tokens.box[: len(drawn)].T
    rank = np.array(
        [NO_RANK if block is None or block.role in BESIDE_THE_TEXT else block.order for block in drawn], np.float64
    )
    fixed = np.array([block is not None and not block.floats and block.role != "footnote" for block in drawn])
    fixed &= rank > NO_RANK
    moved = [k for k, block in enumerate(drawn) if block is not None and (block.floats or block.role == "footnote")]
    groups: dict[int, list[int]] = {}
    for k in moved:
        block = drawn[k]
        groups.setdefault(id(block), []).append(k)
    for members in sorted(groups.values(), key=lambda segments: min(y0[k] for k in segments)):
        left, right, top = min(x0[k] for k in members), max(x1[k] for k in members), min(y0[k] for k in members)
        level = fixed & (np.minimum(x1, right) - np.maximum(x0, left) > 0)
        above = level & (y0 < top)
        own = np.array([rank[k] for k in members])
        if above.any():
            rank[members] = rank[above].max() + 0.3 + 1e-6 * own
        elif level.any():
            rank[members] = rank[level].min() - 0.4 + 1e-6 * own
    return rank.astype(np.float64)
