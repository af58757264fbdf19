"""What speaks for a text being furniture of its page: the network, its place and type, and the pages around."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.document.text_styles import type_size
from documents.region_values import Region
from documents.rotated_boxes import unrotate
from documents.text.languages import PAGE_NUMBER
from documents.values import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLimits:
    """What may be furniture, and where it is looked for again."""

    max_letters: int = 200  # of a region that may become furniture
    max_spans: int = 3
    pages_in_a_row: int = 7  # among which a text comes back
    unread_furniture: float = 0.9  # probability of furniture of what is taken for it, but not by the structure network
    unread_text: float = 0.05  # likewise of what is taken for text
    min_doubt: float = 0.001  # of the structure network, however sure it is
    max_overlap: float = 0.3  # of a text's height, by which others may reach over its edges


class Evidence(NamedTuple):
    """Of one region; the weights of `furniture.py` have the same fields."""

    constant: float
    network: float  # logit of the probability that it is furniture
    same: float  # share of the pages around with the same words there, or all but a number that counts the pages
    alone: float  # share of the pages around and its own that do not have it, too, times the logarithm of their number
    outside: float  # logarithm of the letters between it and the edge of the page
    number: float  # 1 if it is a page number


def evidence(pages: Sequence[Page], limits: EvidenceLimits = EvidenceLimits()) -> Iterator[tuple[int, int, Evidence]]:
    """Of each region that may be furniture the index of its page, its own index, and what speaks for it.

    These are short texts, and what the network takes for furniture.
    """
    chosen = [
        {k: _placed_texts(region, page) for k, region in enumerate(page.regions) if _may_be_furniture(region, limits)}
        for page in pages
    ]
    places = _Places([[text for texts in own.values() for text in texts] for own in chosen], limits.pages_in_a_row)
    for number, (page, own) in enumerate(zip(pages, chosen, strict=True)):
        sheets = {angle: _Sheet(page, angle) for angle in {page.regions[k].angle for k in own}}
        for k, texts in own.items():
            region = page.regions[k]
            counts = region.kind in ("plain text", "abandon")  # "Step 1", a title, counts no pages
            same = max(places.share(number, text) for text in (texts if counts else texts[:1]))
            yield (
                number,
                k,
                Evidence(
                    constant=1.0,
                    network=_logit(region, limits),
                    same=same,
                    alone=(1 - same) * math.log(places.num_around),
                    outside=math.log1p(sheets[region.angle].letters_outside(region, limits.max_overlap)),
                    number=float(PAGE_NUMBER.fullmatch(region.text.strip()) is not None),
                ),
            )


def _may_be_furniture(region: Region, limits: EvidenceLimits) -> bool:
    is_short = len(region.spans) <= limits.max_spans and len(region.text) <= limits.max_letters
    is_short = is_short and region.kind != "figure"
    return bool(region.text) and (is_short or region.kind == "abandon")


def _logit(region: Region, limits: EvidenceLimits) -> float:
    """Of furniture, by the network that chose the region's kind."""
    unknown = limits.unread_furniture if region.kind == "abandon" else limits.unread_text
    own = region.furniture if region.furniture is not None else unknown
    probability = min(max(own, limits.min_doubt), 1 - limits.min_doubt)
    return math.log(probability / (1 - probability))


def _upright(page: Page, angle: int) -> BoundingBox:
    return unrotate(BoundingBox(x0=0, y0=0, x1=page.size[0], y1=page.size[1]), angle)


class _PlacedText(NamedTuple):
    """A text and its depth, with the size of its type; both are shares of the page's height."""

    text: str
    depth: float
    size: float


def _placed_texts(region: Region, page: Page) -> list[_PlacedText]:
    """A region's text; and the same with its first and its last number as it is ahead of the page's."""
    sheet = _upright(page, region.angle)
    height = max(1.0, sheet.height)
    numbers = list(re.finditer(r"\d{1,9}", region.text))
    texts = [region.text]
    for number in (*numbers[:1], *numbers[-1:]):
        ahead = int(number[0]) - page.number
        texts.append(f"{region.text[: number.start()]}<{ahead}>{region.text[number.end() :]}")
    box = unrotate(region.box, region.angle)
    size = type_size(region) or box.height
    return [_PlacedText(text, (box.y0 - sheet.y0) / height, size / height) for text in texts]


class _Places:
    """On which pages a text stands, and at which depths, ascending."""

    def __init__(self, pages: Sequence[Sequence[_PlacedText]], pages_in_a_row: int) -> None:
        self._num_pages = len(pages)
        self._pages_in_a_row = pages_in_a_row
        self._depths: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
        for number, texts in enumerate(pages):
            for text in sorted(texts, key=lambda text: text.depth):
                self._depths[number, text.text].append(text.depth)

    @property
    def num_around(self) -> int:
        """How many pages in a row are looked at, the text's own among them."""
        return min(self._pages_in_a_row, self._num_pages)

    def share(self, number: int, text: _PlacedText) -> float:
        """Of some pages in a row, or of each second one, those others that have the text, too: the largest share."""
        size = self.num_around
        around = range(max(0, number - size + 1), min(self._num_pages, number + size))
        having = [other for other in around if other != number and self._has(other, text)]
        shares = [0.0]
        for behind in range(0, size, 2) if having else ():
            first = max(0, min(number - behind, self._num_pages - size))
            near = [other for other in having if first <= other < first + size]
            second = [other for other in near if (other - number) % 2 == 0]
            num_second = (number - first) // 2 + (first + size - 1 - number) // 2 + 1
            shares += [len(near) / size, len(second) / num_second]
        return max(shares)

    def _has(self, number: int, text: _PlacedText) -> bool:
        """Whether a page has the text less than its own type size higher or lower."""
        depths = self._depths.get((number, text.text), [])
        index = bisect_right(depths, text.depth - text.size)
        return index < len(depths) and depths[index] < text.depth + text.size


class _Sheet:
    """A page as it is read at one angle: how many letters stand above and below each height."""

    def __init__(self, page: Page, angle: int) -> None:
        whole = _upright(page, angle)
        self._top = whole.y0
        self._bottom = whole.y1
        boxes = [(unrotate(region.box, angle), len(region.text)) for region in page.regions if region.angle == angle]
        self._above = _Sums((box.y1, count) for box, count in boxes)
        self._below = _Sums((-box.y0, count) for box, count in boxes)

    def letters_outside(self, region: Region, max_overlap: float) -> int:
        """The letters between a region and the nearer of the upper and the lower edge."""
        box = unrotate(region.box, region.angle)
        slack, above, below = max_overlap * box.height, box.y0 - self._top, self._bottom - box.y1
        if above <= below:
            return self._above.up_to(box.y0 + slack)
        return self._below.up_to(slack - box.y1)


class _Sums:
    """Sums of counts by height."""

    def __init__(self, counts: Iterable[tuple[float, int]]) -> None:
        ordered = sorted(counts)
        self._heights = [height for height, _ in ordered]
        self._sums = [0, *accumulate(count for _, count in ordered)]

    def up_to(self, height: float) -> int:
        return self._sums[bisect_right(self._heights, height)]
