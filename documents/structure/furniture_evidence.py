"""What speaks for a text being furniture of its page: the network, its place and type, and the pages around."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from documents.rotated_boxes import unrotate
from documents.structure.page_draft import FROM_BLOCKS
from documents.structure.text_styles import body_type_size, type_size
from documents.text.languages import PAGE_NUMBER
from documents.values import BoundingBox, Page, Region

MAX_LETTERS = 200  # of a region that may become furniture
MAX_SPANS = 3
PAGES_IN_A_ROW = 7  # among which a text comes back
UNKNOWN_SCORE = 0.9  # of a region that the structure network has not read
MAX_OVERLAP = 0.3  # of a text's height, by which others may reach over its edges


class Evidence(NamedTuple):
    """Of one region; the weights of `furniture.py` have the same fields."""

    constant: float
    network: float  # logit of the probability that it is furniture
    same: float  # share of the pages around with the same words there, or all but a number that counts the pages
    outside: float  # logarithm of the letters between it and the edge of the page
    inside: float  # logarithm of its distance from that edge, in its own type sizes
    larger: float  # logarithm of its type size over the text's
    lasting: float  # of a title, table or caption: share of the pages around that do not have it; else 0
    number: float  # 1 if it is a page number


def evidence(pages: Sequence[Page]) -> Iterator[tuple[int, int, Evidence]]:
    """Of each region that may be furniture the index of its page, its own index, and what speaks for it.

    These are short texts, and what the network takes for furniture.
    """
    body = body_type_size(pages)
    chosen = [
        {k: _texts(region, page) for k, region in enumerate(page.regions) if _may_be_furniture(region)}
        for page in pages
    ]
    places = _Places(len(pages))
    for number, own in enumerate(chosen):
        places.add(number, (text for texts in own.values() for text in texts))
    for number, (page, own) in enumerate(zip(pages, chosen, strict=True)):
        sheets = {angle: _Sheet(page, angle) for angle in {page.regions[k].angle for k in own}}
        for k, texts in own.items():
            region = page.regions[k]
            lasts = region.kind not in ("plain text", "abandon")
            size = type_size(region)
            letters, distance = sheets[region.angle].outside(region)
            same = max(places.share(number, text) for text in (texts[:1] if lasts else texts))  # "Step 1" is a title
            yield (
                number,
                k,
                Evidence(
                    constant=1.0,
                    network=_logit(region),
                    same=same,
                    outside=math.log1p(letters),
                    inside=math.log1p(distance / max(1.0, size)),
                    larger=_larger(size, body),
                    lasting=1 - same if lasts else 0.0,
                    number=float(PAGE_NUMBER.fullmatch(region.text.strip()) is not None),
                ),
            )


def _may_be_furniture(region: Region) -> bool:
    is_short = len(region.spans) <= MAX_SPANS and len(region.text) <= MAX_LETTERS and region.kind != "figure"
    return bool(region.text) and (is_short or region.kind == "abandon")


def _logit(region: Region) -> float:
    """Of furniture, by the network that chose the region's kind."""
    score = min(max(region.score if region.origin == FROM_BLOCKS else UNKNOWN_SCORE, 0.01), 0.99)
    probability = score if region.kind == "abandon" else (1 - score) / 2
    return math.log(probability / (1 - probability))


def _larger(size: float, body: float) -> float:
    return max(-0.5, min(0.5, math.log(size / body))) if size and body and math.isfinite(body) else 0.0


def _upright(page: Page, angle: int) -> BoundingBox:
    return unrotate(BoundingBox(x0=0, y0=0, x1=page.size[0], y1=page.size[1]), angle)


def _texts(region: Region, page: Page) -> list[tuple[str, int]]:
    """A text and its depth; the same with its first and its last number as it is ahead of the page's."""
    sheet = _upright(page, region.angle)
    depth = round(100 * (unrotate(region.box, region.angle).y0 - sheet.y0) / max(1.0, sheet.height))
    numbers = list(re.finditer(r"\d{1,9}", region.text))
    texts = [region.text]
    for number in (*numbers[:1], *numbers[-1:]):
        ahead = int(number[0]) - page.number
        texts.append(f"{region.text[: number.start()]}<{ahead}>{region.text[number.end() :]}")
    return [(text, depth) for text in texts]


class _Places:
    """On which pages a text stands at its depth: ascending indices."""

    def __init__(self, num_pages: int) -> None:
        self._num_pages = num_pages
        self._pages: dict[tuple[str, int], list[int]] = {}

    def add(self, number: int, texts: Iterable[tuple[str, int]]) -> None:
        for text in set(texts):
            self._pages.setdefault(text, []).append(number)

    def share(self, number: int, text: tuple[str, int]) -> float:
        """Of some pages in a row, or of each second one, those others that have the text, too: the largest share."""
        size = min(PAGES_IN_A_ROW, self._num_pages)
        pages = self._pages[text]
        if len(pages) == 1:
            return 0.0
        shares: list[float] = []
        for behind in range(0, size, 2):
            first = max(0, min(number - behind, self._num_pages - size))
            near = pages[bisect_left(pages, first) : bisect_left(pages, first + size)]
            second = [other for other in near if (other - number) % 2 == 0]
            num_second = (number - first) // 2 + (first + size - 1 - number) // 2 + 1
            shares += [(len(near) - 1) / size, (len(second) - 1) / num_second]
        return max(shares)


class _Sheet:
    """A page as it is read at one angle: how many letters stand above and below each height."""

    def __init__(self, page: Page, angle: int) -> None:
        whole = _upright(page, angle)
        self._top, self._bottom = whole.y0, whole.y1
        boxes = [(unrotate(region.box, angle), len(region.text)) for region in page.regions if region.angle == angle]
        self._above = _Sums((box.y1, count) for box, count in boxes)
        self._below = _Sums((-box.y0, count) for box, count in boxes)

    def outside(self, region: Region) -> tuple[int, float]:
        """The letters and the points between a region and the nearer of the upper and the lower edge."""
        box = unrotate(region.box, region.angle)
        slack, above, below = MAX_OVERLAP * box.height, box.y0 - self._top, self._bottom - box.y1
        if above <= below:
            return self._above.up_to(box.y0 + slack), max(0.0, above)
        return self._below.up_to(slack - box.y1), max(0.0, below)


class _Sums:
    """Sums of counts by height."""

    def __init__(self, counts: Iterable[tuple[float, int]]) -> None:
        ordered = sorted(counts)
        self._heights = [height for height, _ in ordered]
        self._sums = [0, *accumulate(count for _, count in ordered)]

    def up_to(self, height: float) -> int:
        return self._sums[bisect_right(self._heights, height)]
