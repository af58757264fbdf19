"""What a document says of the styles that its texts are set in, in numbers for the judge of headings."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.document.text_styles import bare, type_size
from documents.draft.page_draft import TAG_ORIGIN
from documents.region_values import Region, TextRegion, TitleRegion
from documents.segments.page_tokens import COLOUR_BITS
from documents.text.word_count import num_words
from documents.values import OutlineItem, Page

MAX_HEADING_WORDS = 40  # maximum number of words of a heading
MAX_LOGIT = 6.0
OCR_SIZE_STEP = 0.15  # type sizes of one style differ by this share if OCR measured them
FILE_SIZE_STEP = 0.03  # type sizes of one style differ by this share if the file states them
NUMBERED_HEADING = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){0,4})[.):]?\s+\S|([A-Z]|[IVX]{1,5})[.):]\s+\S|\D{3,12}\s(\d{1,2})\b"
)
FEATURES = (
    "network", "is_title", "style_network", "style_blocks", "style_letters", "size", "smaller", "bold", "colour",
    "capitals", "words", "sentence", "colon", "small_letter", "comes_back", "named", "not_named", "decimal", "lettered",
    "goes_on", "pages", "style_titles", "style_named", "lines",
)  # fmt: skip


class Style(NamedTuple):
    """What the most of a text is set in; `size` counts steps of a few hundredths."""

    size: int
    bold: bool
    colour: int
    capitals: bool


@dataclass(frozen=True, slots=True)
class StyledText:
    """A region of words, its place, and its style."""

    page: int  # its index among the pages
    index: int  # of the region in its page
    region: Region
    style: Style
    size: float  # points
    name: str  # the bare letters of its words

    @property
    def may_be_heading(self) -> bool:
        """Whether the judge decides of it: not where the author has, nor of what OCR read, whose type is unknown."""
        region = self.region
        if region.heading is None or not region.spans or region.text_source == "ocr" or region.origin == TAG_ORIGIN:
            return False
        if isinstance(region, TextRegion) and (region.code or region.note is not None or len(region.items) > 1):
            return False
        return num_words(region.text) <= MAX_HEADING_WORDS and sum(map(str.isalnum, region.text)) > 1

    @property
    def logit(self) -> float:
        """How likely its page shows it as a heading."""
        if self.region.heading is None:
            return MAX_LOGIT if self.region.kind == "title" else -MAX_LOGIT
        odds = (self.region.heading + 1e-6) / (1 - self.region.heading + 1e-6)
        return max(-MAX_LOGIT, min(MAX_LOGIT, math.log(odds)))


def styled_texts(pages: Sequence[Page]) -> list[StyledText]:
    """All titles, and texts with words, in the order of the document."""
    return [
        _styled(place, index, region)
        for place, page in enumerate(pages)
        for index, region in enumerate(page.regions)
        if isinstance(region, TitleRegion) or (isinstance(region, TextRegion) and region.text.strip())
    ]


def _styled(place: int, index: int, region: Region) -> StyledText:
    size = max(1.0, type_size(region))
    typed = any(span.font_size is not None for span in region.spans)
    letters = [letter for letter in region.text if letter.isalpha()]
    lengths: Counter[tuple[bool, int]] = Counter()
    for span in region.spans:
        lengths[span.bold, (span.colour or 0) & COLOUR_BITS] += len(span.text)
    bold, colour = max(lengths, key=lambda kind: lengths[kind], default=(False, 0))
    style = Style(
        size=round(math.log(size) / (FILE_SIZE_STEP if typed else OCR_SIZE_STEP)),
        bold=bold,
        colour=colour,
        capitals=bool(letters)
        and all(map(str.isupper, letters))
        and any(letter.islower() != letter.isupper() for letter in letters),
    )
    return StyledText(page=place, index=index, region=region, style=style, size=size, name=bare(region.text))


@dataclass(slots=True)
class _StyleCounts:
    """Sums over all texts of one style."""

    blocks: int = 0
    letters: int = 0
    logits: float = 0.0
    titles: int = 0
    named: int = 0  # by the outline


class DocumentStyles:
    """All texts of a document, counted by style."""

    def __init__(self, texts: Sequence[StyledText], outline: Sequence[OutlineItem], num_pages: int) -> None:
        self._num_pages = num_pages
        self._named = {bare(item.title) for item in outline} - {""}
        self._counts: defaultdict[Style, _StyleCounts] = defaultdict(_StyleCounts)
        self._words = Counter(text.name for text in texts)
        titles = named = 0
        for text in texts:
            counts = self._counts[text.style]
            counts.blocks += 1
            counts.letters += len(text.region.text)
            counts.logits += text.logit
            is_title, is_named = text.region.kind == "title", text.name in self._named
            counts.titles += is_title
            counts.named += is_named
            titles += is_title
            named += is_title and is_named
        self._coverage = named / max(1, titles)  # how much of what looks like a heading the outline names
        self._letters = max(1, sum(counts.letters for counts in self._counts.values()))
        self.body = max(self._counts, key=lambda style: self._counts[style].letters, default=None)
        sizes = [text.size for text in texts if text.style == self.body]
        self._body_size = sizes[0] if sizes else 10.0

    def features(self, texts: Sequence[StyledText]) -> Iterator[list[float]]:
        """The values of `FEATURES` of each text, which come in the order of the document."""
        numbers: defaultdict[Style, set[tuple[int, ...]]] = defaultdict(set)  # before a text, in its style
        for text in texts:
            before = numbers[text.style]
            match = NUMBERED_HEADING.match(text.region.text)
            number = decimal_parts(match[1]) if match and match[1] else ()
            goes_on = bool(number) and ((*number[:-1], number[-1] - 1) in before or number[:-1] in before)
            yield self._features(text, number, goes_on=goes_on, is_lettered=match is not None and not number)
            if number:
                before.add(number)

    def _features(self, text: StyledText, number: tuple[int, ...], *, goes_on: bool, is_lettered: bool) -> list[float]:
        counts = self._counts[text.style]
        words, style, body = text.region.text.strip() or "-", text.style, self.body or text.style
        others = counts.blocks - 1
        ratio = math.log(text.size / self._body_size)
        named = text.name in self._named
        is_title = text.region.kind == "title"
        return [
            text.logit,
            is_title,
            (counts.logits - text.logit) / (others + 1),
            math.log1p(others),
            counts.letters / self._letters,
            max(0.0, min(1.0, ratio)),
            max(0.0, min(1.0, -ratio)),
            style.bold - body.bold,
            style.colour != body.colour,
            style.capitals,
            math.log1p(num_words(words)),
            words[-1] in ".。;,",
            words[-1] in ":：",
            words[0].islower(),
            math.log1p(min(20, self._words[text.name] - 1)),
            named,
            0.0 if named else self._coverage,
            min(4, len(number)),
            is_lettered,
            goes_on,
            min(4.0, math.log(self._num_pages)),
            (counts.titles - is_title) / (others + 1),
            (counts.named - named) / (others + 1),
            min(6, len(text.region.spans)),
        ]


def decimal_parts(number: str) -> tuple[int, ...]:
    """The parts of a decimal number; "1.0" stands beside "2.0" and is "1"."""
    parts = [int(part) for part in number.split(".")]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)


def outline_levels(
    texts: Sequence[StyledText], outline: Sequence[OutlineItem], numbers: Sequence[int]
) -> list[int | None]:
    """Of each text, the level of the outline's entry that names it, if there is one; `numbers` are the pages'.

    An entry has the same words and number, or no number on one side; of several, the nearest. "Step 1" is not "Step 9",
    and the last chapter's "Exercises" are not the first one's.
    """
    places: defaultdict[tuple[str, str | None], list[tuple[int, int]]] = defaultdict(list)  # page, level
    for item in outline:
        name, number = bare(item.title), _digits(item.title)
        for key in {(name, number), (name, None)} if name else ():
            places[key].append((item.page or -1, item.level))
    for entries in places.values():
        entries.sort()
    levels: list[int | None] = []
    for text in texts:
        number = _digits(text.region.text)
        entries = places.get((text.name, number)) or places.get((text.name, "" if number else None), [])
        levels.append(_nearest(entries, numbers[text.page]))
    return levels


def _nearest(entries: Sequence[tuple[int, int]], page: int) -> int | None:
    """The level of the entry whose page is nearest; of an entry without a page, where no other has one."""
    index = bisect_left(entries, (page, 0))
    near = entries[max(0, index - 1) : index + 1]
    _, level = min(((abs(own - page) if own > 0 else math.inf, level) for own, level in near), default=(0, None))
    return level


def _digits(text: str) -> str:
    return ".".join(re.findall(r"\d+", text))
