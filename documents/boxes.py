"""BoundingBox and other small frozen values that regions, lines and detections are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Equal when its fields are equal; never changed after it is made. Its numbers are finite: JSON can tell them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class BoundingBox(Value):
    """A rectangle with its origin top left, after the page's rotation: in PDF points unless stated otherwise."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def overlap_x(self, other: BoundingBox) -> float:
        """The width that both share; less than 0 is the gap between boxes side by side."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def overlap_y(self, other: BoundingBox) -> float:
        """The height that both share; less than 0 is the gap between boxes one above the other."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def intersection(self, other: BoundingBox) -> float:
        """The area that both cover."""
        return max(0.0, self.overlap_x(other)) * max(0.0, self.overlap_y(other))

    def share_inside(self, outer: BoundingBox) -> float:
        """The share of this box's area that lies in another; of a box without area, 1 if its middle does."""
        return self.intersection(outer) / self.area if self.area else float(outer.contains(*self.center))

    def union(self, other: BoundingBox) -> BoundingBox:
        """The smallest box that holds both."""
        return BoundingBox(
            x0=min(self.x0, other.x0), y0=min(self.y0, other.y0), x1=max(self.x1, other.x1), y1=max(self.y1, other.y1)
        )

    def contains(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def scaled(self, x: float, y: float) -> BoundingBox:
        """In other units: `x` and `y` are the new units a present one."""
        return BoundingBox(x0=self.x0 * x, y0=self.y0 * y, x1=self.x1 * x, y1=self.y1 * y)

    def widened(self, x: float, y: float) -> BoundingBox:
        """With a margin of `x` left and right, and of `y` above and below."""
        return BoundingBox(x0=self.x0 - x, y0=self.y0 - y, x1=self.x1 + x, y1=self.y1 + y)

    def clipped(self, sheet: BoundingBox) -> BoundingBox:
        """The part that lies on a sheet."""
        return BoundingBox(
            x0=max(sheet.x0, self.x0), y0=max(sheet.y0, self.y0), x1=min(sheet.x1, self.x1), y1=min(sheet.y1, self.y1)
        )

    def shifted(self, x: float, y: float) -> BoundingBox:
        return BoundingBox(x0=self.x0 + x, y0=self.y0 + y, x1=self.x1 + x, y1=self.y1 + y)

    def mirrored(self, about: float = 0.0) -> BoundingBox:
        """As seen in a mirror that stands upright at `about`."""
        return BoundingBox(x0=2 * about - self.x1, y0=self.y0, x1=2 * about - self.x0, y1=self.y1)

    @classmethod
    def around(cls, boxes: list[BoundingBox]) -> Self:
        """The smallest box that holds all of `boxes` (at least one)."""
        if len(boxes) == 1 and type(boxes[0]) is cls:
            return boxes[0]
        return cls(
            x0=min(b.x0 for b in boxes),
            y0=min(b.y0 for b in boxes),
            x1=max(b.x1 for b in boxes),
            y1=max(b.y1 for b in boxes),
        )


AnyValue = TypeVar("AnyValue", bound=Value)
PLAIN_TYPES = (str, int, float, type(None))  # types of fields that contain no box
Move = Callable[[BoundingBox], BoundingBox]
Update = Callable[[Value], Mapping[str, Any]]  # new fields of a value


def with_boxes(value: AnyValue, move: Move, update: Update = lambda _: {}) -> AnyValue:
    """The value with every box in it moved, however deep, and with an update of it and of each value in it."""

    def new(field: Any) -> Any:
        if isinstance(field, BoundingBox):
            return move(field)
        if isinstance(field, Value):
            return with_boxes(field, move, update)
        return tuple(map(new, field)) if isinstance(field, tuple) else field

    fields = {name: new(field) for name, field in vars(value).items() if not isinstance(field, PLAIN_TYPES)}
    return value.model_copy(update={**fields, **update(value)})


# the box of an item that is on no printed page; its `place` says where it is
NO_BOX = BoundingBox(x0=0, y0=0, x1=0, y1=0)
