"""Decides the reading order of a page's regions, which are notes, and to what each caption belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from documents.rotated_boxes import unrotate, usual_angle
from documents.structure.captions import Captions, Labels, PlacedRegion, bind_captions, bind_labels
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.structure.rule import NoThresholds
from documents.structure.text_source import body_size
from documents.values import BoundingBox


def find_captions(page: PageDraft, limits: Captions) -> PageDraft:
    view = _View(page)
    return _related(page, captions=view.indices(bind_captions(view.placed, view.body, limits)))


def find_figure_labels(page: PageDraft, limits: Labels) -> PageDraft:
    view = _View(page)
    numbers = {draft.index: k for k, draft in enumerate(view.inner)}
    captions = {numbers[k]: numbers[j] for k, j in page.relations.captions.items() if k in numbers and j in numbers}
    return _related(page, labels=view.indices(bind_labels(view.placed, captions, limits)))


def find_notes(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Footnotes and side notes as the structure network reads them; a side note is of what is read before it."""
    notes = frozenset(draft.index for draft in page.drafts if draft.role == "footnote")
    read = [draft for draft in _in_order(page) if draft.kind != "abandon"]
    side_notes = {
        draft.index: before.index
        for before, draft in pairwise(read)
        if draft.role == "side_note" and before.role != "side_note"
    }
    return _related(page, foot_notes=notes, side_notes=side_notes)


def find_order(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Running heads, then the page as the structure network reads it, then running feet.

    What has no place there, a figure without words for one, stands beside its caption, or else behind what is above it.
    """
    view = _View(page)
    inner = [draft for draft in view.inner if draft.index not in page.relations.labels]
    inner_indices = {draft.index for draft in inner}
    order = [draft.index for draft in _in_order(page) if draft.index in inner_indices]
    captions = {target: caption for caption, target in page.relations.captions.items()}
    boxes = view.boxes
    unplaced = inner_indices.difference(order)
    for index in sorted(unplaced, key=lambda k: (boxes[k].y0, boxes[k].x0)):
        order.insert(_place_for(index, order, boxes, captions), index)
    middle = unrotate(page.inspection.box, view.angle).center[1]
    edges = sorted((d.index for d in page.drafts if d.kind == "abandon"), key=lambda k: (boxes[k].y0, boxes[k].x0))
    heads = [k for k in edges if boxes[k].center[1] < middle]
    feet = [k for k in edges if boxes[k].center[1] >= middle]
    return _related(page, order=(*heads, *order, *feet))


def _in_order(page: PageDraft) -> list[RegionDraft]:
    """The drafts that have a place: in the order of the structure network, or of the page's reading as a whole."""
    places = {draft.index: draft.order for draft in page.drafts if draft.order is not None}
    if not places:
        for number, index in sorted(page.homes.items()):
            places.setdefault(index, number)
    placed = [(places[draft.index], draft.index, draft) for draft in page.drafts if draft.index in places]
    return [draft for _, _, draft in sorted(placed, key=lambda each: each[:2])]


def _place_for(index: int, order: Sequence[int], boxes: Mapping[int, BoundingBox], captions: Mapping[int, int]) -> int:
    """Where in the order a region without a place is read."""
    box, caption = boxes[index], captions.get(index)
    if caption is not None and caption in order:
        return order.index(caption) + (boxes[caption].center[1] < box.center[1])
    level = [k for k, other in enumerate(order) if min(boxes[other].x1, box.x1) > max(boxes[other].x0, box.x0)]
    above = [k for k in level if boxes[order[k]].center[1] <= box.center[1]]
    below = [k for k in level if boxes[order[k]].center[1] > box.center[1]]
    if above:
        return max(above, key=lambda k: boxes[order[k]].y1) + 1
    return min(below, key=lambda k: boxes[order[k]].y0, default=len(order))


class _View:
    """The regions but furniture as they stand on the upright page."""

    def __init__(self, page: PageDraft) -> None:
        lines = [line for draft in page.drafts for line in draft.lines]
        self.angle = usual_angle(lines)
        self.body = body_size(lines)
        self.boxes = {draft.index: unrotate(draft.box, self.angle) for draft in page.drafts}
        self.inner = [draft for draft in page.drafts if draft.kind != "abandon"]
        self.placed = [
            PlacedRegion(page.regions[d.index].kind, self.boxes[d.index], page.regions[d.index].text)
            for d in self.inner
        ]

    def indices(self, pairs: Mapping[int, int]) -> dict[int, int]:
        return {self.inner[k].index: self.inner[j].index for k, j in pairs.items()}


def _related(page: PageDraft, **relations: Any) -> PageDraft:
    return replace(page, relations=replace(page.relations, **relations))
