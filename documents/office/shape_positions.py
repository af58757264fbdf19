"""Computes where shapes lie on a slide, also within groups."""

from __future__ import annotations

from dataclasses import dataclass

from documents.office.xml_parsing import Element, attribute, child, name_of
from documents.values import BoundingBox

EMU = 12_700  # to the point
MAX_POINTS = 1e6


@dataclass(frozen=True, slots=True)
class Transform:
    """From units of a group to points of the slide: scaled, then shifted."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    shift_x: float = 0.0
    shift_y: float = 0.0

    def applied(self, box: BoundingBox) -> BoundingBox:
        return box.scaled(self.scale_x, self.scale_y).shifted(self.shift_x, self.shift_y)

    def within(self, group: Element) -> Transform:
        """Of the shapes in a group that itself stands under this transform."""
        frame = child(group, "grpSpPr", "xfrm")
        own, inner = _corner(frame, "off", "ext"), _corner(frame, "chOff", "chExt")
        if own is None or inner is None or not inner.width or not inner.height:
            return self
        scale_x, scale_y = own.width / inner.width, own.height / inner.height
        return Transform(
            self.scale_x * scale_x,
            self.scale_y * scale_y,
            self.shift_x + self.scale_x * (own.x0 - inner.x0 * scale_x),
            self.shift_y + self.scale_y * (own.y0 - inner.y0 * scale_y),
        )


def box_of(shape: Element) -> BoundingBox | None:
    """In points of whatever it stands in; None where it inherits its place."""
    frame = child(shape, "xfrm") if name_of(shape) == "graphicFrame" else child(shape, "spPr", "xfrm")
    return _corner(frame, "off", "ext")


def _corner(frame: Element | None, corner: str, extent: str) -> BoundingBox | None:
    at, size = child(frame, corner), child(frame, extent)
    if at is None or size is None:
        return None
    x, y = _points(attribute(at, "x")), _points(attribute(at, "y"))
    return BoundingBox(x0=x, y0=y, x1=x + _points(attribute(size, "cx")), y1=y + _points(attribute(size, "cy")))


def _points(text: str | None) -> float:
    try:
        return max(-MAX_POINTS, min(MAX_POINTS, int(text or "0") / EMU))
    except ValueError:
        return 0.0
