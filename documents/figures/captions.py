"""Attaches each caption to its figure, table or formula: the nearest, on the side where most captions stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.page_index import PageIndex
from documents.region_values import RegionKind
from documents.text.word_count import num_words

TARGETS: Mapping[RegionKind, tuple[RegionKind, ...]] = {
    "figure_caption": ("figure", "table"),
    "table_caption": ("table", "figure"),
    "table_footnote": ("table",),
    "formula_caption": ("isolate_formula",),
}
MAX_NEIGHBOURS = 256  # maximum number of regions at the height of one caption or figure that are compared with it


@dataclass(frozen=True, slots=True)
class Captions:
    """How far captions stand from what they describe."""

    far: float = 4.0  # times the body's type: a caption further off than this is of nothing
    astray: float = 2.0  # how much further a caption on the other side than most counts
    elsewhere: float = 3.0  # how much further what the caption does not name counts
    contact: float = 1.0  # points that count as no distance
    max_label_words: int = 6  # of a text that parts no caption from its figure, since it is a label in it
    between: float = 0.5  # of a text's area, that lies between a caption and what it would describe: it parts them
    outside: float = 0.5  # of its area, that may lie in either of them


@dataclass(frozen=True, slots=True)
class Labels:
    """What makes a text in a figure the name of a part of it."""

    inside: float = 0.8  # of the label's area between the edges of its figure and the caption
    max_words: int = 6


class PlacedRegion(NamedTuple):
    """A region as it stands on the upright page."""

    kind: RegionKind
    box: BoundingBox
    text: str


class _Pair(NamedTuple):
    """A caption and what it may belong to."""

    cost: float
    caption: int
    target: int
    below: bool  # the caption, of its target


def bind_captions(regions: Sequence[PlacedRegion], body: float, limits: Captions = Captions()) -> dict[int, int]:
    """The index of a caption's own figure, table or formula by the caption's; `body` is the type's size in points.

    A figure or table has one caption, and as many notes as stand near it.
    """
    index = PageIndex(region.box for region in regions)
    pairs = [
        pair
        for k, region in enumerate(regions)
        if region.kind in TARGETS
        for pair in _pairs(regions, index, k, limits.far * body, limits)
    ]
    target_by_caption: dict[int, int] = {}
    bound_targets: set[tuple[int, RegionKind]] = set()
    usual = _usual_side(regions, pairs)
    for pair in sorted(pairs, key=lambda pair: (_astray(regions, pair, usual, limits), pair.caption, pair.target)):
        kind = regions[pair.caption].kind
        if pair.caption in target_by_caption or (
            kind != "table_footnote" and (pair.target, "figure_caption") in bound_targets
        ):
            continue
        target_by_caption[pair.caption] = pair.target
        if kind != "table_footnote":
            bound_targets.add((pair.target, "figure_caption"))
    return target_by_caption


def bind_labels(
    regions: Sequence[PlacedRegion], captions: Mapping[int, int], limits: Labels = Labels()
) -> dict[int, int]:
    """The figure's index by that of each text that only names parts of it: a few words in a figure with a caption.

    Edges of figures are rough: up to the caption, all is the figure's. `captions` are as `bind_captions` gives them.
    """
    index = PageIndex(region.box for region in regions)
    figure_by_label: dict[int, int] = {}
    for caption, target in sorted(captions.items()):
        if regions[target].kind != "figure":
            continue
        whole = regions[target].box.union(regions[caption].box)
        for k in index.level_with(whole.y0, whole.y1):
            if _is_short(regions[k], limits.max_words) and regions[k].box.share_inside(whole) >= limits.inside:
                figure_by_label[k] = target
    return figure_by_label


def _is_short(region: PlacedRegion, max_words: int) -> bool:
    return region.kind == "plain text" and num_words(region.text) <= max_words


def _pairs(regions: Sequence[PlacedRegion], index: PageIndex, k: int, far: float, limits: Captions) -> list[_Pair]:
    caption = regions[k]
    target_kinds = TARGETS[caption.kind]
    pairs: list[_Pair] = []
    for j in index.level_with(caption.box.y0 - far, caption.box.y1 + far, MAX_NEIGHBOURS):
        other = regions[j]
        if other.kind not in target_kinds or (gap := _gap(caption.box, other.box)) > far:
            continue
        between = caption.box.union(other.box)
        beside = index.level_with(between.y0, between.y1, MAX_NEIGHBOURS)
        if any(i not in (j, k) and _parts(caption.box, other.box, between, regions[i], limits) for i in beside):
            continue
        cost = (limits.contact + gap) * (1.0 if other.kind == target_kinds[0] else limits.elsewhere)
        pairs.append(_Pair(cost, k, j, caption.box.center[1] > other.box.center[1]))
    return pairs


def _gap(a: BoundingBox, b: BoundingBox) -> float:
    """Points between two boxes that stand above or beside each other; infinite across a corner."""
    across, down = -a.overlap_x(b), -a.overlap_y(b)
    return float("inf") if across > 0 and down > 0 else max(0.0, across, down)


def _parts(
    caption: BoundingBox, target: BoundingBox, between: BoundingBox, other: PlacedRegion, limits: Captions
) -> bool:
    """Whether text stands between a caption and what it is near to; labels of a figure are none."""
    if other.kind not in ("plain text", "title", "figure", "table") or _is_short(other, limits.max_label_words):
        return False
    area, in_both = other.box.area, other.box.intersection(caption) + other.box.intersection(target)
    return other.box.intersection(between) > limits.between * area and in_both < limits.outside * area


def _usual_side(regions: Sequence[PlacedRegion], pairs: Sequence[_Pair]) -> dict[RegionKind, bool]:
    """For each kind of caption, whether most of them stand below: the side from which more are near something."""
    sides: dict[tuple[RegionKind, bool], set[int]] = {}
    for pair in pairs:
        sides.setdefault((regions[pair.caption].kind, pair.below), set()).add(pair.caption)
    side_by_kind: dict[RegionKind, bool] = {}
    for kind in TARGETS:
        below, above = len(sides.get((kind, True), ())), len(sides.get((kind, False), ()))
        if below != above:
            side_by_kind[kind] = below > above
    return side_by_kind


def _astray(regions: Sequence[PlacedRegion], pair: _Pair, usual: Mapping[RegionKind, bool], limits: Captions) -> float:
    side = usual.get(regions[pair.caption].kind)
    return pair.cost * (limits.astray if side is not None and side is not pair.below else 1.0)
