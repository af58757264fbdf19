"""OCR that reads without an error what is printed: readings of drawn pages that are pictures, by any crops.

What rules do with readings is then tried apart from how well they were read, and a rule that cuts other crops gets
the readings of these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby

from benchmarks.truths.drawn_truth import TrueLine, TruePage, TrueWord
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.region_values import RegionKind
from documents.regions.scanned_lines import ReadingPlan
from documents.rotated_boxes import unrotate
from documents.segments.roles import Role
from documents.values import Reading, ReadLine

READER = "exact"
CONFIDENCE = 0.95
KINDS: Mapping[Role, RegionKind] = {"title": "title", "heading": "title", "formula": "isolate_formula"}
LEFT_OUT = frozenset({"page_header", "page_footer", "page_number", "stamp", "figure_text"})  # by models of whole pages
Readings = tuple[dict[int, Reading], dict[int, tuple[int, int]]]


def exact_readings(plan: ReadingPlan, page: TruePage) -> Readings:
    """What is printed in each crop that is to be read, and the crops' sizes, with a pixel for each point."""
    readings: dict[int, Reading] = {}
    sizes: dict[int, tuple[int, int]] = {}
    for draft in plan.drafts:
        if draft.text_source != "ocr":
            continue
        boxes = plan.lines.get(draft.index, (draft.crop_box,) if draft.kind != "figure" else ())
        lines = [line for box in boxes for line in _read_lines(box, draft, page)]
        text = "\n".join(line.text for line in lines)
        readings[draft.index] = Reading(text=text, lines=tuple(lines), confidence=CONFIDENCE, reader=READER)
        sizes[draft.index] = max(1, round(draft.crop_box.width)), max(1, round(draft.crop_box.height))
    return readings, sizes


def _read_lines(box: BoundingBox, draft: RegionDraft, page: TruePage) -> list[ReadLine]:
    """A line for each printed line with words in a box: the finder's boxes hold one, crops without lines several."""
    by_line: dict[int, list[TrueWord]] = defaultdict(list)
    for number, line in enumerate(page.lines):
        for word in line.words:
            if box.contains(*word.box.center):
                by_line[number].append(word)
    rows: list[list[TrueWord]] = []
    for words in by_line.values():
        middle = words[0].box.center[1]
        if rows and abs(rows[-1][0].box.center[1] - middle) < 0.5 * words[0].box.height:
            rows[-1] += words
        else:
            rows.append(list(words))
    return [_read_line(words, draft) for words in rows]


def _read_line(words: Sequence[TrueWord], draft: RegionDraft) -> ReadLine:
    crop = draft.crop_box
    boxes = tuple(unrotate(word.box.shifted(-crop.x0, -crop.y0), draft.angle) for word in words)
    return ReadLine(
        text=" ".join(word.text for word in words),
        box=BoundingBox.around(list(boxes)),
        words=boxes,
        confidence=CONFIDENCE,
        word_confidences=(CONFIDENCE,) * len(words),
    )


def exact_page_reading(page: TruePage, width: float, height: float, *, with_places: bool) -> PageReading:
    """The page's blocks in reading order, as a model of whole pages writes them, with or without their places."""
    ordered = sorted(
        (line for line in page.lines if line.rank is not None and line.role is not None and line.role not in LEFT_OUT),
        key=lambda line: line.rank or 0.0,
    )
    blocks: list[PageBlock] = []
    for _, own in groupby(ordered, key=lambda line: line.block):
        lines = list(own)
        box = BoundingBox.around([line.box for line in lines]).scaled(1 / width, 1 / height)
        role = lines[0].role
        kind = KINDS.get(role, "plain text") if role is not None else "plain text"
        blocks.append(PageBlock(kind=kind, text=block_text(lines), box=box if with_places else None))
    return PageReading(blocks=tuple(blocks), confidence=CONFIDENCE, reader=READER)


def block_text(lines: Sequence[TrueLine]) -> str:
    return "\n".join(line.text for line in lines)
