"""The regions of one page before anything is read: every seen line is in exactly one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from documents.inspection import Inspection, TextLine
from documents.rotation import unrotate, usual_angle
from documents.structure.classify import body_size, classify_region, find_running_heads
from documents.structure.columns import merge_interleaved, split_columns
from documents.structure.hanging_numbers import hanging_numbers
from documents.structure.line_assignment import assign_lines, attach_orphans, group_ink, group_lines
from documents.structure.overlaps import resolve
from documents.structure.text_source import Layer, Wanted
from documents.values import BoundingBox, Detection, RegionKind, TextSource, Value

CROP_MARGIN = (4 / 640, 1 / 640)  # of the page's long side: how far text may stick out of a detected box
LIKE = 1.05  # times the body's type: no larger than text
ITEM = re.compile(r"(\d{1,3})[.)]\s")
GATHERED = 0.0  # the score of a region that the detector did not find
FOUND = "found by the layout network"
FROM_LINES = "lines of the text layer that no found region holds"
FROM_INK = "ink that no found region holds"
PARTED = "a part of a found region that another one divides"


class RegionDraft(Value):
    """A region with its source decided; `lines` are empty where OCR is to read `crop_box`."""

    index: int
    kind: RegionKind
    box: BoundingBox
    score: float
    lines: tuple[TextLine, ...] = ()
    text_source: TextSource
    reason: str
    origin: str = FOUND
    crop_box: BoundingBox  # points: the box, widened for OCR
    angle: int = 0  # degrees clockwise that the text is turned; its crop is drawn turned back by as much


def draft_regions(
    inspection: Inspection,
    detections: Sequence[Detection],
    *,
    text_source: Wanted = "auto",
    crop_margin: tuple[float, float] = CROP_MARGIN,
) -> tuple[RegionDraft, ...]:
    """Detections and text layer made one; `crop_margin` is in shares of the page's long side (see the detector)."""
    layer = Layer(inspection)
    found = _with_lines(layer, _unmasked(layer, resolve(detections), text_source))
    body, turn = body_size(layer.lines), usual_angle(layer.lines)
    drafts: list[RegionDraft] = []
    for detection, lines in [*found, *_unfound(inspection, layer, [d for d, _ in found], text_source, crop_margin)]:
        box = BoundingBox.around([line.box for line in lines]) if lines else detection.box
        whole = box.union(detection.box) if detection.kind in ("figure", "table") else box
        kind = classify_region(detection.kind, box, lines, inspection.box, body, turn) if lines else detection.kind
        decision = layer.decide(kind, detection.box, lines, text_source)
        if not lines and decision.text_source == "text_layer" and kind not in ("figure", "table"):
            continue  # empty
        reads = decision.text_source == "ocr"
        if reads and not layer.ink_in(detection.box):
            continue
        drafts.append(
            RegionDraft(
                index=len(drafts),
                kind=kind,
                box=detection.box.union(box) if reads else whole,
                score=detection.score,
                lines=() if reads else tuple(lines),
                text_source=decision.text_source,
                reason=decision.reason,
                origin=_origin(detection, lines, detections),
                crop_box=_widened(detection.box.union(box), crop_margin, inspection.box),
                angle=usual_angle(lines),
            )
        )
    drafts = [
        d.model_copy(update={"kind": "plain text"}) if _begins_text(d, drafts, body) or _is_item(d, drafts, body) else d
        for d in drafts
    ]
    running = find_running_heads(
        [unrotate(_inner(draft.box) if draft.kind == "figure" else draft.box, turn) for draft in drafts],
        [" ".join(line.text for line in draft.lines) for draft in drafts],
        unrotate(inspection.box, turn),
        body,
    )
    return tuple(d.model_copy(update={"kind": "abandon"}) if d.index in running else d for d in drafts)


def _begins_text(draft: RegionDraft, drafts: Sequence[RegionDraft], body: float) -> bool:
    """Whether what was taken for a title is the first line of the paragraph right below it."""
    if draft.kind != "title" or not draft.lines or any(line.bold for line in draft.lines) or draft.angle:
        return False
    size = max(line.font_size for line in draft.lines)
    return size < LIKE * body and any(
        other.kind == "plain text"
        and other.lines
        and -0.5 * size <= other.box.y0 - draft.box.y1 <= 0.5 * size
        and abs(other.box.x0 - draft.box.x0) <= size
        and abs(other.lines[0].font_size - size) < 0.1 * size
        and min(other.lines, key=lambda line: line.box.y0).text[:1].islower()
        for other in drafts
    )


def _is_item(draft: RegionDraft, drafts: Sequence[RegionDraft], body: float) -> bool:
    """Whether what was taken for a title is an item of a list: the one before or after it is text that stands next."""
    number = _number(draft)
    if draft.kind != "title" or number is None or any(line.bold for line in draft.lines) or draft.angle:
        return False
    size = max(line.font_size for line in draft.lines)
    if size >= LIKE * body:
        return False
    column = [d for d in drafts if d.lines and d.box.x0 - size <= draft.box.x0 < d.box.x1 and d is not draft]
    before = max((d for d in column if d.box.y0 < draft.box.y0), key=lambda d: d.box.y0, default=None)
    after = min((d for d in column if d.box.y0 > draft.box.y0), key=lambda d: d.box.y0, default=None)
    return any(
        other is not None and other.kind == "plain text" and _number(other) == number + step
        for other, step in ((before, -1), (after, 1))
    )


def _number(draft: RegionDraft) -> int | None:
    """That a region of text begins with, as items of lists do."""
    first = min(draft.lines, key=lambda line: line.box.y0, default=None)
    found = ITEM.match(first.text) if first is not None else None
    return int(found[1]) if found else None


def _origin(detection: Detection, lines: Sequence[TextLine], detections: Sequence[Detection]) -> str:
    if detection.score > GATHERED:
        return FOUND if detection in detections else PARTED
    return FROM_LINES if lines else FROM_INK


def _unmasked(layer: Layer, detections: Sequence[Detection], wanted: Wanted) -> list[Detection]:
    """Without the figures that are lines of text: `_unfound` gathers their ink, whole lines where the box cut some.

    On a page without a text layer, what lies in a figure would not be read at all.
    """
    if wanted == "text_layer" or layer.sound:
        return list(detections)
    return [d for d in detections if d.kind != "figure" or not layer.reads_like_lines(d.box)]


def _with_lines(layer: Layer, detections: Sequence[Detection]) -> list[tuple[Detection, list[TextLine]]]:
    """Each region with its lines; lines that no detection holds make regions of their own."""
    marks = hanging_numbers(layer.lines)
    apart = {id(mark) for mark, _ in marks}
    held, orphans = assign_lines([line for line in layer.lines if id(line) not in apart], detections)
    for lines in held:  # sideways text within upright text is a stamp beside it
        angle = usual_angle(lines)
        orphans += [line for line in lines if line.angle != angle]
        lines[:] = [line for line in lines if line.angle == angle]
    for lines, detection in zip(held, detections, strict=True):
        if detection.kind == "figure" and _is_prose(lines):
            orphans += lines
            lines.clear()
    orphans = attach_orphans(held, detections, orphans)
    regions = zip(detections, held, strict=True)
    found = merge_interleaved([part for region in regions for part in split_columns(region)])
    turn = usual_angle(layer.lines)
    for block in group_lines(orphans):
        box = BoundingBox.around([line.box for line in block])
        found.append((Detection(kind=_orphans_kind(block, turn), box=box, score=GATHERED), block))
    homes = {id(line): lines for _, lines in found for line in lines}
    for mark, line in marks:
        homes[id(line)].append(mark)
    return found


def _unfound(
    inspection: Inspection,
    layer: Layer,
    detections: Sequence[Detection],
    wanted: Wanted,
    crop_margin: tuple[float, float],
) -> list[tuple[Detection, list[TextLine]]]:
    """Ink that no region covers, where ink is all there is to read; the whole page if nothing at all was found."""
    if wanted == "text_layer" or (wanted == "auto" and layer.sound):
        return []
    if not detections:
        return (
            [(Detection(kind="plain text", box=inspection.box, score=GATHERED), [])]
            if layer.ink_in(inspection.box)
            else []
        )
    bare, cell = layer.bare_ink([_widened(d.box, crop_margin, inspection.box) for d in detections])
    return [(Detection(kind="plain text", box=box, score=GATHERED), []) for box in group_ink(bare, cell) if _texty(box)]


def _texty(box: BoundingBox) -> bool:
    return box.width >= 8 and box.height >= 5


def _inner(box: BoundingBox) -> BoundingBox:
    """A figure's box without its rough upper and lower edge."""
    edge = min(10.0, box.height / 4)
    return BoundingBox(x0=box.x0, y0=box.y0 + edge, x1=box.x1, y1=box.y1 - edge)


def _is_prose(lines: Sequence[TextLine]) -> bool:
    """Sentences rather than labels: a shaded box of text that was taken for a figure."""
    words = [len(line.text.split()) for line in lines]
    return sum(words) >= 20 and sum(count for count in words if count >= 4) > 0.6 * sum(words)


def _orphans_kind(lines: Sequence[TextLine], turn: int) -> RegionKind:
    return "abandon" if len(lines) == 1 and lines[0].angle != turn else "plain text"


def _widened(box: BoundingBox, margin: tuple[float, float], page: BoundingBox) -> BoundingBox:
    side = max(page.width, page.height)
    return BoundingBox(
        x0=max(page.x0, box.x0 - margin[0] * side),
        y0=max(page.y0, box.y0 - margin[1] * side),
        x1=min(page.x1, box.x1 + margin[0] * side),
        y1=min(page.y1, box.y1 + margin[1] * side),
    )
