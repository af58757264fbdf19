"""What of an author's tags is doubtful: it looks like something else than it is tagged as, and is learnt by nobody.

Most authors of office documents set some headings as bold, large or coloured paragraphs, put text into tables to place
it, and use styles of headings and lists for what is neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from documents.page_tree import PageTree
from documents.segments.page_tokens import PageTokens
from documents.segments.roles import ROLES
from documents.tags.tagged_blocks import HEADINGS, AuthorTree
from documents.text.languages import is_caption
from training.structure.network.retyped import BOLD, MONOSPACED

UNKNOWN = -1
HALF = 0.5
ENDS = (".", ":", ";", "!", "?", ",", "。")
MAX_LINES = 2  # of a paragraph that may be a heading
MIN_HEADING_RATIO = 1.1  # times the type of the text
MAX_TEXT_RATIO = 1.05  # times it: no larger
MAX_PLAIN_WORDS = 12  # of a heading that is set as the text is
MAX_HEADING_WORDS = 30
MIN_CAPITALS = 4  # letters of a line in capitals
MIN_TORN, MAX_TORN = 3, 0.2  # paragraphs that go on in the next one: the author broke lines by paragraphs
MARKER = re.compile(r"^\s*(?:[^\w\s\"'“”‘’«»(\[<@#$€£/]|[o§]\s|[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)\]:])")
TEXT, LIST_ITEM, HEADING, TABLE = (ROLES.index(role) for role in ("text", "list_item", "heading", "table"))


@dataclass(frozen=True, slots=True)
class Look:
    """How a block is set, and what it says."""

    role: int
    text: str
    num_lines: int
    size: float
    bold: bool
    monospaced: bool
    colour: tuple[int, ...]
    x0: float

    @property
    def is_capital(self) -> bool:
        return self.text.isupper() and sum(letter.isalpha() for letter in self.text) >= MIN_CAPITALS


def sure_roles(
    roles: Sequence[int], blocks: Sequence[int | None], tree: AuthorTree, tokens: PageTokens
) -> list[int] | None:
    """The role of each segment, UNKNOWN where it is doubtful; None if the page's paragraphs are single lines."""
    looks = _looks(roles, blocks, tokens)
    if _is_torn(list(looks.values())):
        return None
    body = _body(list(looks.values()))
    marked = _marked_items(tree.page_tree)
    doubtful = {
        block
        for block, look in looks.items()
        if _is_doubtful(look, body, is_slide=tokens.width > tokens.height)
        or (look.role == LIST_ITEM and tree.blocks[block].node not in marked and not MARKER.match(look.text))
        or (look.role == TABLE and not _is_table(tree.page_tree, tree.blocks[block].node))
    }
    return [UNKNOWN if block in doubtful else role for role, block in zip(roles, blocks, strict=True)]


def _looks(roles: Sequence[int], blocks: Sequence[int | None], tokens: PageTokens) -> dict[int, Look]:
    members: dict[int, list[int]] = {}
    for segment, block in enumerate(blocks):
        if block is not None and roles[segment] != UNKNOWN:
            members.setdefault(block, []).append(segment)
    return {block: _look(segments, roles, tokens) for block, segments in members.items()}


def _look(segments: Sequence[int], roles: Sequence[int], tokens: PageTokens) -> Look:
    lettered = [k for k in segments if any(letter.isalnum() for letter in tokens.texts[k])] or list(segments)
    weights = np.array([max(1, len(tokens.texts[k])) for k in lettered])
    main = lettered[int(weights.argmax())]
    rows = {round(float(tokens.box[k, 1] + tokens.box[k, 3]) / max(4.0, float(tokens.size[k]))) for k in lettered}
    return Look(
        role=roles[segments[0]],
        text=" ".join(tokens.texts[k].strip() for k in segments),
        num_lines=len(rows),
        size=float(tokens.size[main]),
        bold=float(tokens.style[lettered, BOLD] @ weights / weights.sum()) > HALF,
        monospaced=float(tokens.style[main, MONOSPACED]) > HALF,
        colour=tuple(int(channel * 15 + HALF) for channel in tokens.colour[main]),
        x0=float(min(tokens.box[k, 0] for k in segments)),
    )


def _body(looks: Sequence[Look]) -> Look | None:
    """A block that is set as most of the text is."""
    letters: Counter[tuple[int, tuple[int, ...]]] = Counter()
    text = [look for look in looks if look.role == LIST_ITEM or (look.role == TEXT and look.num_lines > MAX_LINES)]
    text = text or [look for look in looks if look.role == TEXT]
    for look in text:
        letters[round(2 * look.size), look.colour] += len(look.text)
    if not text:
        return None
    usual = letters.most_common(1)[0][0]
    return next(look for look in text if (round(2 * look.size), look.colour) == usual)


def _is_doubtful(look: Look, body: Look | None, *, is_slide: bool) -> bool:
    if body is None:
        return look.role == HEADING and is_caption(look.text)
    is_larger = look.size > MIN_HEADING_RATIO * body.size
    if look.role == TEXT:
        stands_out = look.bold or is_larger or look.colour != body.colour or look.is_capital
        if MARKER.match(look.text) or look.monospaced or is_caption(look.text):
            return True
        stands_out |= is_slide and not look.text.rstrip().endswith(ENDS)
        return stands_out and (look.num_lines <= MAX_LINES or len(look.text.split()) <= MAX_PLAIN_WORDS)
    if look.role == LIST_ITEM:
        is_numbered = look.text.lstrip()[:1].isalnum()
        return is_numbered and look.num_lines <= MAX_LINES and (look.bold or (is_larger and not is_slide))
    if look.role == HEADING:
        num_words = len(look.text.split())
        plain = look.size <= MAX_TEXT_RATIO * body.size and not look.bold and look.colour == body.colour
        is_long = look.num_lines > MAX_LINES or num_words > MAX_PLAIN_WORDS
        is_other = is_caption(look.text) or not any(letter.isalpha() for letter in look.text)
        return is_other or num_words > MAX_HEADING_WORDS or (plain and not look.is_capital and is_long)
    return False


def _is_torn(looks: Sequence[Look]) -> bool:
    """Whether many a paragraph goes on in the next one."""
    text = [look for look in looks if look.role == TEXT]
    torn = sum(
        above.text.rstrip()[-1:].isalpha()
        and below.text.lstrip()[:1].islower()
        and abs(above.size - below.size) < HALF
        and abs(above.x0 - below.x0) < above.size
        for above, below in pairwise(text)
    )
    return torn >= MIN_TORN and torn > MAX_TORN * len(text)


def _marked_items(tree: PageTree) -> set[int]:
    """The nodes of list items that have a label of their own."""
    marked: set[int] = set()
    for node in tree.nodes:
        if node.role == "Lbl":
            above = node.parent
            while above >= 0 and tree.nodes[above].role != "LI":
                above = tree.nodes[above].parent
            marked.add(above)
    return marked


def _is_table(tree: PageTree, table: int) -> bool:
    """Whether it has rows and columns, and holds no heading: then it was not made to place text."""
    inside = {table}
    cells: Counter[int] = Counter()
    for index, node in enumerate(tree.nodes):
        if node.parent not in inside:
            continue
        if node.role in HEADINGS:
            return False
        inside.add(index)
        if node.role in ("TD", "TH"):
            cells[node.parent] += node.num_columns
    return len(cells) > 1 and max(cells.values()) > 1
