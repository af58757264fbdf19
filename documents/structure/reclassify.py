"""What OCR read, as lines of the page: with them a region is judged as if they were its own text layer's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from documents.inspection import Inspection, TextLine, Word
from documents.rotation import rotate_back
from documents.structure.classify import body_size, classify_region, find_running_heads
from documents.structure.draft import RegionDraft
from documents.values import BoundingBox, Reading, RegionKind

TYPE_SIZE = 0.8  # of a printed line's height

CAPTIONS: tuple[RegionKind, ...] = ("figure_caption", "table_caption")


def reclassify_after_ocr(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
) -> tuple[RegionDraft, ...]:
    """The drafts, those that OCR read with their lines and the kind that these give them."""
    lined = [
        draft.model_copy(update={"lines": read_lines(draft, readings[draft.index], crop_sizes.get(draft.index))})
        if draft.index in readings
        else draft
        for draft in drafts
    ]
    body = body_size([line for draft in lined for line in draft.lines])
    found = [
        draft.model_copy(update={"kind": _kind(draft, inspection.box, body)})
        if draft.index in readings and draft.lines
        else draft
        for draft in lined
    ]
    if not readings:
        return tuple(found)
    running = find_running_heads(
        [draft.box for draft in found],
        [" ".join(line.text for line in draft.lines) for draft in found],
        inspection.box,
        body,
    )
    return tuple(
        draft.model_copy(update={"kind": "abandon"}) if k in running and draft.kind != "title" else draft
        for k, draft in enumerate(found)
    )


def read_lines(draft: RegionDraft, reading: Reading, crop_size: tuple[int, int] | None) -> tuple[TextLine, ...]:
    """The lines of a crop, which was turned back by the draft's angle, in points of the page."""
    crop = draft.crop_box
    upright_size = (crop.height, crop.width) if draft.angle % 180 else (crop.width, crop.height)
    width, height = crop_size or upright_size
    x, y = upright_size[0] / max(1, width), upright_size[1] / max(1, height)

    def place(box: BoundingBox) -> BoundingBox:
        return rotate_back(box.scaled(x, y), draft.angle, crop.width, crop.height).shifted(crop.x0, crop.y0)

    lines: list[TextLine] = []
    for line in reading.lines:
        parts = line.text.split()
        size = round(TYPE_SIZE * line.box.height * y, 2)
        if parts:
            boxes = [place(word) for word in line.words] if len(line.words) == len(parts) else [place(line.box)]
            texts = parts if len(boxes) == len(parts) else [" ".join(parts)]
            words = tuple(Word(text=t, box=b, font_size=size) for t, b in zip(texts, boxes, strict=True))
            lines.append(TextLine(text=line.text, box=place(line.box), font_size=size, angle=draft.angle, words=words))
    return tuple(lines)


def _kind(draft: RegionDraft, page: BoundingBox, body: float) -> RegionKind:
    """Captions are known by their words, furniture by its place; the sizes of read lines are too rough for titles."""
    kind = classify_region(draft.kind, draft.box, draft.lines, page, body)
    if kind in CAPTIONS or draft.kind == "abandon":
        return "plain text" if kind == "title" else kind
    return draft.kind
