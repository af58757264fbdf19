"""Decides between our reading order and that of the layout network, by where sentences go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from documents.structure.page_draft import PageDraft
from documents.structure.tagged_agreement import runs_downward
from documents.tables.point_index import PointIndex
from documents.text.languages import SENTENCE_ENDS
from documents.values import BoundingBox, Detection

MOST_COMPARED = 200  # regions of two orders
LEAST_SHARED = 0.5  # of a region's box, that a detection holds


@dataclass(frozen=True, slots=True)
class OrderVote:
    """How far a network's order must agree with what is seen to be counted."""

    min_known: float = 0.8  # of the regions that are read, for which it has a place
    min_downward: float = 0.9  # of the pairs of regions one above the other, of which it reads the upper one first
    max_reversed: float = 0.35  # of the pairs of regions, that it reads the other way round than we do


def vote_for_network_order(page: PageDraft, limits: OrderVote) -> PageDraft:
    """The network's order, where it is one of this page and tears no more sentences than ours.

    A caption stays with what it describes; what the network did not find stays behind what it was read after.
    """
    places = {draft.index: draft.order for draft in page.drafts if draft.order is not None and draft.kind != "abandon"}
    placed = [k for k in page.relations.order if k in places]
    num_read = sum(draft.kind != "abandon" for draft in page.drafts if draft.index in page.relations.order)
    if len(placed) < 2 or len(placed) < limits.min_known * num_read:
        return page
    boxes = {draft.index: draft.box for draft in page.drafts}
    if not runs_downward([boxes[k] for k in sorted(placed, key=places.__getitem__)], limits.min_downward):
        return page
    with_targets = places | {k: places[of] for k, of in page.relations.captions.items() if of in places}
    as_read = sorted((k for k in page.relations.order if k in with_targets), key=with_targets.__getitem__)  # stable
    order = reordered(page, {k: place for place, k in enumerate(as_read)})
    if share_reversed(page.relations.order, order) > limits.max_reversed:
        return page
    if num_torn(page, order) > num_torn(page, page.relations.order):
        return page
    return replace(page, relations=replace(page.relations, order=order))


class NetworkOrder:
    """The place of each region in the network's order: that of the detection which is most like its box."""

    def __init__(self, detections: Sequence[Detection]) -> None:
        self._ordered = [detection for detection in detections if detection.order is not None]
        self._boxes = PointIndex(detection.box for detection in self._ordered)

    def place(self, box: BoundingBox) -> int | None:
        """None: no detection that has a place holds half of the box."""
        if not self._ordered:
            return None
        near = [self._ordered[k] for k in self._boxes.holding(*box.center)]
        near = [detection for detection in near if _shared(detection.box, box) >= LEAST_SHARED * box.area]
        best = max(near, key=lambda detection: _alike(detection.box, box), default=None)
        return None if best is None else best.order


def reordered(page: PageDraft, places: Mapping[int, int]) -> tuple[int, ...]:
    """The page's order, what stands between the first and the last text put in the order of `places`.

    What has no place stays behind what it was read after; notes stay where they were.
    """
    relations = page.relations
    kinds = {draft.index: draft.kind for draft in page.drafts}
    still = relations.foot_notes | relations.column_notes | relations.side_notes.keys()
    body = [k for k in relations.order if kinds.get(k) != "abandon" and k not in relations.foot_notes]
    groups: list[tuple[int, list[int]]] = [(-1, [])]
    for k in body:
        if k in places and k not in still:
            groups.append((places[k], [k]))
        else:
            groups[-1][1].append(k)
    ordered = iter([k for _, group in sorted(groups, key=lambda entry: (entry[0], entry[1][:1])) for k in group])
    own = set(body)
    return tuple(next(ordered) if k in own else k for k in relations.order)


def share_reversed(before: Sequence[int], after: Sequence[int]) -> float:
    """Of the pairs of regions, those that two orders disagree about; of very many regions a sample says it."""
    places = {index: place for place, index in enumerate(after)}
    sample = [places[index] for index in before[:: 1 + len(before) // MOST_COMPARED]]
    pairs = len(sample) * (len(sample) - 1) / 2
    return sum(a > b for a, b in combinations(sample, 2)) / max(1.0, pairs)


def num_torn(page: PageDraft, order: Sequence[int]) -> int:
    """How many texts begin in the middle of a sentence behind one that has come to its end."""
    texts = [page.regions[k].text.strip() for k in order if page.regions[k].kind == "plain text"]
    pairs = pairwise(text for text in texts if text)
    return sum(text[0].islower() and before.endswith(SENTENCE_ENDS) for before, text in pairs)


def _shared(a: BoundingBox, b: BoundingBox) -> float:
    return a.intersection(b) if b.area else float(a.contains(*b.center))


def _alike(a: BoundingBox, b: BoundingBox) -> float:
    both = a.intersection(b)
    return both / max(1e-9, a.area + b.area - both)
