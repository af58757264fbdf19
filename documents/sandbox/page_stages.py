"""A page between two calls of child processes: inspected, then drafted.

Only children read those bytes: a page of 20,000 lines would hold an event loop for seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from documents.inspection import Inspection
from documents.structure.page_draft import RegionDraft
from documents.structure.rule import RuleFailure
from documents.values import BoundingBox, Value


class InspectedPage(Value):
    """What a page's file says of it; width and height are points of the upright, cropped page."""

    number: int  # counts from 1
    width: float = Field(gt=0)
    height: float = Field(gt=0)
    must_stand_straight: bool = False  # for the text source that the inspection was made for
    content: bytes  # an Inspection as JSON

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
