"""Collects the text styles of a document and what each is used for: the evidence for headings."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from statistics import median
from typing import NamedTuple

from documents.rotated_boxes import unrotate
from documents.text.word_count import num_words
from documents.values import BoundingBox, OutlineItem, Page, Region
from documents.vertical_index import VerticalIndex

MOST_NEAR = 48  # regions at the height of one, or above or below it, that are looked at
FAR = 400.0  # points above and below a region, within which its neighbours are looked for
MAX_ENTRY = 400  # characters of a line; the pattern takes the square of their number
ENTRY = re.compile(r"(.{3,150}?)(?:\s*[.…·_]{3,}\s*|\s{1,})(\d{1,4}|[ivxl]{1,6})")  # of a table of contents
MIN_ENTRIES = 4  # of a page, before it is a table of contents


class Style(NamedTuple):
    """The type of a text: its size in half points, whether it is bold, its colour in 6 bits (0: unknown or black)."""

    size: float
    bold: bool
    colour: int


@dataclass(frozen=True, slots=True)
class Block:
    """A region in its place: indices of the page and of the region there, and its box, upright."""

    page: int
    place: int
    region: Region
    box: BoundingBox
    style: Style
    num_words: int


class DocumentType:
    """How a document sets its text: what its styles are used for, and what its outline and contents name."""

    def __init__(self, blocks: Sequence[Block], outline: Sequence[OutlineItem]) -> None:
        self._letters: Counter[Style] = Counter()
        self._blocks: Counter[Style] = Counter()
        self._words: Counter[Style] = Counter()
        self._titles: Counter[Style] = Counter()
        self._pages: dict[Style, set[int]] = {}
        for block in blocks:
            self._titles[block.style] += block.region.kind == "title"
            self._letters[block.style] += len(block.region.text)
            self._words[block.style] += block.num_words
            self._blocks[block.style] += 1
            self._pages.setdefault(block.style, set()).add(block.page)
        self.num_letters = max(1, self._letters.total())
        self.body = self._body()
        self.named = {bare(item.title) for item in outline} | set(_contents(blocks))
        self.named.discard("")
        self.num_pages = 1 + max((block.page for block in blocks), default=0)

    def share(self, style: Style) -> float:
        """Of all letters, 0..1."""
        return self._letters[style] / self.num_letters

    def mean_words(self, style: Style) -> float:
        return self._words[style] / max(1, self._blocks[style])

    def num_blocks(self, style: Style) -> int:
        return self._blocks[style]

    def title_share(self, style: Style) -> float:
        """Of the texts in a style, those that were taken for titles one by one, 0..1."""
        return self._titles[style] / max(1, self._blocks[style])

    def num_style_pages(self, style: Style) -> int:
        return len(self._pages.get(style, ()))

    def _body(self) -> Style:
        """The style of most letters; of the middle size, weighted by letters."""
        sizes = sorted((style.size, count) for style, count in self._letters.items())
        cumulative = list(accumulate(count for _, count in sizes))
        middle = bisect_left(cumulative, self.num_letters / 2)
        own = [style for style in self._letters if sizes[middle : middle + 1] and style.size == sizes[middle][0]]
        return max(own, key=lambda style: self._letters[style], default=Style(10.0, False, 0))


def blocks_of(pages: Sequence[Page]) -> list[Block]:
    """All regions with text but furniture, in their order."""
    return [
        Block(number, place, region, unrotate(region.box, region.angle), style_of(region), num_words(region.text))
        for number, page in enumerate(pages)
        for place, region in enumerate(page.regions)
        if region.kind != "abandon" and region.text.strip()
    ]


def style_of(region: Region) -> Style:
    letters = [(len(span.text), span) for span in region.spans if span.text.strip()]
    if not letters:
        return Style(0.0, False, 0)
    size = median(span.font_size or 0.8 * span.box.height for _, span in letters)
    bold = 2 * sum(count for count, span in letters if span.bold) > sum(count for count, _ in letters)
    colours: Counter[int] = Counter()
    for count, span in letters:
        colours[_few_bits(span.colour or 0)] += count
    return Style(round(2 * size) / 2, bold, colours.most_common(1)[0][0])


def type_size(region: Region) -> float:
    """The type size of a region in points: what the text layer says, else the height of its lines."""
    sizes = [span.font_size or 0.8 * span.box.height for span in region.spans]
    return round(median(sizes), 1) if sizes else 0.0


def body_type_size(pages: Sequence[Page]) -> float:
    """The type size that half of all letters of running text have at most."""
    regions = [region for page in pages for region in page.regions if region.text and region.kind == "plain text"]
    sizes = sorted((type_size(region), len(region.text)) for region in regions)
    half, running_length = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        running_length += length
        if running_length >= half:
            return size
    return math.inf


class PageContext:
    """What stands around the blocks of one page."""

    def __init__(self, page: Page, blocks: Sequence[Block]) -> None:
        self.page = page
        self.blocks = blocks
        self._index = VerticalIndex([block.box for block in blocks])

    @cached_property
    def size(self) -> float:
        """The type size of most letters of the page's longer texts, in points; 0 of none."""
        sizes: Counter[float] = Counter()
        for block in self.blocks:
            sizes[block.style.size] += len(block.region.text)
        return sizes.most_common(1)[0][0] if sizes else 0.0

    @cached_property
    def edges(self) -> tuple[float, float]:
        """Where text begins and ends, in points from the left."""
        return min(b.box.x0 for b in self.blocks), max(b.box.x1 for b in self.blocks)

    def above(self, block: Block) -> Block | None:
        near = self._near(block.box.y0 - FAR, block.box.y0 + 0.3 * block.box.height)
        own = (b for b in near if b is not block and _in_one_column(b.box, block.box) and b.box.y0 < block.box.y0)
        return max(own, key=lambda b: (b.box.y1, -b.place), default=None)

    def below(self, block: Block) -> Block | None:
        near = self._near(block.box.y1 - 0.3 * block.box.height, block.box.y1 + FAR)
        own = (b for b in near if b is not block and _in_one_column(b.box, block.box) and b.box.y0 > block.box.y0)
        return min(own, key=lambda b: (b.box.y0, b.place), default=None)

    def beside(self, block: Block) -> list[Block]:
        """What stands level with it."""
        near = self._near(block.box.y0, block.box.y1)
        return [b for b in near if b is not block and _is_level(b.box, block.box)]

    def _near(self, top: float, bottom: float) -> Iterable[Block]:
        return [self.blocks[k] for k in self._index.crossing(top, bottom, MOST_NEAR)]


def bare(text: str) -> str:
    """Its letters alone, small."""
    return re.sub(r"[\W\d_]+", "", text).lower()


def _few_bits(colour: int) -> int:
    """Two bits a channel."""
    return (colour >> 22 & 3) << 4 | (colour >> 14 & 3) << 2 | colour >> 6 & 3


def _contents(blocks: Sequence[Block]) -> Iterable[str]:
    """The bare titles that tables of contents list."""
    by_page: dict[int, list[str]] = {}
    for block in blocks:
        for line in block.region.text.split("\n"):
            entry = ENTRY.fullmatch(line.strip()) if len(line) <= MAX_ENTRY else None
            if entry:
                by_page.setdefault(block.page, []).append(bare(entry[1]))
    for entries in by_page.values():
        if len(entries) >= MIN_ENTRIES:
            yield from entries


def _in_one_column(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.3 * min(a.width, b.width)


def _is_level(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.height, b.height)
