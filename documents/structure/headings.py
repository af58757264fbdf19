"""Decides which short texts of a document are headings, by how the whole document sets its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from documents.structure.heading_features import NAMES, NUMBER, PART, features, may_be_heading
from documents.structure.heading_trees import HeadingTrees
from documents.structure.page_draft import TAGGED
from documents.structure.text_styles import Block, DocumentType, PageContext, Style, bare, blocks_of
from documents.text.languages import DATE
from documents.text.list_markers import KEY, Lead, list_items, marker_of
from documents.values import CaptionRegion, ListItem, OutlineItem, Page, Region, Span, as_kind

LIKELY = 0.2  # how likely a heading must be: F1 is level from 0.2 to 0.4 in documents that were not learnt from
POSSIBLE = 0.1  # and one that the network is sure of
SURE = 0.5  # the network's score
CERTAIN = 0.85  # the network's score of a title that stays one
MIN_LETTERS = 500  # of a document: fewer do not show how it sets its text
SEEN = 0.2  # the network's score of a title, from which on a section's number before it decides
MAX_WORDS = 15  # of such a title
MIN_SENTENCES = 3  # numbered alike: then what else is numbered so, in their type, is no heading
MIN_DEPTH = 2  # of such numbers
MIN_SENTENCE = 6  # words of a numbered sentence
LARGER = 1.04  # times the type of the text
OWN_TYPE = 1.15  # times the type of the text: what is set so, and was mostly taken for titles, is headings alone
TITLE_SHARE = 0.7  # of the texts in such type, those that the network takes for titles
MIN_TITLES = 3  # texts in such type
LARGE = 1.5  # times the type of the text: one title in it needs no others
MIN_ENTRIES = 3  # of a table of contents, on one page
ITEM = re.compile(r"(\d{1,2})\.\s")  # one number and a full stop: of a section, or of a list's item
SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_]")  # a number of two parts or more, and a word
SENTENCE_END = re.compile(r"[.;](?:\s*\([^()]{1,20}\))?\Z")  # perhaps with a reference behind it
INITIALS = re.compile(r"[A-Z]\.\s+[A-Z]\.")  # of a name, or of a country's
MAX_ENTRY_END = 80  # characters of it
ENTRY_END = re.compile(r"(?:[.…·_]{3,}|…|(?:[.…·]\s){3,})\s*(?:\d{1,4}|[ivxl]{1,6})\s*\Z")  # dots and number


def with_headings(pages: Sequence[Page], outline: Sequence[OutlineItem], trees: HeadingTrees) -> list[Page]:
    """The pages, each short text of the text layer a title or plain text; what its author tagged stays."""
    if sum(len(region.text) for page in pages for region in page.regions) < MIN_LETTERS:
        return list(pages)
    pages = [_without_lone_captions(page) for page in pages]
    blocks = blocks_of(pages)
    document = DocumentType(blocks, outline)
    short, rows = _candidates(pages, blocks, document)
    judge = HeadingJudge(short, document)
    likely = trees.probabilities(rows)
    kinds = {(block.page, block.place): judge.is_heading(block, p) for block, p in zip(short, likely, strict=True)}
    for block in _items_beside_items(blocks, kinds):
        kinds[block.page, block.place] = False
    return [
        page.model_copy(
            update={
                "regions": tuple(
                    _settled(region, kinds.get((number, place))) for place, region in enumerate(page.regions)
                )
            }
        )
        for number, page in enumerate(pages)
    ]


def candidates(pages: Sequence[Page], outline: Sequence[OutlineItem]) -> tuple[list[Block], np.ndarray]:
    """The texts that may be headings, and their features, float (texts, NAMES)."""
    blocks = blocks_of(pages)
    return _candidates(pages, blocks, DocumentType(blocks, outline))


def _candidates(
    pages: Sequence[Page], blocks: Sequence[Block], document: DocumentType
) -> tuple[list[Block], np.ndarray]:
    by_page: dict[int, list[Block]] = {}
    for block in blocks:
        by_page.setdefault(block.page, []).append(block)
    blocks_found: list[Block] = []
    rows: list[list[float]] = []
    for number, own in by_page.items():
        context = PageContext(pages[number], own)
        for block in own:
            if may_be_heading(block.region) and _may_change(block.region):
                blocks_found.append(block)
                rows.append(features(block, context, document))
    return blocks_found, np.array(rows, float).reshape(len(blocks_found), len(NAMES))


def _ends_as_entry(text: str) -> bool:
    """Looks at the end alone: the pattern takes the square of the time that a long row of dots is long."""
    return ENTRY_END.search(text.rstrip()[-MAX_ENTRY_END:]) is not None


class HeadingJudge:
    """Decides by the trees' probabilities, except where section numbers, dotted entries or large type decide."""

    def __init__(self, blocks: Sequence[Block], document: DocumentType) -> None:
        self._document = document
        self._body = document.body
        entries = Counter(block.page for block in blocks if _ends_as_entry(block.region.text))
        self._contents = {page for page, count in entries.items() if count >= MIN_ENTRIES}
        rules = [(_depth(block), self._is_numbered_sentence(block), block.style) for block in blocks]
        self._sentences = Counter((style, depth) for depth, yes, style in rules if yes)
        self._numbered = Counter((style, depth) for depth, _, style in rules)

    def is_heading(self, block: Block, likely: float) -> bool:
        """A text becomes a heading only if it is neither an item with a bullet nor a date."""
        region = block.region
        text = region.text.strip()
        if block.page in self._contents and _ends_as_entry(text):
            return False
        if KEY.fullmatch(text) or self._is_lead_in(block) or self._is_numbered_text(block):
            return False
        if self._is_in_own_type(block):
            return True
        if region.kind == "title":
            score = 0.0 if "kinds" in region.rules else region.score  # then the network took it for something else
            enough = POSSIBLE if score >= SURE else LIKELY
            is_large = score >= SURE and block.style.size >= LARGE * self._body.size
            return is_large or score >= CERTAIN or likely >= enough or self._is_section(block)
        is_bullet = marker_of(region.text) is not None and NUMBER.match(region.text) is None
        return likely >= LIKELY and not is_bullet and not DATE.search(region.text)

    def _is_in_own_type(self, block: Block) -> bool:
        """Whether a text is set larger than the rest, in type that has hardly another use than titles."""
        text, style, document = block.region.text.strip(), block.style, self._document
        if style.size < OWN_TYPE * self._body.size or document.title_share(style) < TITLE_SHARE:
            return False
        if (
            document.num_blocks(style) < MIN_TITLES
            or block.num_words > MAX_WORDS
            or text.endswith((".", ":", ";", ","))
        ):
            return False
        if _is_date(text):
            return False
        return NUMBER.match(text) is not None or (marker_of(text) is None and not DATE.search(text))

    def _is_section(self, block: Block) -> bool:
        """Whether what the network takes for a title has a section's number, and type or depth to match."""
        text, style = block.region.text.strip(), block.style
        if block.region.score < SEEN or block.num_words > MAX_WORDS or text.endswith((".", ":", ";", ",")):
            return False
        number = None if _is_date(text) else NUMBER.match(text)
        if number is None or INITIALS.match(text):
            return PART.match(text) is not None and self._stands_out(style)
        if ITEM.match(text):
            return style.size > LARGER * self._body.size
        return self._stands_out(style) or "." in (number[1] or "")

    def _is_lead_in(self, block: Block) -> bool:
        """Whether a text without a number ends with a colon, in the type of the text: what follows is its end."""
        text, document = block.region.text.strip(), self._document
        is_open = text.endswith((":", "：")) and NUMBER.match(text) is None
        return is_open and not self._stands_out(block.style) and bare(text) not in document.named

    def _is_numbered_text(self, block: Block) -> bool:
        """Whether a text has a section's number and is a sentence, or is numbered as deep as a document's sentences."""
        if self._is_numbered_sentence(block):
            return True
        kind = block.style, _depth(block)
        if kind[1] < MIN_DEPTH or self._stands_out(block.style):
            return False
        return self._sentences[kind] >= MIN_SENTENCES and 2 * self._sentences[kind] > self._numbered[kind]

    def _is_numbered_sentence(self, block: Block) -> bool:
        """Whether a text with a section's number is set as the text is, and reads on: a rule, a step, a requirement."""
        text = block.region.text.strip()
        if NUMBER.match(text) is None or self._stands_out(block.style):
            return False
        return block.num_words > MAX_WORDS or (
            block.num_words >= MIN_SENTENCE and SENTENCE_END.search(text) is not None
        )

    def _stands_out(self, style: Style) -> bool:
        return (
            style.size > LARGER * self._body.size
            or (style.bold and not self._body.bold)
            or style.colour != self._body.colour
        )


def _depth(block: Block) -> int:
    """How many parts a section's number before a text has; 0 without one, or with letters."""
    number = NUMBER.match(block.region.text.strip())
    return number[1].count(".") + 1 if number is not None and number[1] else 0


def _without_lone_captions(page: Page) -> Page:
    """The page, sections' titles that were taken for captions, and items of lists if they describe nothing, as text."""
    regions = tuple(
        as_kind(region, "plain text", rules=(*region.rules, "headings"), items=items_of(region))
        if isinstance(region, CaptionRegion) and _may_change(region) and _is_no_caption(region)
        else region
        for region in page.regions
    )
    return page.model_copy(update={"regions": regions})


def _is_no_caption(region: CaptionRegion) -> bool:
    """Whether it begins as a section or an item does; letters are more often names of a figure's parts."""
    if SECTION.match(region.text):
        return True
    marker = marker_of(region.text)
    return region.describes is None and marker is not None and not any(map(str.isalpha, marker))


def _is_date(text: str) -> bool:
    """Whether a text is a date alone, whose day is no section's number; `1. Census 2020` may be a section's title."""
    return DATE.fullmatch(text) is not None and ITEM.match(text) is None


def _may_change(region: Region) -> bool:
    return region.text_source != "ocr" and region.origin != TAGGED


def _items_beside_items(blocks: Sequence[Block], is_heading: Mapping[tuple[int, int], bool]) -> list[Block]:
    """Headings whose number comes right before or after that of an item in the same type: they are items, too."""
    items: list[Block] = []
    for before, after in pairwise(blocks):
        first, second = ITEM.match(before.region.text), ITEM.match(after.region.text)
        if first is None or second is None or before.style != after.style or int(second[1]) != int(first[1]) + 1:
            continue
        verdicts = [is_heading.get((block.page, block.place), False) for block in (before, after)]
        if verdicts[0] != verdicts[1]:
            items.append(before if verdicts[0] else after)
    return items


def _settled(region: Region, is_heading: bool | None) -> Region:
    if is_heading is None or is_heading == (region.kind == "title"):
        return region
    rules = (*region.rules, "headings")
    if is_heading:
        return as_kind(region, "title", rules=rules)
    return as_kind(region, "plain text", rules=rules, items=items_of(region))


def items_of(region: Region) -> tuple[ListItem, ...]:
    """The items of a text that was taken for a title before; a mark stands where a printed line begins."""
    numbers = {span.text_start: k for k, span in enumerate(region.spans)}
    lines: list[tuple[str, Lead | None]] = []
    start = 0
    for line in region.text.split("\n"):
        number = numbers.get(start)
        lines.append((line, None if number is None else _lead(line, region.spans[number : number + 2])))
        start += len(line) + 1
    return tuple(list_items(lines, region.box))


def _lead(line: str, spans: Sequence[Span]) -> Lead:
    """The first word of a line, which begins with a printed line or is one, and the room after it."""
    word, first = line.split(" ", 1)[0], spans[0]
    if word == first.text.strip() and len(spans) > 1:
        return Lead(first.box, spans[1].box.x0 - first.box.x1)
    end = first.box.x0 + first.box.width * min(1.0, len(word) / max(1, len(first.text)))
    return Lead(first.box.model_copy(update={"x1": end}), 0.0)
