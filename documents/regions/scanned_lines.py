"""Finds the text lines of a scanned page, so that each is in one region and is read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft, ink_draft
from documents.inspection import InkGrid, Inspection
from documents.region_values import RegionKind
from documents.regions.line_assignment import group_ink
from documents.regions.region_parts import InkThresholds, widened
from documents.values import Detection

# read as one picture: the symbols of a formula make no lines
UNDIVIDED_KINDS: tuple[RegionKind, ...] = ("isolate_formula",)
TEXT_SCORE = 0.3  # score of text inside a region that the network takes for a picture
MIN_LINE_SHARE = 0.3  # a line is read with a region that contains at least this share of it


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The regions to be read, their crops around their lines; a region without an entry in `lines` is read whole."""

    drafts: tuple[RegionDraft, ...]
    lines: Mapping[int, tuple[BoundingBox, ...]]  # by the draft's index, in points


def text_alone(inspection: Inspection, detections: Sequence[Detection]) -> tuple[Inspection, tuple[Detection, ...]]:
    """The page as if nothing but its printed lines were ink, and text that stands in pictures detected as such.

    Pages of which no printed lines were looked for stay as they are.
    """
    if inspection.printed_lines is None:
        return inspection, tuple(detections)
    cells = _cells_under(inspection, inspection.printed_lines)
    in_pictures = [
        Detection(kind="plain text", box=box, score=TEXT_SCORE)
        for detection in detections
        if detection.kind == "figure"
        for box in group_ink(cells & _cells_under(inspection, [detection.box]), inspection.ink.cell)
    ]
    ink = inspection.ink.cells()
    for detection in detections:
        if detection.kind in UNDIVIDED_KINDS:
            cells |= ink & _cells_under(inspection, [detection.box])
    bare = inspection.model_copy(update={"ink": InkGrid.of(cells, inspection.ink.cell)})
    return bare, (*detections, *in_pictures)


def plan_reading(
    inspection: Inspection, drafts: Sequence[RegionDraft], crop_margin: tuple[float, float]
) -> ReadingPlan:
    """Each printed line with the region that holds most of it; those of none make regions where they stand together.

    A region of text without a printed line is left out, unless the text layer has lines there.
    """
    if inspection.printed_lines is None:
        return ReadingPlan(tuple(drafts), {})
    read = [
        draft
        for draft in drafts
        if draft.text_source == "ocr" and not draft.angle and draft.kind not in UNDIVIDED_KINDS
    ]
    known = {draft.index for draft in read}
    others = [d for d in drafts if d.index not in known and (d.kind != "figure" or d.lines)]  # text in pictures is read
    homes = {line: _home(line, read) for line in inspection.printed_lines}
    lone_lines = [line for line, home in homes.items() if home is None and _home(line, others) is None]
    text_drafts = _text_drafts(inspection, lone_lines, max((draft.index for draft in drafts), default=-1) + 1)
    homes |= {line: _home(line, text_drafts) for line in lone_lines}
    boxes_by_region: dict[int, list[BoundingBox]] = {draft.index: [] for draft in (*read, *text_drafts)}
    for line, home in homes.items():
        if home is not None:
            boxes_by_region[home.index].append(line)
    unread: list[RegionDraft] = []
    for draft in (*drafts, *text_drafts):
        lines = boxes_by_region.get(draft.index)
        if lines:
            box = widened(BoundingBox.around(lines), crop_margin, inspection.box)
            unread.append(draft.model_copy(update={"crop_box": box}))
        elif lines is None or draft.kind in ("figure", "table") or draft.layer_lines:
            unread.append(draft)
    return ReadingPlan(tuple(unread), {index: tuple(lines) for index, lines in boxes_by_region.items()})


def within_crop(lines: Sequence[BoundingBox], crop: BoundingBox) -> tuple[BoundingBox, ...]:
    """Boxes of the page as shares of a crop's width and height."""
    return tuple(
        line.shifted(-crop.x0, -crop.y0).scaled(1 / max(crop.width, 1e-6), 1 / max(crop.height, 1e-6)) for line in lines
    )


def _home(line: BoundingBox, drafts: Sequence[RegionDraft]) -> RegionDraft | None:
    """The draft that holds most of a line, None if none holds so much that it belongs there."""
    best = max(drafts, key=lambda draft: line.share_inside(draft.box), default=None)
    return best if best is not None and line.share_inside(best.box) >= MIN_LINE_SHARE else None


def _text_drafts(inspection: Inspection, lines: Sequence[BoundingBox], index: int) -> list[RegionDraft]:
    """Regions of text, from `index` on, where lines stand together; specks make none."""
    limits = InkThresholds()
    boxes = group_ink(_cells_under(inspection, lines), inspection.ink.cell)
    texts = [box for box in boxes if box.width >= limits.min_width and box.height >= limits.min_height]
    return [ink_draft(number, "plain text", box) for number, box in enumerate(texts, index)]


def _cells_under(inspection: Inspection, boxes: Sequence[BoundingBox]) -> np.ndarray:
    cells = np.zeros((inspection.ink.num_rows, inspection.ink.num_columns), bool)
    for box in boxes:
        cells[inspection.ink.window(box)] = True
    return cells
