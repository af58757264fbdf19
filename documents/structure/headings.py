"""Which short texts of a document are headings: told from how the whole document sets its text, not from one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.structure.heading_features import NAMES, NUMBER, features, may_be_heading
from documents.structure.heading_trees import HeadingTrees
from documents.structure.page_draft import TAGGED
from documents.structure.text_styles import Block, DocumentType, PageContext, blocks_of
from documents.text.languages import DATE
from documents.text.list_markers import marker_of
from documents.values import OutlineItem, Page, Region, as_kind

LIKELY = 0.2  # how likely a heading must be: F1 is level from 0.2 to 0.4 in documents that were not learnt from
POSSIBLE = 0.1  # and one that the network is sure of
SURE = 0.5  # the network's score
CERTAIN = 0.85  # the network's score of a title that stays one
MIN_LETTERS = 500  # of a document: fewer do not show how it sets its text


def with_headings(pages: Sequence[Page], outline: Sequence[OutlineItem], trees: HeadingTrees) -> list[Page]:
    """The pages, each short text of the text layer a title or plain text; what its author tagged stays."""
    if sum(len(region.text) for page in pages for region in page.regions) < MIN_LETTERS:
        return list(pages)
    blocks, rows = candidates(pages, outline)
    likely = trees.probabilities(rows)
    kinds = {(block.page, block.place): _is_heading(block.region, p) for block, p in zip(blocks, likely, strict=True)}
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
    document = DocumentType(blocks, outline)
    by_page: dict[int, list[Block]] = {}
    for block in blocks:
        by_page.setdefault(block.page, []).append(block)
    blocks_found: list[Block] = []
    rows: list[list[float]] = []
    for number, own in by_page.items():
        context = PageContext(pages[number], own)
        for block in own:
            if may_be_heading(block.region) and block.region.text_source != "ocr" and block.region.origin != TAGGED:
                blocks_found.append(block)
                rows.append(features(block, context, document))
    return blocks_found, np.array(rows, float).reshape(len(blocks_found), len(NAMES))


def _is_heading(region: Region, likely: float) -> bool:
    """A text becomes a heading only if it is neither an item with a bullet nor a date."""
    if region.kind == "title":
        return region.score >= CERTAIN or likely >= (POSSIBLE if region.score >= SURE else LIKELY)
    is_bullet = marker_of(region.text) is not None and NUMBER.match(region.text) is None
    return likely >= LIKELY and not is_bullet and not DATE.search(region.text)


def _settled(region: Region, is_heading: bool | None) -> Region:
    if is_heading is None or is_heading == (region.kind == "title"):
        return region
    return as_kind(region, "title" if is_heading else "plain text", rules=(*region.rules, "headings"))
