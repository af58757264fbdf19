"""Formulas that a page displays are regions of their own, with the lines that they are set on."""

from __future__ import annotations

from dataclasses import replace

from documents.draft.page_draft import PageDraft, Part
from documents.formulas.displays import Display, DisplayLimits, displays
from documents.segments.roles import Role
from documents.values import Detection

HELD: tuple[Role, ...] = ("code", "title", "heading", "contents", "page_header", "page_footer", "page_number")
SCORE = 0.5  # of a formula that its signs show
AREAS = ("table", "figure")  # whose lines are theirs


def find_formulas(page: PageDraft, limits: DisplayLimits) -> PageDraft:
    """The parts with one for each displayed formula; where the layout network saw one says nothing of lines."""
    lines = page.layer.lines
    if not any(line.glyphs for line in lines):
        return page
    roles = {k: block.role for block in page.blocks for k in block.segments}
    areas = [part.detection.box for part in page.parts if part.kind in AREAS]
    own = [roles.get(k) in HELD or any(area.contains(*line.box.center) for area in areas) for k, line in enumerate(lines)]
    formulas = [
        _part(page, display)
        for display in displays(lines, page.inspection.bars, limits)
        if 2 * sum(len(lines[k].glyphs) for k in display.lines if own[k]) < len(display.glyphs)
    ]
    return replace(page, parts=(*page.parts, *formulas))


def _part(page: PageDraft, display: Display) -> Part:
    places = {k: place for place, block in enumerate(page.blocks) for k in block.segments}
    return Part(
        detection=Detection(kind="isolate_formula", box=display.box, score=SCORE),
        kind="isolate_formula",
        lines=tuple(page.layer.lines[k] for k in display.lines),
        role="formula",
        order=min((places[k] for k in display.lines if k in places), default=None),
    )
