"""No word of a page is lost: what the last rule leaves in no region is put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.inspection import TextLine
from documents.structure.page_draft import PUT_BACK, PageDraft, Part, RegionDraft
from documents.structure.region_parts import with_whole_page
from documents.text.running_text import normal
from documents.values import BoundingBox, Detection, Region, Span, as_kind


def with_all_lines(page: PageDraft) -> PageDraft:
    """Each visible line in exactly one part; an empty page that is to be read is one part."""
    if not page.parts and not page.layer.lines:
        return with_whole_page(page) if _needs_reading(page) else page
    seen: set[int] = set()
    parts: list[Part] = []
    for part in page.parts:
        lines = tuple(line for line in part.lines if id(line) not in seen and not seen.add(id(line)))
        parts.append(part if len(lines) == len(part.lines) else replace(part, lines=lines))
    parts += [_part_of(line) for line in page.layer.lines if id(line) not in seen]
    return replace(page, parts=tuple(parts), loose=(), hanging=())


def _needs_reading(page: PageDraft) -> bool:
    return page.wanted == "ocr" or (page.wanted == "auto" and not page.layer.sound)


def _part_of(line: TextLine) -> Part:
    return Part.of(Detection(kind="plain text", box=line.box, score=0.0), (line,))


def with_all_drafts(before: PageDraft, after: PageDraft) -> PageDraft:
    """Each draft that was there, with all lines that it held; a rule may change their kinds, and what was read."""
    now = {draft.index: draft for draft in after.drafts}
    drafts: list[RegionDraft] = []
    for draft in before.drafts:
        changed = now.get(draft.index, draft)
        same = draft.index in before.readings or changed.lines == draft.lines
        drafts.append(changed if same else changed.model_copy(update={"lines": draft.lines}))
    return replace(after, drafts=tuple(drafts))


def with_all_words(plain: Mapping[int, Region], ordered: Sequence[Region]) -> tuple[Region, ...]:
    """The regions in their order, each printed or read line in exactly one of them; what is missing comes last.

    `plain` are the regions as they were before any rule, by index.
    """
    wanted = Counter(_key(span) for region in plain.values() for span in region.spans)
    kept: list[Region] = []
    for region in ordered:
        spans = tuple(span for span in region.spans if _take(wanted, span))
        kept.append(region if len(spans) == len(region.spans) else region.model_copy(update={"spans": spans}))
    missing: list[Region] = []
    for region in plain.values():
        spans = tuple(span for span in region.spans if _take(wanted, span))
        if spans:
            missing.append(_put_back(region, spans))
    missing.sort(key=lambda region: (region.box.y0, region.box.x0))
    return tuple(
        region if region.order == order else region.model_copy(update={"order": order})
        for order, region in enumerate([*kept, *missing])
    )


def _key(span: Span) -> tuple[str, BoundingBox]:
    return span.text, span.box


def _take(wanted: Counter[tuple[str, BoundingBox]], span: Span) -> bool:
    key = _key(span)
    if wanted[key] <= 0:
        return False
    wanted[key] -= 1
    return True


def _put_back(region: Region, spans: tuple[Span, ...]) -> Region:
    return as_kind(
        region,
        "plain text",
        box=BoundingBox.around([span.box for span in spans]),
        spans=spans,
        text="\n".join(normal(span.text) for span in spans),
        origin=PUT_BACK,
    )
