"""Puts back lines that no region holds while regions are made."""

from __future__ import annotations

from dataclasses import replace

from documents.draft.page_draft import WATERMARK_ORIGIN, PageDraft, Part, RegionDraft
from documents.draft.text_source import Decision
from documents.inspection import TextLine
from documents.regions.region_parts import with_whole_page
from documents.values import Detection

MIN_INSIDE_SHARE = 0.5  # minimum share of a draft without lines that lies in a new draft of which it is a part


def with_all_lines(page: PageDraft) -> PageDraft:
    """Each visible line in exactly one part; an empty page that is to be read is one part."""
    if not page.parts and not page.layer.lines:
        return with_whole_page(page) if _needs_reading(page) else page
    delivered: set[int] = set()
    parts: list[Part] = []
    for part in page.parts:
        lines = tuple(line for line in part.lines if id(line) not in delivered and not delivered.add(id(line)))
        parts.append(part if len(lines) == len(part.lines) else replace(part, lines=lines))
    parts += [_part_of(line) for line in page.layer.lines if id(line) not in delivered]
    parts += [_watermark(line) for line in page.inspection.watermarks]
    return replace(page, parts=tuple(parts))


def _needs_reading(page: PageDraft) -> bool:
    return page.text_source == "ocr" or (page.text_source == "auto" and not page.layer.sound)


def _part_of(line: TextLine) -> Part:
    return Part.of(Detection(kind="plain text", box=line.box, score=0.0), (line,))


def _watermark(line: TextLine) -> Part:
    detection = Detection(kind="abandon", box=line.box, score=0.0)
    return replace(Part.of(detection, (line,)), decision=Decision("text_layer", "sound"), origin=WATERMARK_ORIGIN)


def with_all_drafts(before: PageDraft, after: PageDraft) -> PageDraft:
    """Each draft that was there, with all lines that it held; a rule may change their kinds, and what was read.

    Lines that OCR read may go to new drafts: a draft that is left without any, or lies in a new one, need not stay.
    """
    now = {draft.index: draft for draft in after.drafts}
    known = {draft.index for draft in before.drafts}
    new = [draft for draft in after.drafts if draft.index not in known]
    held = {id(line) for draft in after.drafts for line in draft.lines}
    drafts: list[RegionDraft] = []
    readings, sizes = dict(after.readings), dict(after.crop_sizes)
    for draft in before.drafts:
        changed = now.get(draft.index)
        is_whole = all(id(line) in held for line in draft.lines)
        if (
            changed is None
            and is_whole
            and (draft.lines or any(draft.box.share_inside(d.box) > MIN_INSIDE_SHARE for d in new))
        ):
            continue
        is_read = draft.index in before.readings
        if changed is None or not is_whole or not (is_read or changed.lines == draft.lines):
            changed = (changed or draft).model_copy(update={"lines": draft.lines, "crop_box": draft.crop_box})
            readings |= {k: reading for k, reading in before.readings.items() if k == draft.index}
            sizes |= {k: size for k, size in before.crop_sizes.items() if k == draft.index}
        drafts.append(changed)
    return replace(after, drafts=(*drafts, *new), readings=readings, crop_sizes=sizes)
