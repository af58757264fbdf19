"""Decides the reading order of a page's regions, which are notes, and to what each caption belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from documents.rotated_boxes import unrotate, usual_angle
from documents.structure.captions import Captions, Labels, bind_captions, bind_labels
from documents.structure.footnotes import FootNotes, PlacedRegion, foot_notes, ruled_notes
from documents.structure.form_labels import FormLabels, form_values
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.structure.region_kinds import body_size
from documents.structure.side_notes import MarginCandidate, SideNotes, side_notes
from documents.structure.xy_cut import reading_order
from documents.text.printed_rows import is_backwards
from documents.values import BoundingBox


def find_foot_notes(page: PageDraft, limits: FootNotes) -> PageDraft:
    view = _View(page)
    at_foot = foot_notes(view.placed, view.rules, view.body, limits)
    own = ruled_notes(view.placed, view.rules, view.body, at_foot, limits)
    return _related(page, foot_notes=frozenset(map(view.index, at_foot)), column_notes=frozenset(map(view.index, own)))


def find_side_notes(page: PageDraft, limits: SideNotes) -> PageDraft:
    view = _View(page)
    candidates = [_candidate(draft, pair, limits) for draft, pair in zip(view.inner, view.placed, strict=True)]
    return _related(page, side_notes=view.indices(side_notes(candidates, view.body, limits)))


def find_captions(page: PageDraft, limits: Captions) -> PageDraft:
    view = _View(page)
    return _related(page, captions=view.indices(bind_captions(view.placed, view.body, limits)))


def find_figure_labels(page: PageDraft, limits: Labels) -> PageDraft:
    view = _View(page)
    numbers = {draft.index: k for k, draft in enumerate(view.inner)}
    captions = {numbers[k]: numbers[j] for k, j in page.relations.captions.items() if k in numbers and j in numbers}
    return _related(page, labels=view.indices(bind_labels(view.placed, captions, limits)))


def find_form_values(page: PageDraft, limits: FormLabels) -> PageDraft:
    view = _View(page)
    bound = {*page.relations.captions, *page.relations.labels, *page.relations.side_notes, *page.relations.foot_notes}
    values = view.indices(form_values(view.placed, unrotate(page.inspection.box, view.angle).width, limits))
    return _related(page, values={k: label for k, label in values.items() if k not in bound and label not in bound})


@dataclass(frozen=True, slots=True)
class PageOrder:
    """What is wide enough to part a page, and how rough a figure's edges are."""

    figure_edge: float = 0.12  # of a figure's width
    wide: float = 0.3  # of the page's width: a shorter rule parts no columns


def find_order(page: PageDraft, limits: PageOrder) -> PageDraft:
    """Running heads, then the page as it is read, notes that close it, and running feet.

    A caption is read next to what it describes, the value of a form after its label, and a note in the margin after
    the paragraph beside it.
    """
    view, relations = _View(page), page.relations
    boxes = dict(view.boxes)
    for draft in page.drafts:
        box = boxes[draft.index]
        if draft.kind == "figure":  # detected edges are rough: only the middle says which column it stands in
            boxes[draft.index] = _narrowed(box, limits.figure_edge * box.width)
    for value, label in relations.values.items():  # level, so that the label comes first
        boxes[value] = boxes[value].model_copy(update={"y0": boxes[label].y0})
    sheet = unrotate(page.inspection.box, view.angle)
    homes = {k: home for k, home in relations.side_notes.items() if k not in relations.labels}
    main = [d.index for d in view.inner if d.index not in homes and d.index not in relations.labels]
    wide = [rule for rule in view.rules if rule.width >= limits.wide * sheet.width and rule.width > rule.height]
    attached = {**relations.captions, **relations.values}
    body_order = sorted(_ordered(main, boxes, attached, wide), key=relations.foot_notes.__contains__)
    body_order = _with_side_notes(body_order, homes, boxes)
    edges = [d.index for d in page.drafts if d.kind == "abandon"]
    heads, feet = ([k for k in edges if (boxes[k].center[1] < sheet.center[1]) is top] for top in (True, False))
    return _related(page, order=(*_ordered(heads, boxes, {}), *body_order, *_ordered(feet, boxes, {})))


class _View:
    """The regions but furniture as they stand on the upright page, which is mirrored if it is read from the right."""

    def __init__(self, page: PageDraft) -> None:
        lines = [line for draft in page.drafts for line in draft.lines]
        self.angle = usual_angle(lines)
        self.body = body_size(lines)
        self._backwards = is_backwards("".join(region.text for region in page.regions.values()))
        self._middle = unrotate(page.inspection.box, self.angle).center[0]
        self.boxes = {draft.index: self._placed(draft.box) for draft in page.drafts}
        self.inner = [draft for draft in page.drafts if draft.kind != "abandon"]
        self.placed = [
            PlacedRegion(page.regions[d.index].kind, self.boxes[d.index], page.regions[d.index].text)
            for d in self.inner
        ]
        self.rules = [self._placed(rule.box) for rule in page.inspection.rules]

    def _placed(self, box: BoundingBox) -> BoundingBox:
        box = unrotate(box, self.angle)
        return box.mirrored(self._middle) if self._backwards else box

    def index(self, k: int) -> int:
        return self.inner[k].index

    def indices(self, pairs: Mapping[int, int]) -> dict[int, int]:
        return {self.index(k): self.index(j) for k, j in pairs.items()}


def _related(page: PageDraft, **relations: Any) -> PageDraft:
    return replace(page, relations=replace(page.relations, **relations))


def _candidate(draft: RegionDraft, placed: PlacedRegion, limits: SideNotes) -> MarginCandidate:
    letters = sum(len(line.text) for line in draft.lines)
    size = sum(line.font_size * len(line.text) for line in draft.lines) / letters if letters else 0.0
    if draft.text_source == "ocr":
        size *= limits.rough
    words = [word for line in draft.lines for word in line.words]
    return MarginCandidate(
        placed.kind, placed.box, placed.text, size, bool(words) and all(word.italic for word in words)
    )


def _ordered(
    indices: Sequence[int],
    boxes: Mapping[int, BoundingBox],
    captions: Mapping[int, int],
    rules: Sequence[BoundingBox] = (),
) -> list[int]:
    """Indices as they are read, captions with what they describe being one; `rules` are level."""
    known_indices = set(indices)
    units: dict[int, list[int]] = {index: [index] for index in indices if captions.get(index) not in known_indices}
    for caption, target in captions.items():
        if caption in known_indices and caption not in units:
            units.setdefault(target, [target]).append(caption)
    parts = [sorted(unit, key=lambda k: (round(boxes[k].y0), boxes[k].x0)) for unit in units.values()]
    places = reading_order([BoundingBox.around([boxes[k] for k in part]) for part in parts], rules)
    return list(chain.from_iterable(parts[k] for k in places))


def _with_side_notes(order: list[int], homes: Mapping[int, int], boxes: Mapping[int, BoundingBox]) -> list[int]:
    notes: dict[int, list[int]] = {}
    for note in sorted(homes, key=lambda k: (boxes[k].y0, boxes[k].x0)):
        notes.setdefault(homes[note], []).append(note)
    return [k for home in order for k in (home, *notes.get(home, ()))]


def _narrowed(box: BoundingBox, by: float) -> BoundingBox:
    return BoundingBox(x0=box.x0 + by, y0=box.y0, x1=box.x1 - by, y1=box.y1)
