"""Decides what happens to text-layer lines that OCR was to read again: kept where it read nothing, else dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.inspection import TextLine
from documents.region_values import SourceReason
from documents.rotated_boxes import usual_angle
from documents.values import DroppedLine


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
    spans = (span for region in page.regions.values() for span in region.spans if span.source == "text_layer")
    num_delivered = Counter((span.text, span.box) for span in spans)
    cut_words = Counter(
        (word.text, word.box)
        for line in _cut_lines(page)
        if (line.text, line.box) in num_delivered
        for word in line.words
    )
    reasons: dict[tuple[str, BoundingBox], SourceReason] = {
        (line.text, line.box): draft.reason for draft in drafts for line in draft.layer_lines
    }
    for line in page.layer.lines:
        key = line.text, line.box
        if num_delivered[key] > 0:
            num_delivered[key] -= 1
        elif not _is_delivered_in_parts(line, cut_words):
            yield DroppedLine(text=line.text, box=line.box, reason=reasons.get(key, "no ink to read"))


def _cut_lines(page: PageDraft) -> Iterator[TextLine]:
    """Lines of regions that the text layer does not have as they are: an author's tree cuts lines between blocks."""
    whole = {(line.text, line.box) for line in page.layer.lines}
    for draft in page.drafts:
        if draft.text_source == "text_layer":
            yield from (line for line in draft.lines if (line.text, line.box) not in whole)


def _is_delivered_in_parts(line: TextLine, cut_words: Counter[tuple[str, BoundingBox]]) -> bool:
    """Whether each word of a line is in parts that are delivered, which it takes from `cut_words`."""
    words = [(word.text, word.box) for word in line.words if word.text.strip()]
    if not words or any(cut_words[word] <= 0 for word in words):
        return False
    cut_words.subtract(words)
    return True
