"""Pairs form labels (a few words ending in a colon) with their values: a label is read right before its value.

So are the keys of a bibliography that stand in a column of their own, with what they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.structure.footnotes import PlacedRegion
from documents.text.list_markers import KEY
from documents.text.word_count import num_words
from documents.values import BoundingBox, RegionKind
from documents.vertical_index import VerticalIndex

LABELS: tuple[RegionKind, ...] = ("plain text", "title")
COLONS = (":", "：")
MOST_BESIDE = 64  # regions level with a label that are looked at


@dataclass(frozen=True, slots=True)
class FormLabels:
    """What makes two regions the label and the value of a form."""

    min_pairs: int = 2  # on a page: one alone may be a remark beside a text
    max_words: int = 6  # of a label
    level: float = 0.5  # of the label's height, by which their first lines may differ
    high: float = 3.5  # times the label's height: more is no value but a text
    reach: float = 0.4  # of the page's width, between them


def form_values(regions: Sequence[PlacedRegion], width: float, limits: FormLabels = FormLabels()) -> dict[int, int]:
    """The label of each value, by the value's index; `width` is the page's, in points."""
    labels = [k for k, region in enumerate(regions) if _is_label(region, limits)]
    if len(labels) < limits.min_pairs:
        return {}
    index = VerticalIndex([region.box for region in regions])
    known = set(labels)
    label_of: dict[int, int] = {}
    for label in sorted(labels, key=lambda k: (regions[k].box.y0, regions[k].box.x0)):
        box = regions[label].box
        beside = [k for k in index.crossing(box.y0, box.y1, MOST_BESIDE) if regions[k].box.x0 >= box.x1 - 1.0]
        value = min(beside, key=lambda k: regions[k].box.x0, default=None)
        if value is None or value in known or value in label_of or regions[value].kind != "plain text":
            continue
        is_value = _stands_beside_key if _is_key(regions[label]) else _is_value
        if is_value(regions[value].box, box, width, limits):
            label_of[value] = label
    return label_of if len(label_of) >= limits.min_pairs else {}


def _is_label(region: PlacedRegion, limits: FormLabels) -> bool:
    text = region.text.strip()
    short = "\n" not in text and num_words(text) <= limits.max_words
    is_named = short and text.endswith(COLONS) and any(map(str.isalpha, text))
    return region.kind in LABELS and (is_named or _is_key(region))


def _is_key(region: PlacedRegion) -> bool:
    return KEY.fullmatch(region.text.strip()) is not None


def _is_value(box: BoundingBox, label: BoundingBox, width: float, limits: FormLabels) -> bool:
    level = abs(box.y0 - label.y0) <= limits.level * label.height
    return level and box.height <= limits.high * label.height and box.x0 - label.x1 <= limits.reach * width


def _stands_beside_key(box: BoundingBox, key: BoundingBox, width: float, limits: FormLabels) -> bool:
    """Whether a text, however high it is, stands beside a key."""
    level = box.y0 - limits.level * key.height <= key.center[1] <= box.y1
    return level and box.x0 - key.x1 <= limits.reach * width
