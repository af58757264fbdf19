"""Decides what happens to text-layer lines that OCR was to read again: kept where it read nothing, else dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from documents.inspection import TextLine
from documents.rotated_boxes import usual_angle
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.values import BoundingBox, DroppedLine, SourceReason


def with_layer_lines(page: PageDraft) -> PageDraft:
    """The page, each draft of which a reading says nothing with the sound lines of the text layer, if there are any."""
    drafts: list[RegionDraft] = []
    readings = dict(page.readings)
    for draft in page.drafts:
        lines = tuple(filter(page.layer.is_sound, draft.layer_lines)) if draft.layer_lines else ()
        reading = readings.get(draft.index)
        if not lines or reading is None or reading.text.strip() or reading.unreadable:
            drafts.append(draft)
            continue
        del readings[draft.index]
        box = draft.box if draft.kind in ("figure", "table") else BoundingBox.around([line.box for line in lines])
        update = {"lines": lines, "text_source": "text_layer", "reason": "OCR read nothing", "box": box}
        drafts.append(draft.model_copy(update={**update, "angle": usual_angle(lines)}))
    return replace(page, drafts=tuple(drafts), readings=readings)


def dropped_lines(page: PageDraft, drafts: Sequence[RegionDraft]) -> Iterator[DroppedLine]:
    """The visible lines of the text layer that no region of the page has, before any rule has changed these.

    `drafts` are those that OCR was to read: they say why the text layer was not used.
    """
    num_held = sum(len(draft.lines) for draft in page.drafts if draft.text_source == "text_layer")
    if num_held == len(page.layer.lines):
        return
    spans = (span for region in page.regions.values() for span in region.spans if span.source == "text_layer")
    delivered_spans = Counter((span.text, span.box) for span in spans)
    reasons: dict[tuple[str, BoundingBox], SourceReason] = {
        (line.text, line.box): draft.reason for draft in drafts for line in draft.layer_lines
    }
    for line in page.layer.lines:
        key = line.text, line.box
        if delivered_spans[key] > 0:
            delivered_spans[key] -= 1
        elif not _is_delivered_in_parts(line, delivered_spans):
            yield DroppedLine(text=line.text, box=line.box, reason=reasons.get(key, "no ink to read"))


def _is_delivered_in_parts(line: TextLine, delivered_spans: Mapping[tuple[str, BoundingBox], int]) -> bool:
    """Whether every printable character of a line is in parts of it, as an author's tree cuts lines."""
    parts = [
        text
        for (text, box), count in delivered_spans.items()
        if count > 0 and text in line.text and BoundingBox.around([line.box, box]) == line.box
    ]
    printable = Counter(character for character in line.text if character.isprintable() and not character.isspace())
    return bool(parts) and not printable - Counter("".join(parts))
