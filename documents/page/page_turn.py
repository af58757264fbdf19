"""Turns all that is known of a page upright, and what is made of it back to how the page lies in its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from documents.boxes import AnyValue, BoundingBox, Value, with_boxes
from documents.draft.whole_page_reading import PageReading
from documents.inspection import InkGrid, Inspection
from documents.rotated_boxes import page_turn, rotate_back
from documents.values import Page

NUM_DECIMALS = 9  # decimals of a turned edge: turned upright, back and upright again, it is the same number


@dataclass(frozen=True, slots=True)
class PageTurn:
    """How a page lies in its file: turned clockwise by `angle` degrees, and so large there, in points."""

    angle: int
    width: float
    height: float

    @classmethod
    def of(cls, inspection: Inspection) -> PageTurn:
        is_straightened = inspection.printed_lines is not None  # by its picture, whatever its text layer says
        angle = 0 if is_straightened else page_turn(inspection.lines)
        return cls(angle, inspection.width, inspection.height)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the upright page."""
        return (self.width, self.height) if self.angle % 180 == 0 else (self.height, self.width)

    @property
    def back(self) -> PageTurn:
        """The turn that undoes this one."""
        return PageTurn(-self.angle % 360, *self.size)

    def upright(self, value: AnyValue) -> AnyValue:
        """The value with each box in it turned back, however deep; its angles are those on the upright page."""
        return with_boxes(value, self._box, self._new_angle) if self.angle else value

    def all_upright(self, values: Iterable[AnyValue]) -> tuple[AnyValue, ...]:
        return tuple(map(self.upright, values))

    def inspection(self, inspection: Inspection) -> Inspection:
        """The inspection of the upright page."""
        if not self.angle:
            return inspection
        width, height = self.size
        update = {"width": width, "height": height, "ink": self._ink(inspection.ink)}
        return self.upright(inspection).model_copy(update=update)

    def reading(self, reading: PageReading | None) -> PageReading | None:
        """A reading of the whole page, whose boxes are in shares of its width and height."""
        return None if reading is None else PageTurn(self.angle, 1.0, 1.0).upright(reading)

    def page(self, page: Page) -> Page:
        """The finished page."""
        return self.upright(page).model_copy(update={"size": self.size}) if self.angle else page

    def _box(self, box: BoundingBox) -> BoundingBox:
        turned = self._exact(box)
        return BoundingBox(
            x0=round(turned.x0, NUM_DECIMALS),
            y0=round(turned.y0, NUM_DECIMALS),
            x1=round(turned.x1, NUM_DECIMALS),
            y1=round(turned.y1, NUM_DECIMALS),
        )

    def _exact(self, box: BoundingBox) -> BoundingBox:
        return rotate_back(box, -self.angle % 360, *self.size)

    def _new_angle(self, value: Value) -> Mapping[str, int]:
        angle = getattr(value, "angle", None)
        return {} if angle is None else {"angle": (angle - self.angle) % 360}

    def _ink(self, ink: InkGrid) -> InkGrid:
        first = self._exact(ink.box)
        cells = np.rot90(ink.cells(), self.angle // 90)
        return InkGrid.of(cells, ink.cell).model_copy(update={"left": first.x0, "top": first.y0})
