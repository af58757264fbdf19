"""Makes the finished page: its regions in reading order, and warnings for everything that a person should check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft
from documents.inspection import Inspection
from documents.page.hidden_text_warnings import hidden_text_warnings
from documents.page.marked_regions import with_marked_words
from documents.page.unproved_digits import Evidence, unproved_warnings, with_unproved_digits
from documents.region_values import CaptionRegion, Note, Region, SourceReason, Span, TextRegion, table_in
from documents.regions.lost_words import Delivered, with_all_words
from documents.tables.written.tables_from_ocr import PARSE_WARNING, is_written
from documents.values import DroppedLine, Page, PageWarning, Reading

# below this confidence of OCR a person should check the text; no line of the corpus' clean scans has less
LOW_CONFIDENCE = 0.7
REPLACEMENT_CHARACTER = "\ufffd"
NO_TEXT_REASONS: tuple[SourceReason, ...] = ("no ink to read", "OCR read nothing")
REJECTED_REASONS: tuple[SourceReason, ...] = ("characters without a meaning", "implausible letters", "ink without text")


@dataclass(frozen=True, slots=True)
class Doubts:
    """What a person is warned of besides what the page itself tells."""

    warnings: tuple[PageWarning, ...] = ()
    readings: Mapping[int, Reading] = field(default_factory=dict)  # all of them, also those of nothing
    low_confidence: float = LOW_CONFIDENCE
    evidence: Evidence | None = None  # of digits that were read


def finished_page(
    page: PageDraft, plain: Mapping[int, Region], dropped: tuple[DroppedLine, ...], doubts: Doubts
) -> Page:
    """The page; `plain` are its regions as they were before any rule, of which no word is lost."""
    delivered_indices = {index for index, reading in page.readings.items() if is_written(reading.text)}
    delivered = with_all_words(plain, page.regions, delivered_indices)
    page = replace(page, regions=delivered.regions)
    regions = with_unproved_digits(tuple(_ordered(page, delivered)), doubts.evidence)
    inspection = page.inspection
    return Page(
        number=inspection.number,
        size=(inspection.width, inspection.height),
        rotation=inspection.rotation,
        regions=regions,
        dropped=dropped,
        warnings=(
            *inspection.warnings,
            *doubts.warnings,
            *_unparsed(page),
            *_warnings(inspection, regions, doubts),
            *unproved_warnings(inspection.number, regions),
        ),
        fields=inspection.fields,
        annotations=with_marked_words(inspection.annotations, regions),
    )


def _ordered(page: PageDraft, delivered: Delivered) -> Iterator[Region]:
    """The regions in reading order, bound to their notes, captions and labels, with what was put back beside each."""
    relations = page.relations
    in_page = dict.fromkeys(index for index in relations.order if index in page.regions)
    parts = {label for label, of in relations.labels.items() if of in page.regions and of not in relations.labels}
    rest = (index for index in page.regions if index not in in_page and index not in parts)  # no rule has placed them
    in_page |= dict.fromkeys(sorted(rest, key=lambda k: (page.regions[k].box.y0, page.regions[k].box.x0)))
    labels: dict[int, list[int]] = {}
    for label, figure in sorted(relations.labels.items()):
        labels.setdefault(figure, []).append(label)
    places: dict[int, int] = {}
    ordered: list[tuple[int | None, Region]] = []  # None: it was put back
    for index in in_page:
        own = [index, *labels.get(index, ())]
        ordered += [(None, region) for k in own for region in delivered.before[k]]
        places[index] = len(ordered)
        ordered.append((index, page.regions[index]))
        ordered += [(None, region) for k in own for region in delivered.after[k]]
    for order, (index, region) in enumerate(ordered):
        update: dict[str, Any] = {"order": order}
        if index is not None:
            update |= _with_labels(region, [page.regions[k] for k in labels.get(index, ())])
            if isinstance(region, TextRegion | CaptionRegion):
                update["note"] = _note(page, index)
            if isinstance(region, CaptionRegion):
                update["describes"] = places.get(relations.captions.get(index, -1))
        yield region.model_copy(update=update)


def _note(page: PageDraft, index: int) -> Note | None:
    relations = page.relations
    if index in relations.side_notes and index not in relations.labels:
        return "side"
    return "foot" if index in relations.foot_notes else None


def _with_labels(figure: Region, labels: Sequence[Region]) -> dict[str, Any]:
    """What the texts that name parts of a figure change in it."""
    if not labels:
        return {}
    text, spans, struck = figure.text, [*figure.spans], [*figure.struck]
    for label in labels:
        between = "\n\n" if text and label.text else ""
        spans += (_later(span, len(text + between)) for span in label.spans)
        struck += (words.later(len(text + between)) for words in label.struck)
        text += between + label.text
    box = BoundingBox.around([figure.box, *(label.box for label in labels)])
    return {"spans": tuple(spans), "text": text, "struck": tuple(struck), "box": box}


def _later(span: Span, by: int) -> Span:
    """A span whose region's text begins `by` characters later."""
    if span.text_start is None or span.text_end is None:
        return span
    return span.placed(span.text_start + by, span.text_end + by)


def _unparsed(page: PageDraft) -> list[PageWarning]:
    """A warning for each table that a model wrote and nobody can parse."""
    return [
        PARSE_WARNING.model_copy(update={"page": page.inspection.number, "box": draft.box})
        for draft in page.drafts
        if (reading := page.readings.get(draft.index))
        and is_written(reading.text)
        and table_in(page.regions[draft.index]) is None
    ]


def _warnings(inspection: Inspection, regions: Sequence[Region], doubts: Doubts) -> list[PageWarning]:
    number = inspection.number
    warnings = [*hidden_text_warnings(inspection)]
    rejected = [region for region in regions if region.text_source == "ocr" and region.reason in REJECTED_REASONS]
    if rejected:
        reasons = ", ".join(sorted({region.reason for region in rejected}))
        box = BoundingBox.around([region.box for region in rejected])
        message = f"the text layer of {len(rejected)} regions was not used: {reasons}"
        warnings.append(PageWarning(code="text_layer_rejected", message=message, page=number, box=box))
    kept_regions = [region for region in regions if region.reason in NO_TEXT_REASONS]
    if kept_regions:
        box = BoundingBox.around([region.box for region in kept_regions])
        message = f"OCR read nothing in {len(kept_regions)} regions, so their text layer was kept"
        warnings.append(PageWarning(code="text_layer_kept", message=message, page=number, box=box))
    for region in regions:
        if region.confidence is not None and region.confidence < doubts.low_confidence:
            message = f"OCR is unsure of this region ({region.confidence:.2f})"
            warnings.append(PageWarning(code="low_confidence", message=message, page=number, box=region.box))
    num_unreadable = sum(len(region.unreadable) for region in regions)
    if num_unreadable:
        box = BoundingBox.around([region.box for region in regions if region.unreadable])
        message = f"{num_unreadable} lines could not be read; the guesses are in `unreadable` of their regions"
        warnings.append(PageWarning(code="unreadable_lines", message=message, page=number, box=box))
    lost = [span for region in regions for span in region.spans if REPLACEMENT_CHARACTER in span.text]
    if lost:
        count = sum(span.text.count(REPLACEMENT_CHARACTER) for span in lost)
        message = (
            f"the file does not say which letters {count} characters are; they are {REPLACEMENT_CHARACTER} in the text"
        )
        box = BoundingBox.around([span.box for span in lost])
        warnings.append(PageWarning(code="lost_characters", message=message, page=number, box=box))
    for _, reading in sorted(doubts.readings.items()):  # they may come in any order
        warnings.extend(warning.model_copy(update={"page": number}) for warning in reading.warnings)
    return warnings
