"""What tells a heading from other short texts, in numbers: its type, words and place, as they stand in the document."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from statistics import median
from typing import NamedTuple

from documents.rotation import unrotate
from documents.text.languages import DATE, OPEN_END, caption_kind
from documents.text.list_markers import marker_of
from documents.values import BoundingBox, OutlineItem, Page, Region, TextRegion
from documents.vertical_index import VerticalIndex

MAX_LINES, MAX_WORDS = 6, 40  # of a heading
MOST_NEAR = 48  # regions at the height of one, or above or below it, that are looked at
FAR = 400.0  # points above and below a region, within which its neighbours are looked for
NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,5})[.):]?\s+\S|([A-Z]|[IVX]{1,5})\.\s+\S|([A-Z](?:\.\d{1,2})+)\.?\s+\S")
PART = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|step|module|unit|kapitel|teil|anhang|chapitre|partie|annexe"
    r"|cap[ií]tulo|parte|sezione|capitolo|play|attachment|schedule|exhibit)\s+(?:\d{1,3}|[A-Z]|[IVXL]{1,6})\b",
    re.IGNORECASE,
)
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
        seen = list(accumulate(count for _, count in sizes))
        middle = bisect_left(seen, self.num_letters / 2)
        own = [style for style in self._letters if sizes[middle : middle + 1] and style.size == sizes[middle][0]]
        return max(own, key=lambda style: self._letters[style], default=Style(10.0, False, 0))


def blocks_of(pages: Sequence[Page]) -> list[Block]:
    """All regions with text but furniture, in their order."""
    return [
        Block(number, place, region, unrotate(region.box, region.angle), style_of(region), len(region.text.split()))
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


def may_be_heading(region: Region) -> bool:
    """Whether it is worth a look: a short text with letters, no part of a list's middle, no note."""
    if region.kind not in ("title", "plain text") or len(region.spans) > MAX_LINES:
        return False
    if isinstance(region, TextRegion) and (region.code or region.note is not None):
        return False
    return len(region.text.split()) <= MAX_WORDS and sum(map(str.isalpha, region.text)) >= 2


def bare(text: str) -> str:
    """Its letters alone, small."""
    return re.sub(r"[\W\d_]+", "", text).lower()


NAMES = (
    "is_title", "score", "gathered", "size_ratio", "page_size_ratio", "bold", "bold_unlike_body", "colour",
    "colour_unlike_body", "style_share", "style_mean_words", "style_blocks", "style_pages", "style_titles", "num_words",
    "num_lines",
    "letters_per_word", "capitals", "title_case", "digits", "begins_small", "ends_full_stop", "ends_colon",
    "ends_comma", "ends_question", "open_end", "number_depth", "number_letter", "part_word", "marker", "address",
    "date", "caption", "named", "gap_above", "gap_below", "gap_ratio", "below_is_text", "below_words", "below_size",
    "below_same_style", "above_ends_open", "above_same_style", "above_is_title", "beside", "left", "centred", "width",
    "height_on_page", "first_on_page", "last_on_page", "row_of_many",
)  # fmt: skip


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


def features(block: Block, page: PageContext, document: DocumentType) -> list[float]:
    """The values of `NAMES`."""
    region, style, box, text = block.region, block.style, block.box, block.region.text.strip()
    words = text.split()
    body = document.body
    above, below, beside = page.above(block), page.below(block), page.beside(block)
    unit = body.size or 10.0
    gap_above = min(10.0, (box.y0 - above.box.y1) / unit) if above else 10.0
    gap_below = min(10.0, (below.box.y0 - box.y1) / unit) if below else 10.0
    left, right = page.edges
    sheet = page.page.size
    number = NUMBER.match(text)
    letters = [sign for sign in text if sign.isalpha()]
    long_words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return [
        region.kind == "title",
        region.score,
        region.score == 0.0,
        style.size / unit,
        style.size / (page.size or unit),
        style.bold,
        style.bold and not body.bold,
        style.colour != 0,
        style.colour != body.colour,
        document.share(style),
        min(100.0, document.mean_words(style)),
        min(100, document.num_blocks(style)),
        document.num_style_pages(style) / document.num_pages,
        document.title_share(style),
        len(words),
        len(region.spans),
        len(letters) / len(words),
        sum(map(str.isupper, letters)) / len(letters),
        sum(word[0].isupper() for word in long_words) / len(long_words) if long_words else 0.5,
        sum(map(str.isdigit, text)) / len(text),
        text[0].islower(),
        text.endswith((".", "。")),
        text.endswith((":", "：")),
        text.endswith((",", ";", "-")),
        text.endswith(("?", "!")),
        bool(OPEN_END.search(text)),
        number[1].count(".") + 1 if number and number[1] else 0,
        bool(number and not number[1]),
        bool(PART.match(text)),
        marker_of(text) is not None,
        "@" in text or "://" in text or "www." in text,
        bool(DATE.search(text)),
        caption_kind(text) is not None,
        bare(text) in document.named,
        gap_above,
        gap_below,
        (gap_above + 0.1) / (max(0.0, gap_below) + 0.1),
        below is not None and below.region.kind == "plain text",
        min(60, below.num_words) if below else 0,
        below.style.size / style.size if below and style.size else 0.0,
        below is not None and below.style == style,
        above is not None and above.region.text.rstrip()[-1] not in ".!?:;”\"'",
        above is not None and above.style == style,
        above is not None and above.region.kind == "title",
        min(5, len(beside)),
        min(30.0, (box.x0 - left) / unit),
        abs(box.center[0] - sheet[0] / 2) / sheet[0],
        box.width / max(1.0, right - left),
        box.y0 / sheet[1],
        above is None,
        below is None,
        sum(other.style == style for other in beside),
    ]


def _few_bits(colour: int) -> int:
    """Two bits a channel."""
    return (colour >> 22 & 3) << 4 | (colour >> 14 & 3) << 2 | colour >> 6 & 3


def _contents(blocks: Sequence[Block]) -> Iterable[str]:
    """The bare titles that tables of contents list."""
    by_page: dict[int, list[str]] = {}
    for block in blocks:
        for line in block.region.text.split("\n"):
            entry = ENTRY.fullmatch(line.strip())
            if entry:
                by_page.setdefault(block.page, []).append(bare(entry[1]))
    for entries in by_page.values():
        if len(entries) >= MIN_ENTRIES:
            yield from entries


def _in_one_column(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.3 * min(a.width, b.width)


def _is_level(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.height, b.height)
