"""How a straightened page lies in its picture (rotation, skew, perspective), to map boxes back."""

from __future__ import annotations

import math
from typing import Literal, Self

import numpy as np

from documents.boxes import AnyValue, BoundingBox, Value, with_boxes
from documents.region_values import Region, Span
from documents.text.ink_extent import type_size_of_ink
from documents.values import Page

Point = tuple[float, float]
Change = Literal["turned", "deskewed", "evened"]  # by quarters; out of a slant or perspective; out of uneven light

MIN_CORNER_SHIFT = 0.5  # points; the page is not drawn again for a smaller shift of its corners


class Pose(Value):
    """`corners` (top left, top right, bottom right, bottom left) are points of the page as the file shows it.

    They become the corners of the straightened page, whose (width, height) in points is `size`. `uneven` says that its
    light is to be evened out.
    """

    size: tuple[float, float]
    corners: tuple[Point, Point, Point, Point]
    uneven: bool = False

    @classmethod
    def of_page(cls, width: float, height: float) -> Self:
        """The page as it is."""
        return cls(size=(width, height), corners=((0, 0), (width, 0), (width, height), (0, height)))

    def shows(self, width: float, height: float) -> bool:
        """Whether the straightened page is the page itself, which is so large, in points."""
        own = Pose.of_page(width, height).corners
        near = all(math.dist(a, b) <= MIN_CORNER_SHIFT for a, b in zip(self.corners, own, strict=True))
        return near and math.dist(self.size, (width, height)) <= MIN_CORNER_SHIFT and not self.uneven

    def changes(self, width: float, height: float) -> tuple[Change, ...]:
        """What is done to a page that is so large, in points, for it to stand straight; none if it does."""
        if self.shows(width, height):
            return ()
        turned = Pose.of_page(width, height).turned(self.angle)
        level = all(math.dist(a, b) <= MIN_CORNER_SHIFT for a, b in zip(self.corners, turned.corners, strict=True))
        done: tuple[tuple[Change, bool], ...] = (
            ("turned", bool(self.angle)),
            ("deskewed", not level),
            ("evened", self.uneven),
        )
        return tuple(change for change, is_done in done if is_done)

    @property
    def angle(self) -> int:
        """Degrees clockwise that the straightened page stands turned on the page, to the nearest quarter."""
        (x0, y0), (x1, y1) = self.corners[:2]
        return round(math.degrees(math.atan2(y1 - y0, x1 - x0)) / 90) * 90 % 360

    def turned(self, angle: int) -> Pose:
        """The pose once it is known that the straightened page still stands turned clockwise by `angle` (quarters)."""
        steps = angle // 90 % 4
        size = self.size if steps % 2 == 0 else self.size[::-1]
        a, b, c, d = (*self.corners[steps:], *self.corners[:steps])
        return self.model_copy(update={"size": size, "corners": (a, b, c, d)})

    def to_page(self) -> np.ndarray:
        """float64 (3, 3): homogeneous points of the straightened page to points of the page."""
        (width, height), rows, targets = self.size, [], []
        for (u, v), (x, y) in zip(((0, 0), (width, 0), (width, height), (0, height)), self.corners, strict=True):
            rows += [[u, v, 1, 0, 0, 0, -u * x, -v * x], [0, 0, 0, u, v, 1, -u * y, -v * y]]
            targets += [x, y]
        return np.append(np.linalg.solve(np.array(rows, float), np.array(targets, float)), 1.0).reshape(3, 3)


def moved(box: BoundingBox, matrix: np.ndarray) -> BoundingBox:
    """The box around a box whose corners are moved by a homography (3, 3)."""
    corners = np.array([[box.x0, box.x1, box.x1, box.x0], [box.y0, box.y0, box.y1, box.y1], [1, 1, 1, 1]], float)
    x, y, scale = matrix @ corners
    x, y = np.round(x / scale, 2), np.round(y / scale, 2)
    return BoundingBox(x0=float(x.min()), y0=float(y.min()), x1=float(x.max()), y1=float(y.max()))


def moved_within(value: AnyValue, matrix: np.ndarray) -> AnyValue:
    """The value, with every box in it moved, however deep."""
    return with_boxes(value, lambda box: moved(box, matrix))


def on_page(page: Page, pose: Pose, size: tuple[float, float]) -> Page:
    """The facts of a straightened page, all boxes in points of the page itself, whose (width, height) is `size`.

    A box of a skewed line is the upright box around it. Lines keep the size of their type, which their boxes no longer
    tell.
    """
    matrix = pose.to_page()
    regions = tuple(_region(region, pose.angle) for region in page.regions)
    moved = moved_within(page.model_copy(update={"regions": regions}), matrix)
    return moved.model_copy(update={"size": size})


def _region(region: Region, angle: int) -> Region:
    spans = tuple(_sized(span, region.angle) for span in region.spans)
    return region.model_copy(update={"angle": (region.angle + angle) % 360, "spans": spans})


def _sized(span: Span, angle: int) -> Span:
    if span.font_size is not None:
        return span
    height = span.box.width if angle % 180 else span.box.height
    return span.model_copy(update={"font_size": round(type_size_of_ink(span.text, height), 2)})
