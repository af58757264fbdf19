"""Reads blocks, reading order and headings from a tagged PDF's structure tree, and decides which to trust.

A tree is only a claim. It counts as far as it agrees with what is seen: words that nobody sees are in no block, and a
tree that covers few words, or whose order or headings make no sense, is left aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.inspection import TextLine, Word
from documents.page_index import PageIndex
from documents.page_tree import PageTree
from documents.text.typography import set_words

HEADINGS = {"Title": 1, "H": 1} | {f"H{level}": level for level in range(1, 7)}
UNDIVIDED_ELEMENTS = ("Table", "Figure", "Formula")  # elements that contain no block but themselves
BLOCKS = frozenset(
    {"P", "LI", "Caption", "BlockQuote", "Note", "FENote", "TOCI", "Code", "BibEntry", *UNDIVIDED_ELEMENTS, *HEADINGS}
)
MAX_OVERHANG = 2.0  # maximum distance of a word's middle outside of its mark, in points: accents, raised figures
MAX_NEIGHBOURS = 64  # maximum number of marks at the height of one word that are compared with it


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How far a tree must agree with what is seen."""

    min_words: float = 0.8  # of the visible words, that stand in its blocks or are furniture at the page's edges
    max_headings: float = 0.4  # of the words in blocks, that stand in headings
    max_heading_words: int = 40  # of one heading
    max_block: float = 0.7  # of the words in blocks, that one paragraph holds: more, and a page was tagged as one
    max_cut_lines: float = 0.15  # of the lines, that stand in several paragraphs, or apart from their numbers
    max_reversed: float = 0.35  # of the pairs of regions, of which it reads the one last that is seen to come first
    min_downward: float = 0.9  # of the pairs of blocks one above the other, of which the tree lists the upper one first
    max_artifacts: float = 0.2  # of the visible words, that it says are furniture
    edge: float = 0.13  # of the page's height, at top and bottom, where it may say so


class TreeBlock(NamedTuple):
    """One heading, paragraph, item of a list, table or figure of the tree, by the node that makes it one."""

    node: int
    role: str
    alt: str
    pictures: tuple[BoundingBox, ...]

    @property
    def level(self) -> int | None:
        """Of a heading."""
        return HEADINGS.get(self.role)


class AuthorTree:
    """The blocks of one page in the order of the tree, and the block of each word by where it stands."""

    def __init__(self, tree: PageTree, sheet: BoundingBox) -> None:
        self.page_tree = tree
        self._sheet = sheet
        self._homes: list[int] = []
        for node in tree.nodes:
            self._homes.append(self._home(len(self._homes), node.role, node.parent))
        numbers: dict[int, int] = {}
        pictures: dict[int, list[BoundingBox]] = {}
        self._places: list[tuple[int, int, BoundingBox]] = []  # block, node and box of each line of marked content
        for content in tree.contents:
            if not 0 <= content.node < len(self._homes):
                continue
            number = numbers.setdefault(self._homes[content.node], len(numbers))
            pictures.setdefault(number, []).extend(content.pictures)
            self._places += ((number, content.node, box) for box in content.lines)
        self.blocks = tuple(
            TreeBlock(node, self._role(node), tree.nodes[node].alt, tuple(pictures[number]))
            for node, number in numbers.items()
        )
        self._index = PageIndex(box for _, _, box in self._places)
        self._artifacts = PageIndex(tree.artifacts)

    def block_of(self, word: BoundingBox) -> int | None:
        """The number of the block that a word stands in."""
        place = self._place(word)
        return None if place is None else self._places[place][0]

    def node_of(self, word: BoundingBox) -> int | None:
        """The node whose mark encloses a word."""
        place = self._place(word)
        return None if place is None else self._places[place][1]

    def is_furniture(self, word: BoundingBox, limits: TreeLimits) -> bool:
        """Whether it is said to be no part of the text, and stands where such words do."""
        middle = (word.center[1] - self._sheet.y0) / max(1.0, self._sheet.height)
        if limits.edge < middle < 1 - limits.edge:
            return False
        near = self._artifacts.level_with(word.y0, word.y1, MAX_NEIGHBOURS)
        return any(_holds(self.page_tree.artifacts[k], word) for k in near)

    def ancestors(self, node: int) -> list[int]:
        """The node itself and those above it, the root last."""
        nodes: list[int] = []
        while node >= 0:
            nodes.append(node)
            parent = self.page_tree.nodes[node].parent
            node = parent if parent < node else -1
        return nodes

    def _home(self, at: int, role: str, parent: int) -> int:
        """The node that makes the block of what stands in node `at`: itself, or one above that is a block."""
        above = self._homes[parent] if 0 <= parent < at else at
        outer = self.page_tree.nodes[above].role
        if above == at or outer not in BLOCKS:
            return at
        if outer in UNDIVIDED_ELEMENTS:
            return at if role == "Caption" else above
        inside = role not in BLOCKS or (role in ("P", "BlockQuote") and outer != "P")
        return above if inside else at

    def _role(self, node: int) -> str:
        role = self.page_tree.nodes[node].role
        return role if role in BLOCKS else "P"

    def _place(self, word: BoundingBox) -> int | None:
        """The smallest line of marked content that holds the middle of a word."""
        near = self._index.level_with(word.y0 - MAX_OVERHANG, word.y1 + MAX_OVERHANG, MAX_NEIGHBOURS)
        own = [k for k in near if _holds(self._places[k][2], word)]
        return min(own, key=lambda k: (self._places[k][2].area, k), default=None)


def cut_line(line: TextLine, tree: AuthorTree) -> list[TextLine]:
    """The line; one that stands in several blocks cut between them."""
    runs = _runs(line.words, tree)
    return [line] if len(runs) < 2 else [_part(line, run) for run in runs]


def _runs(words: Sequence[Word], tree: AuthorTree) -> list[list[Word]]:
    """Words that follow one another in one block; a word in none goes with the one before."""
    runs: list[list[Word]] = []
    last: int | None = None
    for word in words:
        block = tree.block_of(word.box)
        if runs and (block is None or last is None or block == last):
            runs[-1].append(word)
        else:
            runs.append([word])
        last = block if block is not None else last
    return runs


def _part(line: TextLine, words: Sequence[Word]) -> TextLine:
    """Some of the words of a line as a line."""
    main = max(words, key=lambda word: len(word.text))
    bold = sum(len(word.text) for word in words if word.bold)
    box = BoundingBox.around([word.box for word in words])
    return line.model_copy(
        update={
            "text": set_words(words),
            "box": box,
            "font_size": main.font_size,
            "bold": 2 * bold > sum(len(word.text) for word in words),
            "fonts": tuple(dict.fromkeys(word.font for word in words if word.font)) or line.fonts,
            "words": tuple(words),
            "glyphs": tuple(glyph for glyph in line.glyphs if box.x0 <= glyph.box.center[0] <= box.x1),
        }
    )


def _holds(box: BoundingBox, word: BoundingBox) -> bool:
    x, y = word.center
    return box.x0 - MAX_OVERHANG <= x <= box.x1 + MAX_OVERHANG and box.y0 - MAX_OVERHANG <= y <= box.y1 + MAX_OVERHANG
