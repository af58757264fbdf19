"""A page between two calls of child processes: inspected, drafted, then read.

Only children read those bytes: a page of 20,000 lines would hold an event loop for seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from documents.boxes import BoundingBox, Value
from documents.draft.page_draft import RegionDraft
from documents.draft.rule import RuleFailure
from documents.draft.whole_page_reading import PageReading
from documents.inspection import Inspection
from documents.rotated_boxes import rotate_back
from documents.values import Detection, PageWarning, Reading


class InspectedPage(Value):
    """What a page's file says of it; width and height are points of the upright, cropped page."""

    number: int  # counts from 1
    width: float = Field(gt=0)
    height: float = Field(gt=0)
    must_stand_straight: bool = False  # for the text source that the inspection was made for
    turn: int = 0  # degrees clockwise that its text is turned: the layout network gets the picture turned back
    features: bytes = b""  # of its segments, for the structure network (`packed_features`); none without visible text
    content: bytes  # an Inspection as JSON

    @property
    def picture_size(self) -> tuple[float, float]:
        """Width and height of the page turned back, in points."""
        return (self.width, self.height) if self.turn % 180 == 0 else (self.height, self.width)

    def on_page(self, detections: Iterable[Detection]) -> list[Detection]:
        """Where detections of the picture turned back lie on the page."""
        if not self.turn:
            return list(detections)
        size = self.width, self.height
        return [d.model_copy(update={"box": rotate_back(d.box, self.turn, *size)}) for d in detections]

    def inspection(self) -> Inspection:
        """The whole, for who reads pages in a process of their own; raises ValueError if it is none."""
        return Inspection.model_validate_json(self.content)


class DraftedPage(Value):
    """A page whose regions are found and not yet read."""

    number: int  # counts from 1
    drafts: tuple[RegionDraft, ...]  # without their lines
    printed_lines: Mapping[int, tuple[BoundingBox, ...]] = {}  # what is to be read of a draft, as in `ReadingPlan`
    failures: tuple[RuleFailure, ...] = ()  # rules that failed over it
    content: bytes  # the inspection and the drafts with their lines, as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReadings:
    """What was read of a drafted page, by the index of its drafts."""

    readings: Mapping[int, Reading] = field(default_factory=dict[int, Reading])
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Width and height of the crops in pixels."""
    charts: Mapping[int, Reading] = field(default_factory=dict[int, Reading])
    page: PageReading | None = None  # by a model that reads it as a whole
    warnings: Sequence[PageWarning] = ()
