"""Formulas that a page displays are regions of their own, with the lines that they are set on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.draft.page_draft import AREA_KINDS, PageDraft, Part
from documents.formulas.displays import Display, DisplayLimits, displays
from documents.formulas.prose import is_prose
from documents.inspection import TextLine
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import Role
from documents.text.list_markers import marker_of
from documents.values import Detection

EXCLUDED_ROLES: tuple[Role, ...] = ("code", "title", "heading", "contents", "page_header", "page_footer", "page_number")
SYMBOLS_SCORE = 0.5  # score of a formula that its symbols show


def find_formulas(page: PageDraft, limits: DisplayLimits) -> PageDraft:
    """The parts, and one for each displayed formula: the layout network's boxes of formulas are too rough for lines."""
    lines = page.layer.lines
    if not any(line.glyphs for line in lines):
        return page
    blocks = {k: place for place, block in enumerate(page.blocks) for k in block.segments}
    areas = [part.detection.box for part in page.parts if part.kind in AREA_KINDS]

    def is_held(k: int) -> bool:
        role = page.blocks[blocks[k]].role if k in blocks else None
        return role in EXCLUDED_ROLES or any(area.contains(*lines[k].box.center) for area in areas)

    texts = _Texts(lines, page.blocks)
    formulas = [
        _part(display, lines, blocks)
        for display in displays(lines, page.inspection.bars, limits)
        if 2 * sum(len(lines[k].glyphs) for k in display.lines if is_held(k)) < len(display.glyphs)
        and not texts.hold(display)
    ]
    return replace(page, parts=(*page.parts, *formulas))


class _Texts:
    """The paragraphs and items of a page, as the structure network reads them."""

    def __init__(self, lines: Sequence[TextLine], blocks: Sequence[SegmentBlock]) -> None:
        self._lines = lines
        texts = [block for block in blocks if block.role != "formula"]
        self._prose = [sum(is_prose(lines[k]) for k in block.segments) for block in texts]
        self._places = {k: place for place, block in enumerate(texts) for k in block.segments}
        self._items = {block.segments[0] for block in texts if block.role == "list_item"}

    def hold(self, display: Display) -> bool:
        """Whether a formula begins an item with its mark, or is a part of a text that has prose on other lines."""
        if any(k in self._items and marker_of(self._lines[k].text) for k in display.lines):
            return True
        own = [k for k in display.lines if k in self._places]
        own_prose = Counter(self._places[k] for k in own if is_prose(self._lines[k]))
        return any(self._prose[place] > own_prose[place] for place in {self._places[k] for k in own})


def _part(display: Display, lines: Sequence[TextLine], blocks: Mapping[int, int]) -> Part:
    own_number = () if display.number is None else (display.number,)
    return Part(
        detection=Detection(kind="isolate_formula", box=display.box, score=SYMBOLS_SCORE),
        kind="isolate_formula",
        lines=tuple(lines[k] for k in (*display.lines, *own_number)),
        role="formula",
        order=min((blocks[k] for k in display.lines if k in blocks), default=None),
    )
