"""Combines detections with the lines of the text layer: afterwards every visible line is in one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.inspection import COVERED, TextLine
from documents.rotated_boxes import usual_angle
from documents.structure.duplicate_detections import Overlaps, resolve, share_inside
from documents.structure.hanging_numbers import HangingNumbers, hanging_numbers
from documents.structure.line_assignment import (
    Adjacency,
    LineHomes,
    assign_lines,
    attach_orphans,
    group_ink,
    group_lines,
)
from documents.structure.page_draft import GATHERED, PageDraft, Part
from documents.structure.region_kinds import classify_region
from documents.structure.rule import NoThresholds
from documents.structure.split_by_columns import Gutters, Interleaving, merge_interleaved, split_columns
from documents.tables.sideways import is_sideways
from documents.text.word_count import num_words
from documents.values import BoundingBox, Detection

MIN_WORDS_OF_SENTENCE = 5  # in a line with covered words, to be no row of a table


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
    """Each detection of more than a watermark or covered words an empty part, and all visible lines loose."""
    parts = tuple(
        Part.of(detection)
        for detection in page.kept
        if not _is_watermark(page, detection.box) and not _is_covered_text(page, detection)
    )
    return replace(page, parts=parts, loose=page.layer.lines)


def _is_covered_text(page: PageDraft, detection: Detection) -> bool:
    """Whether a table or figure is but the bars that cover words of sentences."""
    if detection.kind not in ("table", "figure"):
        return False
    box, inspection = detection.box, page.inspection
    lines = [line for line in page.layer.lines if COVERED in line.text and line.box.intersection(box)]
    if not any(len(line.words) >= MIN_WORDS_OF_SENTENCE and 2 * line.box.width > box.width for line in lines):
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


def take_hanging_numbers(page: PageDraft, limits: HangingNumbers) -> PageDraft:
    hanging = tuple(hanging_numbers(page.layer.lines, limits))
    apart = {id(mark) for mark, _ in hanging}
    return replace(page, hanging=hanging, loose=tuple(line for line in page.loose if id(line) not in apart))


def fill_parts(page: PageDraft, limits: LineHomes) -> PageDraft:
    lines_by_part, orphans = assign_lines(page.loose, [part.detection for part in page.parts], limits)
    return _with_lines(page, lines_by_part, orphans)


def free_sideways_lines(page: PageDraft, _: NoThresholds) -> PageDraft:
    lines_by_part: list[list[TextLine]] = []
    orphans = list(page.loose)
    for part in page.parts:
        if part.detection.kind == "figure":  # the names of axes run upward
            lines_by_part.append(list(part.lines))
            continue
        angle = usual_angle(part.lines)
        names = part.detection.kind == "table"  # of columns, which are set so where these are narrow
        stays = [line.angle == angle or (names and is_sideways(line, angle)) for line in part.lines]
        orphans += [line for line, here in zip(part.lines, stays, strict=True) if not here]
        lines_by_part.append([line for line, here in zip(part.lines, stays, strict=True) if here])
    return _with_lines(page, lines_by_part, orphans)


@dataclass(frozen=True, slots=True)
class ProseThresholds:
    """What makes the lines in a figure sentences rather than labels."""

    min_words: int = 20
    min_words_of_label: int = 40  # the same, of one paragraph in a drawing: its labels may be sentences
    min_words_of_line: int = 4  # of a line that counts as a part of a sentence
    min_share: float = 0.6  # of the words, in such lines


def free_prose_in_figures(page: PageDraft, limits: ProseThresholds) -> PageDraft:
    lines_by_part: list[list[TextLine]] = []
    orphans = list(page.loose)
    for part in page.parts:
        freed: set[int] = set()
        if part.detection.kind == "figure" and _is_prose(part.lines, limits):
            drawn = _is_drawn(part.detection.box, page)
            groups = group_lines(part.lines) if drawn else [part.lines]
            long = replace(limits, min_words=limits.min_words_of_label) if drawn else limits
            freed = {id(line) for group in groups if _is_prose(group, long) for line in group}
        orphans += [line for line in part.lines if id(line) in freed]
        lines_by_part.append([line for line in part.lines if id(line) not in freed])
    return _with_lines(page, lines_by_part, orphans)


def _is_drawn(box: BoundingBox, page: PageDraft) -> bool:
    """Whether a drawing lies in a figure: its labels may be sentences together, but each is short."""
    return any(drawing.num_slanted and share_inside(drawing.box, box) > 0.5 for drawing in page.inspection.drawings)


def attach_loose_lines(page: PageDraft, limits: Adjacency) -> PageDraft:
    lines_by_part = [list(part.lines) for part in page.parts]
    left = attach_orphans(lines_by_part, [part.detection for part in page.parts], page.loose, limits)
    return _with_lines(page, lines_by_part, left)


def split_parts(page: PageDraft, limits: Gutters) -> PageDraft:
    parts: list[Part] = []
    for part in page.parts:
        pieces = split_columns((part.detection, list(part.lines)), limits)
        if len(pieces) == 1:
            parts.append(part)
        else:
            parts += [Part.of(detection, tuple(lines), part.rules) for detection, lines in pieces]
    return replace(page, parts=tuple(parts))


def merge_parts(page: PageDraft, limits: Interleaving) -> PageDraft:
    part_by_lines = {(id(part.detection), part.lines): part for part in page.parts}
    merged = merge_interleaved([(part.detection, list(part.lines)) for part in page.parts], limits)
    return replace(
        page,
        parts=tuple(part_by_lines.get((id(d), tuple(lines))) or Part.of(d, tuple(lines)) for d, lines in merged),
    )


def group_loose_lines(page: PageDraft, limits: Adjacency) -> PageDraft:
    parts: list[Part] = []
    for lines in group_lines(page.loose, limits):
        box = BoundingBox.around([line.box for line in lines])
        stamp = len(lines) == 1 and lines[0].angle != page.layer.turn
        detection = Detection(kind="abandon" if stamp else "plain text", box=box, score=GATHERED)
        parts.append(Part.of(detection, tuple(lines)))
    return replace(page, parts=(*page.parts, *parts), loose=())


def return_hanging_numbers(page: PageDraft, _: NoThresholds) -> PageDraft:
    homes = {id(line): k for k, part in enumerate(page.parts) for line in part.lines}
    lines = [list(part.lines) for part in page.parts]
    for mark, line in page.hanging:
        if id(line) in homes:
            lines[homes[id(line)]].append(mark)
    return replace(
        page,
        hanging=(),
        parts=tuple(
            part if len(part.lines) == len(own) else replace(part, lines=tuple(own))
            for part, own in zip(page.parts, lines, strict=True)
        ),
    )


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
    ink, cell = page.layer.bare_ink(covers)
    boxes = [box for box in group_ink(ink, cell) if box.width >= limits.min_width and box.height >= limits.min_height]
    gathered = [Part.of(Detection(kind="plain text", box=box, score=GATHERED)) for box in boxes]
    return replace(page, parts=(*page.parts, *gathered))


def with_whole_page(page: PageDraft) -> PageDraft:
    """The page as one region to be read, if it holds ink."""
    box = page.inspection.box
    whole = Part.of(Detection(kind="plain text", box=box, score=GATHERED))
    return replace(page, parts=(whole,)) if page.layer.ink_in(box) else page


def classify_parts(page: PageDraft, _: NoThresholds) -> PageDraft:
    body, turn, sheet = page.layer.body, page.layer.turn, page.inspection.box
    parts: list[Part] = []
    for part in page.parts:
        if part.lines:
            box = BoundingBox.around([line.box for line in part.lines])
            kind = classify_region(part.detection.kind, box, part.lines, sheet, body, turn)
            parts.append(part if kind == part.kind else replace(part, kind=kind))
        else:
            parts.append(part)
    return replace(page, parts=tuple(parts))


def choose_sources(page: PageDraft, _: NoThresholds) -> PageDraft:
    return replace(
        page,
        parts=tuple(
            replace(part, decision=page.layer.decide(part.kind, part.detection.box, part.lines, page.text_source))
            for part in page.parts
        ),
    )


def widened(box: BoundingBox, margin: tuple[float, float], page: BoundingBox) -> BoundingBox:
    """The box with a margin in shares of the page's long side, cut off at the page's edge."""
    side = max(page.width, page.height)
    return BoundingBox(
        x0=max(page.x0, box.x0 - margin[0] * side),
        y0=max(page.y0, box.y0 - margin[1] * side),
        x1=min(page.x1, box.x1 + margin[0] * side),
        y1=min(page.y1, box.y1 + margin[1] * side),
    )


def _with_lines(page: PageDraft, lines_by_part: Sequence[Sequence[TextLine]], loose: Sequence[TextLine]) -> PageDraft:
    parts = tuple(replace(part, lines=tuple(lines)) for part, lines in zip(page.parts, lines_by_part, strict=True))
    return replace(page, parts=parts, loose=tuple(loose))


def _is_prose(lines: Sequence[TextLine], limits: ProseThresholds) -> bool:
    words = [num_words(line.text) for line in lines]
    in_sentences = sum(count for count in words if count >= limits.min_words_of_line)
    return sum(words) >= limits.min_words and in_sentences > limits.min_share * sum(words)
