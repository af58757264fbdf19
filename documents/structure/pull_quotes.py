"""Moves a quotation that stands beside a text, in type of its own, out of the sentence that runs around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from documents.inspection import TextLine
from documents.rotated_boxes import unrotate, usual_angle
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.text.typography import font_families
from documents.values import BoundingBox, RegionKind

READ: tuple[RegionKind, ...] = ("plain text", "title")
MOST_PIECES = 4  # of one text that a quotation waits for


@dataclass(frozen=True, slots=True)
class PullQuotes:
    """How the type and the place of a quotation differ from those of the text around it."""

    size: float = 1.12  # ratio of their sizes
    size_of_fonts: float = 1.04  # and of sizes in fonts of other families
    alike: float = 1.02  # ratio of the sizes of two pieces of one text
    touch: float = 3.0  # points, by which boxes side by side may overlap, or miss one another's height
    gap: float = 0.7  # of the type's size, between two pieces of one text


def read_quotes_after_sentences(page: PageDraft, limits: PullQuotes) -> PageDraft:
    """The page, each such quotation read after the last piece of the text that it interrupts."""
    order = list(page.relations.order)
    drafts = {draft.index: draft for draft in page.drafts}
    angle = usual_angle([line for draft in page.drafts for line in draft.lines])
    for at in range(1, len(order) - 1):
        for k in range(at, min(len(order) - 1, at + MOST_PIECES)):
            before, quote, after = (drafts[order[j]] for j in (k - 1, k, k + 1))
            if not _interrupts(before, quote, after, page, angle, limits):
                break
            order[k], order[k + 1] = order[k + 1], order[k]
    return replace(page, relations=replace(page.relations, order=tuple(order)))


def _interrupts(
    before: RegionDraft, quote: RegionDraft, after: RegionDraft, page: PageDraft, angle: int, limits: PullQuotes
) -> bool:
    """Whether a text goes on behind a quotation beside it."""
    three = (before, quote, after)
    notes = page.relations.foot_notes | page.relations.side_notes.keys()
    if any(one.kind not in READ or not one.lines or one.index in notes for one in three) or "title" in (
        before.kind,
        after.kind,
    ):
        return False
    if not _is_larger(quote, before, limits) or _ratio(before, after) > limits.alike:
        return False
    boxes = [unrotate(one.box, angle) for one in three]
    if not any(_are_side_by_side(boxes[1], box, limits) for box in (boxes[0], boxes[2])):
        return False
    end, begin = (page.regions[one.index].text.strip() for one in (before, after))
    if not end or not begin or end[-1] in '.!?:;"”»)]':
        return False
    return begin[0].islower() or _is_right_below(boxes[0], boxes[2], _main(before).font_size, limits)


def _is_larger(quote: RegionDraft, text: RegionDraft, limits: PullQuotes) -> bool:
    large, small = _main(quote), _main(text)
    families = font_families(large.fonts) & font_families(small.fonts)
    return large.font_size > (limits.size if families else limits.size_of_fonts) * small.font_size


def _ratio(a: RegionDraft, b: RegionDraft) -> float:
    sizes = sorted((_main(a).font_size, _main(b).font_size))
    return sizes[1] / max(1.0, sizes[0])


def _main(draft: RegionDraft) -> TextLine:
    """Its longest line."""
    return max(draft.lines, key=lambda line: len(line.text))


def _are_side_by_side(a: BoundingBox, b: BoundingBox, limits: PullQuotes) -> bool:
    apart = min(a.x1, b.x1) - max(a.x0, b.x0) <= limits.touch
    return apart and min(a.y1, b.y1) - max(a.y0, b.y0) >= -limits.touch


def _is_right_below(a: BoundingBox, b: BoundingBox, size: float, limits: PullQuotes) -> bool:
    """Whether `b` goes on at the left edge of `a` or behind its mark, a line lower."""
    return 0.0 <= b.x0 - a.x0 <= 2.5 * size and -0.3 * size <= b.y0 - a.y1 <= limits.gap * size
