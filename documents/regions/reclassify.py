"""What OCR read of a region, as lines in points of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.draft.rule import NoThresholds
from documents.inspection import TextLine, Word
from documents.rotated_boxes import rotate_back
from documents.text.ink_extent import type_size_of_ink
from documents.values import Reading


def take_read_lines(page: PageDraft, _: NoThresholds) -> PageDraft:
    """The drafts, those that OCR read with their lines."""
    return replace(
        page,
        drafts=tuple(
            draft.model_copy(
                update={"lines": read_lines(draft, page.readings[draft.index], page.crop_sizes.get(draft.index))}
            )
            if draft.index in page.readings
            else draft
            for draft in page.drafts
        ),
    )


def read_lines(draft: RegionDraft, reading: Reading, crop_size: tuple[int, int] | None) -> tuple[TextLine, ...]:
    """The lines of a crop, which was turned back by the draft's angle, in points of the page."""
    place, zoom = placing(draft, crop_size)
    lines: list[TextLine] = []
    for line in reading.lines:
        parts = line.text.split()
        font_size = round(type_size_of_ink(line.text, line.box.height * zoom), 2)
        if parts:
            boxes = [place(word) for word in line.words] if len(line.words) == len(parts) else [place(line.box)]
            texts = parts if len(boxes) == len(parts) else [" ".join(parts)]
            words = tuple(Word(text=t, box=b, font_size=font_size) for t, b in zip(texts, boxes, strict=True))
            lines.append(
                TextLine(text=line.text, box=place(line.box), font_size=font_size, angle=draft.angle, words=words)
            )
    return tuple(lines)


def placing(
    draft: RegionDraft, crop_size: tuple[int, int] | None
) -> tuple[Callable[[BoundingBox], BoundingBox], float]:
    """Where a box of the draft's crop (pixels) lies on the page, and the points per pixel down the crop."""
    crop = draft.crop_box
    width, height = crop_size or draft.crop_size
    x, y = draft.crop_size[0] / max(1, width), draft.crop_size[1] / max(1, height)

    def place(box: BoundingBox) -> BoundingBox:
        return rotate_back(box.scaled(x, y), draft.angle, crop.width, crop.height).shifted(crop.x0, crop.y0)

    return place, y
