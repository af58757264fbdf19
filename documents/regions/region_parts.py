"""Combines detections with the lines of the text layer: afterwards every visible line is in one part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from documents.boxes import BoundingBox
from documents.draft.duplicate_detections import Overlaps, resolve
from documents.draft.page_draft import NO_DETECTOR_SCORE, PageDraft, Part
from documents.draft.rule import NoThresholds
from documents.draft.text_source import SourceLimits
from documents.inspection import REDACTED_TEXT
from documents.regions.line_assignment import (
    group_ink,
)
from documents.values import Detection

MIN_SENTENCE_WORDS = 5  # a line with covered words that has fewer words may be a row of a table


def without_duplicates(page: PageDraft, limits: Overlaps) -> PageDraft:
    return replace(page, kept=tuple(resolve(page.detections, limits)))


def without_text_in_figures(page: PageDraft, _: NoThresholds) -> PageDraft:
    """The ink of such figures is gathered by `gather_ink`, whole lines where the box cut some.

    On a page without a text layer, what lies in a figure would not be read at all.
    """
    if page.text_source == "text_layer" or page.layer.sound:
        return page
    return replace(
        page, kept=tuple(d for d in page.kept if d.kind != "figure" or not page.layer.reads_like_lines(d.box))
    )


def begin_parts(page: PageDraft) -> PageDraft:
    """Each detection of more than a watermark or covered words an empty part."""
    parts = tuple(
        Part.of(detection)
        for detection in page.kept
        if not _is_watermark(page, detection.box) and not _is_covered_text(page, detection)
    )
    return replace(page, parts=parts)


def _is_covered_text(page: PageDraft, detection: Detection) -> bool:
    """Whether a table or figure is but the bars that cover words of sentences."""
    if detection.kind not in ("table", "figure"):
        return False
    box, inspection = detection.box, page.inspection
    lines = [line for line in page.layer.lines if REDACTED_TEXT in line.text and line.box.intersection(box)]
    if not any(len(line.words) >= MIN_SENTENCE_WORDS and 2 * line.box.width > box.width for line in lines):
        return False
    slanted = (drawing.box for drawing in inspection.drawings if drawing.num_slanted)
    others = (*(rule.box for rule in inspection.rules), *inspection.images, *slanted)
    return not any(other.intersection(box) for other in others)


def _is_watermark(page: PageDraft, box: BoundingBox) -> bool:
    """Whether a watermark alone lies in a box: no line, picture or drawing."""
    inspection = page.inspection
    if not any(2 * mark.box.intersection(box) > box.area for mark in inspection.watermarks):
        return False
    others = (
        *(line.box for line in page.layer.lines),
        *inspection.images,
        *(drawing.box for drawing in inspection.drawings),
    )
    return not any(other.intersection(box) for other in others)


@dataclass(frozen=True, slots=True)
class InkThresholds:
    """How small a patch of ink may be and still be text, in points."""

    min_width: float = 8.0
    min_height: float = 5.0


def gather_ink(page: PageDraft, limits: InkThresholds) -> PageDraft:
    """Only where ink is all there is to read; the whole page if nothing at all was found."""
    if page.text_source == "text_layer" or (page.text_source == "auto" and page.layer.sound):
        return page
    if not page.parts:
        return with_whole_page(page)
    covers = [widened(part.detection.box, page.crop_margin, page.inspection.box) for part in page.parts]
    grid = page.inspection.ink
    boxes = [box.shifted(grid.left, grid.top) for box in group_ink(page.layer.bare_ink(covers), grid.cell)]
    texts = [box for box in boxes if box.width >= limits.min_width and box.height >= limits.min_height]
    gathered = [Part.of(Detection(kind="plain text", box=box, score=NO_DETECTOR_SCORE)) for box in texts]
    return replace(page, parts=(*page.parts, *gathered))


def with_whole_page(page: PageDraft) -> PageDraft:
    """The page as one region to be read, if it holds ink."""
    box = page.inspection.box
    whole = Part.of(Detection(kind="plain text", box=box, score=NO_DETECTOR_SCORE))
    return replace(page, parts=(whole,)) if page.layer.ink_in(box) else page


def choose_sources(page: PageDraft, limits: SourceLimits) -> PageDraft:
    return replace(
        page,
        parts=tuple(
            replace(
                part, decision=page.layer.decide(part.kind, part.detection.box, part.lines, page.text_source, limits)
            )
            for part in page.parts
        ),
    )


def widened(box: BoundingBox, margin: tuple[float, float], page: BoundingBox) -> BoundingBox:
    """The box with a margin in shares of the page's long side, cut off at the page's edge."""
    side = max(page.width, page.height)
    return box.widened(margin[0] * side, margin[1] * side).clipped(page)
