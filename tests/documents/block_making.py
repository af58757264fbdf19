"""Blocks as the structure network would read them: a test says roles and order, adjacent lines make a block."""

from __future__ import annotations

from documents.segments.blocks import SegmentBlock


def blocks_of(page_inspection, roles=None, *, order=(), score=0.9):
    """Blocks of a page's visible lines: those that follow one another in the file, in one column, type and role.

    `roles` are by the text of a line; all others are "text". Blocks that begin with the texts of `order` come first, in
    its order, the others as the file has them.
    """
    roles = roles or {}
    lines = [line for line in page_inspection.lines if line.hidden is None]
    groups: list[list[int]] = []
    for k, line in enumerate(lines):
        last = lines[groups[-1][-1]] if groups else None
        if last is not None and _goes_on(last, line) and roles.get(last.text) == roles.get(line.text):
            groups[-1].append(k)
        else:
            groups.append([k])
    places = {text: place for place, text in enumerate(order)}
    groups.sort(key=lambda group: places.get(lines[group[0]].text, len(places)))
    return tuple(
        SegmentBlock(segments=tuple(group), role=roles.get(lines[group[0]].text, "text"), score=score)
        for group in groups
    )


def _goes_on(above, below):
    size = min(above.font_size, below.font_size)
    gap = below.box.y0 - above.box.y1
    is_under = min(above.box.x1, below.box.x1) > max(above.box.x0, below.box.x0)
    return above.font_size == below.font_size and is_under and -0.5 * size <= gap <= 0.7 * size
