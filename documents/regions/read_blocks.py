"""Gives regions that OCR read the roles and the order in which the structure network reads their lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

from documents.draft.page_draft import AREA_KINDS, PageDraft, RegionDraft
from documents.draft.rule import NoThresholds
from documents.inspection import TextLine
from documents.regions.block_parts import kind_of, mean_furniture
from documents.segments.roles import Role


def read_segments(page: PageDraft) -> list[TextLine]:
    """The lines of all drafts, in their order: the segments that `page.blocks` count."""
    return [line for draft in page.drafts for line in draft.lines]


def take_read_blocks(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Each draft in the place of its first line; those that OCR read with the role of most of their letters.

    Tables, figures and formulas stay what they are: their pictures say so.
    """
    if not page.blocks:
        return page
    block_of = {segment: place for place, block in enumerate(page.blocks) for segment in block.segments}
    rank_of = {segment: rank for rank, segment in enumerate(block_of)}  # a block may go on in another draft
    drafts: list[RegionDraft] = []
    segment = 0
    for draft in page.drafts:
        places: list[int] = []
        ranks: list[int] = []
        letters: Counter[Role] = Counter()
        furniture: list[tuple[float | None, int]] = []
        for line in draft.lines:
            if segment in block_of:
                block = page.blocks[block_of[segment]]
                places.append(block_of[segment])
                ranks.append(rank_of[segment])
                letters[block.role] += len(line.text)
                furniture.append((block.furniture, len(line.text)))
            segment += 1
        update: dict[str, Any] = {"order": min(ranks, default=None)}
        if letters and draft.index in page.readings and draft.kind not in (*AREA_KINDS, "isolate_formula"):
            role = letters.most_common(1)[0][0]
            begins = tuple(k for k, (before, place) in enumerate(pairwise((-1, *places))) if before != place)
            kind = kind_of(role, draft.lines, draft.box, page.drafts)
            update |= {"role": role, "kind": kind, "furniture": mean_furniture(furniture), "begins": begins}
        drafts.append(draft.model_copy(update=update))
    return replace(page, drafts=tuple(drafts))
