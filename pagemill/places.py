"""The client's values for where something stands: a box on a page, or a place in an Office file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Equal when its fields are equal; never changed after it is made."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TextRange(Value):
    """`text[start:end]`."""

    start: int
    end: int


class BoundingBox(Value):
    """PDF points of the upright page, origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float


class Place(Value):
    """Where something stands in a file without printed pages; docs/formats.md has the fields of each kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: str  # document, slide, sheet, element, lines, mail
    inside: tuple[str, ...] = ()  # attachments and archive entries that lead to the file, outermost first

    def __str__(self) -> str:
        """For a person: `Sheet1!B3:F40`, `slide 3, Title 1`, `body/p[12]`."""
        return " › ".join((*self.inside, _where(self.kind, self.model_extra or {})))


class PassageBox(Value):
    """Where a line of the passage stands: in a box of the page, at a place, or both on slides."""

    page: int
    box: BoundingBox | None = None
    place: Place | None = None


def _where(kind: str, fields: Mapping[str, Any]) -> str:
    """What a place says within its file."""
    match kind:
        case "document":
            under = f" under “{fields['heading']}”" if fields.get("heading") else ""
            page = f"page {fields['page']}, " if fields.get("page") else ""
            return f"{page}{fields.get('path', '')}{under}"
        case "slide":
            part = fields.get("part", "slide")
            return f"slide {fields.get('slide')}, {fields.get('shape') or part}"
        case "sheet":
            return "!".join(filter(None, (fields.get("sheet", ""), fields.get("range", ""))))
        case "element":
            file = fields.get("chapter") or fields.get("file")
            return f"{file}, {fields.get('path', '')}" if file else str(fields.get("path", ""))
        case "lines":
            return f"lines {fields.get('first')}–{fields.get('last')}"
        case "mail":
            return f"part {fields.get('part')} {fields.get('path', '')}".strip()
        case _:
            return kind
