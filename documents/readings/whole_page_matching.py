"""Matches each block of a whole-page reading with a region of the page, by place, words or order.

Every block is of one region at most; a block of none is absent.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageBlock
from documents.order.xy_cut import reading_order
from documents.region_values import RegionKind

WORD = re.compile(r"\w+")
LINE_END_HYPHEN = re.compile(r"(?<=\w)[-\u00ad]\n(?=\w)")
TAGS = re.compile(r"<[^>]*>")
OMITTED_KINDS: frozenset[RegionKind] = frozenset({"abandon", "figure"})
"""Kinds that models of whole pages are taught to leave out."""


@dataclass(frozen=True, slots=True)
class PageMatching:
    """How much alike a block and its region are at least."""

    inside: float = 0.5  # of a block's box, that lies in the region
    words: float = 0.7  # of a block's words, that the text layer has there
    few_words: int = 4  # a block of fewer must be much of what the text layer has there
    min_printed: float = 0.5  # of what it has there
    max_log_ratio: float = 1.4  # between the letters of blocks and those that are printed: a factor of four
    other_kind: float = 0.8  # cost of a table read as text, on the same scale
    other_style: float = 0.2  # cost of a heading read as text
    omitted: float = 0.1  # cost of a region without a block, where models leave them out
    more: float = 0.1  # cost of one more block of a region, or region of a block
    max_blocks: int = 8  # of one region
    max_regions: int = 3  # over which one block goes on
    more_letters: float = 10.0  # added to both before they are compared: of short ones a letter more says little
    min_scale: float = 0.5  # letters of the reading per letter that is expected of the print, on the whole page
    max_scale: float = 2.0
    letter_width: float = 0.55  # in heights of its line
    letter_area: float = 75.0  # square points of a letter of body text, with its share of the leading
    line_inside: float = 0.5  # of a printed line's area, that lies in its region


def match_blocks(
    blocks: Sequence[PageBlock],
    drafts: Sequence[RegionDraft],
    lines: Sequence[BoundingBox],
    page: BoundingBox,
    limits: PageMatching,
) -> dict[int, int]:
    """The index of its draft for each block that has one, by the block's number.

    `lines` are the printed ones, as far as they are known; the blocks' boxes are in shares of `page`.
    """
    homes: dict[int, int] = {}
    for number, block in enumerate(blocks):
        if block.box is not None:
            box = block.box.scaled(page.width, page.height).shifted(page.x0, page.y0)
            draft = _by_place(block, box, drafts, limits)
            if draft is not None:
                homes[number] = draft.index
    unplaced = {number: block for number, block in enumerate(blocks) if block.box is None}
    by_words, doubtful = _by_words(unplaced, drafts, limits)
    homes |= by_words
    for numbers in (unplaced.keys() - by_words.keys() - doubtful.keys(), doubtful.keys() - by_words.keys()):
        used_drafts = set(homes.values())
        free = [draft for draft in drafts if draft.text_source == "ocr" and draft.index not in used_drafts]
        free = [free[k] for k in reading_order([draft.box for draft in free])]
        left = sorted(numbers)
        num_letters = [_num_letters(draft, lines, limits) for draft in free]
        turns = _by_turn([blocks[number] for number in left], free, num_letters, limits)
        homes |= {left[turn]: free[place].index for turn, place in turns.items()}
    return doubtful | homes


def _by_place(
    block: PageBlock, box: BoundingBox, drafts: Sequence[RegionDraft], limits: PageMatching
) -> RegionDraft | None:
    """The region that holds the block, of several one of its kind; or else the largest that the block covers.

    A region with a sound layer holds no block that also covers one without, nor one of other words than its own.
    """
    drafts = [draft for draft in drafts if draft.text_source == "ocr" or draft.lines]
    shares = {draft.index: box.share_inside(draft.box) for draft in drafts}
    holders = [draft for draft in drafts if shares[draft.index] >= limits.inside]
    if not holders:
        holders = [draft for draft in drafts if draft.box.share_inside(box) >= limits.inside]
        return max(holders, key=lambda draft: draft.box.area, default=None)
    home = max(holders, key=lambda draft: (_class(draft.kind) == _class(block.kind), shares[draft.index]))
    if home.text_source == "ocr":
        return home
    unread = [draft for draft in drafts if draft.text_source == "ocr" and draft.box.share_inside(box) >= limits.inside]
    if unread:
        return max(unread, key=lambda draft: draft.box.area)
    words = _words(block.text)
    same = (words & _words("\n".join(line.text for line in home.lines))).total()
    is_formula = block.kind == home.kind == "isolate_formula"  # in LaTeX its words are others
    return home if is_formula or same >= limits.words * words.total() else None


def _by_words(
    blocks: Mapping[int, PageBlock], drafts: Sequence[RegionDraft], limits: PageMatching
) -> tuple[dict[int, int], dict[int, int]]:
    """The regions whose text layers say what the blocks say, by the blocks' numbers: certain ones, and doubtful ones.

    A word of a layer is that of one block. A doubtful home has a sound layer that lacks a word of the block, which may
    be misread, or be of another region: it is the block's only if no region without a layer is.
    """
    printed = {
        draft.index: _words("\n".join(line.text for line in draft.lines or draft.layer_lines)) for draft in drafts
    }
    remaining = {index: words.copy() for index, words in printed.items()}
    homes: dict[int, int] = {}
    doubtful: dict[int, int] = {}
    for least in (1.0, limits.words):  # those that a layer has word for word come first
        for number, block in blocks.items():
            words = _words(block.text)
            if number in homes or not words:
                continue
            best: tuple[float, float] = (0.0, 0.0)
            home: RegionDraft | None = None
            for draft in drafts:
                common = (words & remaining[draft.index]).total()
                if not common:
                    continue
                score = common / words.total(), common / printed[draft.index].total()
                if (
                    score[0] >= least
                    and score > best
                    and (words.total() >= limits.few_words or score[1] >= limits.min_printed)
                ):
                    best, home = score, draft
            if home is not None:
                remaining[home.index] -= words
                is_certain = best[0] == 1 or home.text_source == "ocr"
                (homes if is_certain else doubtful)[number] = home.index
    return homes, doubtful


def _by_turn(
    blocks: Sequence[PageBlock], drafts: Sequence[RegionDraft], num_letters: Sequence[float], limits: PageMatching
) -> dict[int, int]:
    """Places of drafts by places of blocks, both as they are read: the cheapest way to pair them in their order.

    As sentences of translations are aligned (Gale and Church, 1993): by their lengths. A block, or a draft, that is
    too unlike all that it could be paired with stays alone.
    """
    lengths = [len(TAGS.sub(" ", block.text)) for block in blocks]
    scale = min(limits.max_scale, max(limits.min_scale, sum(lengths) / max(1.0, sum(num_letters))))
    alone = limits.max_log_ratio / 2
    costs: dict[tuple[int, int], float] = {(0, 0): 0.0}
    before: dict[tuple[int, int], tuple[int, int]] = {}
    for place in range(len(drafts) + 1):
        for turn in range(len(blocks) + 1):
            cost = costs[place, turn]
            steps: dict[tuple[int, int], float] = {(place, turn + 1): alone}
            if place < len(drafts):
                steps[place + 1, turn] = limits.omitted if drafts[place].kind in OMITTED_KINDS else alone
                expected = scale * num_letters[place]
                for end in range(turn + 1, min(turn + limits.max_blocks, len(blocks)) + 1):
                    steps[place + 1, end] = _cost(
                        blocks[turn:end], [drafts[place]], lengths[turn:end], expected, limits
                    )
                for end in range(place + 2, min(place + limits.max_regions, len(drafts)) + 1):
                    some, expected = drafts[place:end], scale * sum(num_letters[place:end])
                    steps[end, turn + 1] = _cost(
                        blocks[turn : turn + 1], some, lengths[turn : turn + 1], expected, limits
                    )
            for step, more in steps.items():
                if step[1] <= len(blocks) and cost + more < costs.get(step, math.inf):
                    costs[step], before[step] = cost + more, (place, turn)
    return _pairs(before, (len(drafts), len(blocks)), num_letters)


def _pairs(
    before: Mapping[tuple[int, int], tuple[int, int]], end: tuple[int, int], num_letters: Sequence[float]
) -> dict[int, int]:
    """What the cheapest way pairs; of several drafts the one with most letters has the block."""
    pairs: dict[int, int] = {}
    while end in before:
        start = before[end]
        if end[0] > start[0]:
            home = max(range(start[0], end[0]), key=lambda place: num_letters[place])
            pairs |= dict.fromkeys(range(start[1], end[1]), home)
        end = start
    return pairs


def _cost(
    blocks: Sequence[PageBlock],
    drafts: Sequence[RegionDraft],
    lengths: Sequence[int],
    expected: float,
    limits: PageMatching,
) -> float:
    ratio = abs(math.log((sum(lengths) + limits.more_letters) / (expected + limits.more_letters)))
    if ratio > limits.max_log_ratio or len({draft.kind for draft in drafts}) > 1:
        return math.inf
    kind = drafts[0].kind
    kinds = [_kind_cost(block.kind, kind, limits) for block in blocks]
    return ratio + sum(kinds) + limits.more * (len(blocks) * len(drafts) - 1)


def _kind_cost(block: RegionKind, draft: RegionKind, limits: PageMatching) -> float:
    if _class(block) != _class(draft):
        return limits.other_kind
    return limits.other_style if (block == "title") != (draft == "title") else 0.0


def _num_letters(draft: RegionDraft, lines: Sequence[BoundingBox], limits: PageMatching) -> float:
    """How many are printed in a region, by its lines, or else by its size."""
    own = [line for line in lines if line.share_inside(draft.box) >= limits.line_inside]
    if own:
        return sum(line.width / max(1.0, limits.letter_width * line.height) for line in own)
    return draft.box.area / limits.letter_area


def _class(kind: RegionKind) -> str:
    """Headings, notes and captions are text to a model."""
    return kind if kind in ("table", "figure", "isolate_formula") else "text"


def _words(text: str) -> Counter[str]:
    return Counter(WORD.findall(LINE_END_HYPHEN.sub("", TAGS.sub(" ", text)).casefold()))
