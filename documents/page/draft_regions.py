"""Makes draft regions of detections and lines, and decides kinds that only a region's neighbours show."""

from __future__ import annotations

from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import (
    DETECTOR_ORIGIN,
    INK_ORIGIN,
    LINES_ORIGIN,
    NO_DETECTOR_SCORE,
    PageDraft,
    Part,
    RegionDraft,
)
from documents.draft.text_source import Decision
from documents.region_values import RegionOrigin
from documents.regions.region_parts import widened
from documents.rotated_boxes import usual_angle


def make_drafts(page: PageDraft) -> PageDraft:
    """The parts that hold something as drafts; their lines go on only where they are the source of the text."""
    drafts: list[RegionDraft] = []
    for part in page.parts:
        decision = part.decision or _plain_decision(page, part)
        if decision.text_source == "ocr" and not page.layer.ink_in(part.detection.box):
            part = replace(part, lines=tuple(filter(page.layer.is_sound, part.lines)))  # noqa: PLW2901
            if not part.lines:
                continue
            decision = Decision("text_layer", "no ink to read")
        elif decision.text_source == "text_layer" and not part.lines and part.kind not in ("figure", "table"):
            continue  # empty
        draft = _draft(page, part, decision, part.origin or _origin(part), len(drafts))
        drafts.append(draft)
    return replace(page, drafts=tuple(drafts), parts=())


def _draft(page: PageDraft, part: Part, decision: Decision, origin: RegionOrigin, index: int) -> RegionDraft:
    part_box = part.detection.box
    box = BoundingBox.around([line.box for line in part.lines]) if part.lines else part_box
    whole = box if box is part_box else box.union(part_box)
    reads = decision.text_source == "ocr"
    return RegionDraft(
        index=index,
        kind=part.kind,
        box=whole if reads or part.kind in ("figure", "table") else box,
        score=part.detection.score,
        lines=() if reads else part.lines,
        layer_lines=part.lines if reads else (),
        text_source=decision.text_source,
        reason=decision.reason,
        origin=origin,
        crop_box=widened(whole, page.crop_margin, page.inspection.box),
        angle=usual_angle(part.lines),
        role=part.role,
        heading=part.heading,
        furniture=part.furniture,
        order=part.order,
        begins=part.begins,
        rules=part.rules,
    )


def _plain_decision(page: PageDraft, part: Part) -> Decision:
    """The source of a part for which no rule chose one."""
    if page.text_source != "auto":
        return Decision(page.text_source, "asked for")
    return Decision("text_layer", "sound") if part.lines or page.layer.sound else Decision("ocr", "no text layer")


def _origin(part: Part) -> RegionOrigin:
    if part.detection.score > NO_DETECTOR_SCORE:
        return DETECTOR_ORIGIN
    return LINES_ORIGIN if part.lines else INK_ORIGIN
