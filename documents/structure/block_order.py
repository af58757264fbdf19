"""The reading order of a page whose blocks the structure network has read, and what its roles say of notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from documents.rotated_boxes import unrotate
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.structure.rule import NoThresholds
from documents.values import BoundingBox


def notes_by_role(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Footnotes and side notes as the network reads them; a side note is of the text that is read before it."""
    if not is_judged(page):
        return page
    notes = frozenset(draft.index for draft in page.drafts if draft.role == "footnote")
    read = [draft for draft in _by_place(page.drafts) if draft.kind != "abandon"]
    side_notes = {
        draft.index: before.index
        for before, draft in pairwise(read)
        if draft.role == "side_note" and before.role != "side_note"
    }
    return replace(
        page, relations=replace(page.relations, foot_notes=frozenset(), column_notes=notes, side_notes=side_notes)
    )


def order_by_blocks(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Running heads, then the page as the network reads it, then running feet.

    A figure without words stands beside its caption, or else behind what is above it in its column.
    """
    if not is_judged(page):
        return page
    angle = page.turn
    boxes = {draft.index: unrotate(draft.box, angle) for draft in page.drafts}
    middle = unrotate(page.inspection.box, angle).center[1]
    edges = sorted((d.index for d in page.drafts if d.kind == "abandon"), key=lambda k: (boxes[k].y0, boxes[k].x0))
    inner = [draft for draft in page.drafts if draft.kind != "abandon" and draft.index not in page.relations.labels]
    order = [draft.index for draft in _by_place(inner)]
    captions = {target: caption for caption, target in page.relations.captions.items()}
    for index in sorted((d.index for d in inner if d.order is None), key=lambda k: (boxes[k].y0, boxes[k].x0)):
        order.insert(_place_for(index, order, boxes, captions), index)
    heads = [k for k in edges if boxes[k].center[1] < middle]
    feet = [k for k in edges if boxes[k].center[1] >= middle]
    return replace(page, relations=replace(page.relations, order=(*heads, *order, *feet)))


def is_judged(page: PageDraft) -> bool:
    """Whether the network has read the page's blocks."""
    return any(draft.role is not None for draft in page.drafts)


def _by_place(drafts: Sequence[RegionDraft]) -> list[RegionDraft]:
    placed = [(draft.order, draft.index, draft) for draft in drafts if draft.order is not None]
    return [draft for _, _, draft in sorted(placed, key=lambda each: each[:2])]


def _place_for(index: int, order: Sequence[int], boxes: Mapping[int, BoundingBox], captions: Mapping[int, int]) -> int:
    """Where in the order a region without a place is read."""
    box = boxes[index]
    caption = captions.get(index)
    if caption is not None and caption in order:
        return order.index(caption) + (boxes[caption].center[1] < box.center[1])
    level = [k for k, other in enumerate(order) if min(boxes[other].x1, box.x1) > max(boxes[other].x0, box.x0)]
    above = [k for k in level if boxes[order[k]].center[1] <= box.center[1]]
    below = [k for k in level if boxes[order[k]].center[1] > box.center[1]]
    if above:
        return max(above, key=lambda k: boxes[order[k]].y1) + 1
    return min(below, key=lambda k: boxes[order[k]].y0, default=len(order))
