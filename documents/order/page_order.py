"""Decides the reading order of a page's regions, which are notes, and to what each caption belongs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.draft.rule import NoThresholds
from documents.draft.text_source import body_size
from documents.figures.captions import Captions, Labels, PlacedRegion, bind_captions, bind_labels


def find_captions(page: PageDraft, limits: Captions) -> PageDraft:
    view = _View(page)
    return _related(page, captions=view.indices(bind_captions(view.placed, view.body, limits)))


def find_figure_labels(page: PageDraft, limits: Labels) -> PageDraft:
    view = _View(page)
    numbers = {draft.index: k for k, draft in enumerate(view.inner)}
    captions = {numbers[k]: numbers[j] for k, j in page.relations.captions.items() if k in numbers and j in numbers}
    return _related(page, labels=view.indices(bind_labels(view.placed, captions, limits)))


def find_notes(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Footnotes and side notes as the structure network reads them."""
    foot_notes = frozenset(draft.index for draft in page.drafts if draft.role == "footnote")
    side_notes = frozenset(draft.index for draft in page.drafts if draft.role == "side_note")
    return _related(page, foot_notes=foot_notes, side_notes=side_notes)


def find_order(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Running heads, then the page as the structure network reads it, then running feet.

    What has no place there, a figure without words for one, stands beside its caption, or else behind what is above it.
    """
    view = _View(page)
    inner = [draft for draft in view.inner if draft.index not in page.relations.labels]
    inner_indices = {draft.index for draft in inner}
    order = [draft.index for draft in _in_order(page) if draft.index in inner_indices]
    boxes = view.boxes
    places = _Places(order, boxes, {target: caption for caption, target in page.relations.captions.items()})
    for index in sorted(inner_indices.difference(order), key=lambda k: (boxes[k].y0, boxes[k].x0, k)):
        places.insert(index)
    rules = [page.layer.along_lines(rule.box) for rule in page.inspection.rules]
    last = _foot_of_page(inner_indices, page.relations.foot_notes, boxes, rules)
    read = sorted(places.order(), key=last.__contains__)
    middle = page.layer.along_lines(page.inspection.box).center[1]
    edges = sorted((d.index for d in page.drafts if d.kind == "abandon"), key=lambda k: (boxes[k].y0, boxes[k].x0))
    heads = [k for k in edges if boxes[k].center[1] < middle]
    feet = [k for k in edges if boxes[k].center[1] >= middle]
    return _related(page, order=(*heads, *read, *feet))


def _foot_of_page(
    inner: Collection[int], notes: Collection[int], boxes: Mapping[int, BoundingBox], rules: Sequence[BoundingBox]
) -> set[int]:
    """Notes below all text of their column are read when all columns are, unless a rule stands over them."""
    texts = np.array([_corners(boxes[k]) for k in inner if k not in notes]).reshape(-1, 4)
    level_rules = np.array([_corners(rule) for rule in rules if rule.width > rule.height]).reshape(-1, 4)
    last: set[int] = set()
    for k in notes:
        depth = _in_column(texts, boxes[k])[:, 3].max(initial=-np.inf)
        tops = _in_column(level_rules, boxes[k])[:, 1]
        begin = boxes[k].y0 if depth == -np.inf else depth
        is_ruled = ((tops > begin) & (tops < boxes[k].center[1])).any()
        if depth <= boxes[k].center[1] and not is_ruled:
            last.add(k)
    return last


def _in_column(corners: np.ndarray, box: BoundingBox) -> np.ndarray:
    """Those of (n, 4) boxes that stand above, below or over one."""
    return corners[np.minimum(corners[:, 2], box.x1) > np.maximum(corners[:, 0], box.x0)]


def _in_order(page: PageDraft) -> list[RegionDraft]:
    """The drafts that have a place: in the order of the structure network, or of the page's reading as a whole."""
    places = {draft.index: draft.order for draft in page.drafts if draft.order is not None}
    if not places:
        for number, index in sorted(page.homes.items()):
            places.setdefault(index, number)
    placed = [(places[draft.index], draft.index, draft) for draft in page.drafts if draft.index in places]
    return [draft for _, _, draft in sorted(placed, key=lambda entry: entry[:2])]


class _Places:
    """Regions in their order, into which others are put by their boxes: without a comparison of each with each."""

    def __init__(self, order: Sequence[int], boxes: Mapping[int, BoundingBox], captions: Mapping[int, int]) -> None:
        self._boxes = boxes
        self._captions = captions
        self._next: dict[int | None, int | None] = dict(zip((None, *order), (*order, None), strict=True))
        self._before: dict[int | None, int | None] = {after: k for k, after in self._next.items()}
        self._indices = list(order)
        self._corners = np.empty((4, len(boxes)))
        for number, index in enumerate(order):
            self._corners[:, number] = _corners(boxes[index])

    def order(self) -> Iterator[int]:
        index = self._next[None]
        while index is not None:
            yield index
            index = self._next[index]

    def insert(self, index: int) -> None:
        before = self._read_before(index)
        after = self._next[before]
        self._next[before], self._next[index] = index, after
        self._before[after], self._before[index] = index, before
        self._corners[:, len(self._indices)] = _corners(self._boxes[index])
        self._indices.append(index)

    def _read_before(self, index: int) -> int | None:
        """What a region without a place is read behind; None: it is the first."""
        box, caption = self._boxes[index], self._captions.get(index)
        if caption is not None and caption in self._next:
            is_below = self._boxes[caption].center[1] < box.center[1]
            return caption if is_below else self._before[caption]
        if not self._indices:
            return None
        x0, y0, x1, y1 = self._corners[:, : len(self._indices)]
        level = np.minimum(x1, box.x1) > np.maximum(x0, box.x0)
        is_above = (y0 + y1) / 2 <= box.center[1]
        above, below = level & is_above, level & ~is_above
        if above.any():
            return self._indices[int(np.where(above, y1, -np.inf).argmax())]
        if below.any():
            return self._before[self._indices[int(np.where(below, y0, np.inf).argmin())]]
        return self._before[None]


def _corners(box: BoundingBox) -> tuple[float, float, float, float]:
    return box.x0, box.y0, box.x1, box.y1


class _View:
    """The regions but furniture, as they stand along the lines of the page."""

    def __init__(self, page: PageDraft) -> None:
        lines = [line for draft in page.drafts for line in draft.lines]
        self.body = body_size(lines)
        self.boxes = {draft.index: page.layer.along_lines(draft.box) for draft in page.drafts}
        self.inner = [draft for draft in page.drafts if draft.kind != "abandon"]
        self.placed = [
            PlacedRegion(page.regions[d.index].kind, self.boxes[d.index], page.regions[d.index].text)
            for d in self.inner
        ]

    def indices(self, pairs: Mapping[int, int]) -> dict[int, int]:
        return {self.inner[k].index: self.inner[j].index for k, j in pairs.items()}


def _related(page: PageDraft, **relations: Any) -> PageDraft:
    return replace(page, relations=replace(page.relations, **relations))
