"""Makes plain text of a region that was taken for a title or for furniture before."""

from __future__ import annotations

from collections.abc import Sequence

from documents.region_values import Region, Span, as_kind
from documents.text.list_markers import Lead, list_items


def as_text(region: Region) -> Region:
    """The region as plain text with its list items; a mark stands where a printed line begins."""
    numbers = {span.text_start: k for k, span in enumerate(region.spans)}
    lines: list[tuple[str, Lead | None]] = []
    start = 0
    for line in region.text.split("\n"):
        number = numbers.get(start)
        lines.append((line, None if number is None else _lead(line, region.spans[number : number + 2])))
        start += len(line) + 1
    return as_kind(region, "plain text", items=tuple(list_items(lines, region.box)))


def _lead(line: str, spans: Sequence[Span]) -> Lead:
    """The first word of a line, which begins with a printed line or is one, and the room after it."""
    word, first = line.split(" ", 1)[0], spans[0]
    if word == first.text.strip() and len(spans) > 1:
        return Lead(first.box, spans[1].box.x0 - first.box.x1)
    end = first.box.x0 + first.box.width * min(1.0, len(word) / max(1, len(first.text)))
    return Lead(first.box.model_copy(update={"x1": end}), 0.0)
