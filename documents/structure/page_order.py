"""How the regions of a page stand to one another: what is read when, which are notes, what each caption belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from documents.inspection import Inspection
from documents.rotation import unrotate, usual_angle
from documents.structure.captions import bind_captions, bind_labels
from documents.structure.classify import body_size
from documents.structure.draft import RegionDraft
from documents.structure.footnotes import PlacedRegion, foot_notes, ruled_notes
from documents.structure.side_notes import MarginCandidate, side_notes
from documents.structure.xy_cut import reading_order
from documents.values import BoundingBox, Note, Region

FIGURE_EDGE = 0.12  # of a figure's width
ROUGH = 1.1  # sizes measured on a picture are off by a tenth: only plainly small type makes a note there
WIDE = 0.3  # of the page's width: a shorter rule parts no columns


class Arrangement(NamedTuple):
    """Indices of drafts: as they are read, notes by where they stand, captions and labels with what they are of."""

    order: list[int]
    notes: dict[int, Note]
    captions: dict[int, int]
    labels: dict[int, int]  # no regions of their own, by the figure whose parts they name


def arrange(inspection: Inspection, drafts: Sequence[RegionDraft], regions: Mapping[int, Region]) -> Arrangement:
    """Running heads, then the page as it is read, notes that close it, and running feet.

    A caption is read next to what it describes, and a note in the margin after the paragraph beside it.
    """
    lines = [line for draft in drafts for line in draft.lines]
    angle, body = usual_angle(lines), body_size(lines)
    boxes = {draft.index: unrotate(draft.box, angle) for draft in drafts}
    inner = [draft for draft in drafts if draft.kind != "abandon"]
    placed = [PlacedRegion(regions[d.index].kind, boxes[d.index], regions[d.index].text) for d in inner]
    rules = [unrotate(rule.box, angle) for rule in inspection.rules]
    at_foot = foot_notes(placed, rules, body)
    beside = side_notes([_beside(draft, each) for draft, each in zip(inner, placed, strict=True)], body)
    described = bind_captions(placed, body)
    captions = {inner[k].index: inner[j].index for k, j in described.items()}
    labelled = {inner[k].index: inner[j].index for k, j in bind_labels(placed, described).items()}
    homes = {inner[k].index: inner[j].index for k, j in beside.items() if inner[k].index not in labelled}
    foot = {inner[k].index for k in at_foot}
    notes: dict[int, Note] = {inner[k].index: "foot" for k in at_foot | ruled_notes(placed, rules, body, at_foot)}
    for draft in drafts:
        box = boxes[draft.index]
        if draft.kind == "figure":  # detected edges are rough: only the middle says which column it stands in
            boxes[draft.index] = _narrowed(box, FIGURE_EDGE * box.width)
    page = unrotate(inspection.box, angle)
    edges = [d.index for d in drafts if d.kind == "abandon"]
    main = [d.index for d in inner if d.index not in homes and d.index not in labelled]
    wide = [rule for rule in rules if rule.width >= WIDE * page.width and rule.width > rule.height]
    body_order = sorted(_ordered(main, boxes, captions, wide), key=foot.__contains__)
    body_order = _with_side_notes(body_order, homes, boxes)
    heads, feet = ([k for k in edges if (boxes[k].center[1] < page.center[1]) is top] for top in (True, False))
    order = [*_ordered(heads, boxes, {}), *body_order, *_ordered(feet, boxes, {})]
    for index in homes:
        notes[index] = "side"
    return Arrangement(order, notes, captions, labelled)


def _beside(draft: RegionDraft, placed: PlacedRegion) -> MarginCandidate:
    letters = sum(len(line.text) for line in draft.lines)
    size = sum(line.font_size * len(line.text) for line in draft.lines) / letters if letters else 0.0
    if draft.text_source == "ocr":
        size *= ROUGH
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
    units: dict[int, list[int]] = {index: [index] for index in indices if captions.get(index) not in indices}
    for caption, target in captions.items():
        if caption in indices and caption not in units:
            units.setdefault(target, [target]).append(caption)
    parts = [sorted(unit, key=lambda k: (round(boxes[k].y0), boxes[k].x0)) for unit in units.values()]
    places = reading_order([BoundingBox.around([boxes[k] for k in part]) for part in parts], rules)
    return list(chain.from_iterable(parts[k] for k in places))


def _with_side_notes(order: list[int], homes: Mapping[int, int], boxes: Mapping[int, BoundingBox]) -> list[int]:
    notes = sorted(homes, key=lambda k: (boxes[k].y0, boxes[k].x0))
    return [k for home in order for k in (home, *(note for note in notes if homes[note] == home))]


def _narrowed(box: BoundingBox, by: float) -> BoundingBox:
    return BoundingBox(x0=box.x0 + by, y0=box.y0, x1=box.x1 - by, y1=box.y1)
