"""Decides whether the layout network must look at a page: only where its picture may show what its file does not say.

Of all that this network sees, only tables and figures change a page: its text is parted by the structure network, which
needs no picture. So a page is looked at if it has a picture, a drawing that is more than rules and frames of text, or
ink that no line of text, no rule and no table explains; if it has no sound text layer; and if the structure network
reads cells outside of grids that are tables in any case. `picture_evidence` says the first three, in the child that has
read the file; `needs_look` adds the cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from documents.boxes import BoundingBox, Value
from documents.draft.text_source import MIN_INK_CELLS, Layer
from documents.inspection import Drawing, Inspection
from documents.page_index import PageIndex
from documents.segments.blocks import SegmentBlock
from documents.tables.search.find_tables import FindTables
from documents.tables.search.ruled_grids import RuledGrids, ruled_grids

# a table that the network sees is one only where cells are at least as likely (`find_tables`)
MIN_CELL = FindTables().likely


class PictureEvidence(Value):
    """What a page's file says of what its picture may show."""

    may_show_figures: bool = True
    lines_in_grids: tuple[int, ...] = ()  # visible lines in tables that their rules show, by index


def picture_evidence(inspection: Inspection, layer: Layer) -> PictureEvidence:
    """`layer` is the text layer of the page as its file shows it."""
    if not layer.sound:
        return PictureEvidence(may_show_figures=layer.has_ink)
    grids = [table.box for table in ruled_grids(inspection, layer.lines, RuledGrids()) if table.is_sure]
    middles = PageIndex(line.box for line in layer.lines)
    return PictureEvidence(
        may_show_figures=bool(inspection.images)
        or any(_is_figure(drawing, middles) for drawing in inspection.drawings)
        or _has_patch(layer.ink_beyond_lines(_ruled(inspection, grids))),
        lines_in_grids=tuple(sorted({k for grid in grids for k in middles.with_middle_in(grid)})),
    )


def needs_look(evidence: PictureEvidence, blocks: Sequence[SegmentBlock]) -> bool:
    """Whether the layout network must look at a page; `blocks` are of its visible lines."""
    in_grids = frozenset(evidence.lines_in_grids)
    return evidence.may_show_figures or any(_is_loose_cell(block, in_grids) for block in blocks)


def _is_loose_cell(block: SegmentBlock, in_grids: Collection[int]) -> bool:
    return block.cell >= MIN_CELL and not all(k in in_grids for k in block.segments)


def _is_figure(drawing: Drawing, middles: PageIndex) -> bool:
    """Whether a drawing may be more than rules, and the frame or the ground of text."""
    return drawing.num_slanted > 0 or not middles.with_middle_in(drawing.box)


def _ruled(inspection: Inspection, grids: Sequence[BoundingBox]) -> Iterator[BoundingBox]:
    """Where rules and tables have their ink; thin ink may also touch the cell beside its own."""
    cell = inspection.ink.cell
    for box in (*(rule.box for rule in inspection.rules), *grids):
        yield box.widened(cell, cell)


def _has_patch(ink: np.ndarray) -> bool:
    """Whether as many cells with ink touch one another as a picture has that is judged at all."""
    if np.count_nonzero(ink) < MIN_INK_CELLS:
        return False
    import cv2  # here: only the child judges ink, and others ask for cells alone

    _, _, statistics, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    return bool(statistics[1:, cv2.CC_STAT_AREA].max() >= MIN_INK_CELLS)
