"""Decides how far a PDF's tags (its structure tree) agree with what is seen of a page: only so far are they used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.inspection import Inspection, TextLine
from documents.page_index import PageIndex
from documents.tags.tagged_blocks import AuthorTree, TreeLimits

MAX_BLOCKS_BELOW = 48  # maximum number of blocks below one with whose order it is compared
MAX_DISTANCE = 300.0  # maximum distance of those blocks, in points


@dataclass(frozen=True, slots=True)
class Agreement:
    """A tree that covers what is seen; what it says of headings, order and furniture may still be left aside."""

    tree: AuthorTree
    headings: bool
    order: bool
    furniture: bool


def agreement(inspection: Inspection, limits: TreeLimits) -> Agreement | None:
    """None where there is no tree, it covers too few of the visible words, or it tells no two things apart."""
    if inspection.tree is None:
        return None
    tree = AuthorTree(inspection.tree, inspection.box)
    boxes: dict[int, BoundingBox] = {}
    num_words: dict[int, int] = {}
    total = artifacts = num_cut = 0
    lines = visible_lines(inspection)
    for line in lines:
        own: set[int] = set()
        for word in line.words:
            total += 1
            block = tree.block_of(word.box)
            if block is None:
                artifacts += tree.is_furniture(word.box, limits)
            else:
                num_words[block] = num_words.get(block, 0) + 1
                boxes[block] = boxes[block].union(word.box) if block in boxes else word.box
                own.add(block)
        num_cut += len(own) > 1
    in_blocks = sum(num_words.values())
    if not in_blocks or in_blocks + artifacts < limits.min_words * total:
        return None
    in_paragraphs = [count for block, count in num_words.items() if tree.blocks[block].role != "Table"]
    if max(in_paragraphs, default=0) > limits.max_block * in_blocks or num_cut > limits.max_cut_lines * len(lines):
        return None
    in_headings = sum(count for block, count in num_words.items() if tree.blocks[block].level)
    return Agreement(
        tree=tree,
        headings=in_headings <= limits.max_headings * in_blocks,
        order=runs_downward([boxes[block] for block in sorted(boxes)], limits.min_downward),
        furniture=artifacts <= limits.max_artifacts * total,
    )


def visible_lines(inspection: Inspection) -> list[TextLine]:
    return [line for line in inspection.lines if line.hidden is None]


def runs_downward(boxes: Sequence[BoundingBox], least: float) -> bool:
    """Whether, of the pairs of boxes one above the other, at least a share comes with the upper one first."""
    index = PageIndex(boxes)
    wrong = total = 0
    for k, box in enumerate(boxes):
        for j in index.level_with(box.y1, box.y1 + MAX_DISTANCE, MAX_BLOCKS_BELOW):
            lower = boxes[j]
            level = box.overlap_x(lower) <= 0.5 * min(box.width, lower.width)
            if j == k or level or lower.y0 < box.y1 - 1.0:
                continue
            total += 1
            wrong += j < k
    return wrong <= (1 - least) * total
