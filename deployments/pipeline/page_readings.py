"""What OCR reads of one page: regions, figures as tables, or the page as a whole; and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deployments.ocr.read_options import READERS
from documents.structure.page_draft import RegionDraft
from documents.structure.page_reading import PageReading
from documents.values import BoundingBox, PageWarning, Reading

LETTER_POINTS = 75.0  # square points that a letter of body text takes, with its share of the leading


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """Regions that are read one by one, figures whose tables are read, and whether the page is read as a whole."""

    regions: Sequence[RegionDraft]
    charts: Sequence[RegionDraft]
    whole_page: bool

    @classmethod
    def of(cls, drafts: Sequence[RegionDraft], about: Mapping[str, Any]) -> ReadingPlan:
        """For the regions of a page; `about` is what Ocr tells of its models."""
        kinds = {kind for kind, name in READERS.items() if name in about.get("readers", ())}
        regions = [draft for draft in drafts if draft.text_source == "ocr"]
        charts = [draft for draft in drafts if draft.kind == "figure"] if "chart" in kinds else []
        if about.get("unit", "region") == "region":
            return cls(regions, charts, whole_page=False)
        own = [draft for draft in regions if draft.kind in kinds]
        return cls(own, charts, whole_page=len(own) < len(regions))


@dataclass(slots=True)
class PageReadings:
    """All by the index of their drafts; sizes are (width, height) of crops in pixels."""

    readings: dict[int, Reading] = field(default_factory=dict[int, Reading])
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    charts: dict[int, Reading] = field(default_factory=dict[int, Reading])
    page: PageReading | None = None
    warnings: list[PageWarning] = field(default_factory=list[PageWarning])

    def sorted(self, drafts: Sequence[RegionDraft], warnings: list[PageWarning]) -> PageReadings:
        """The same in one order, whatever was read first; what was to be read and was not says nothing."""
        readings = dict(self.readings)
        if self.page is None:  # else its blocks are theirs
            unread = {draft.index: Reading(text="") for draft in drafts if draft.text_source == "ocr"}
            readings = {**unread, **readings}
        return PageReadings(
            readings=dict(sorted(readings.items())),
            sizes=dict(sorted(self.sizes.items())),
            charts=dict(sorted(self.charts.items())),
            page=self.page,
            warnings=warnings,
        )


def tokens_on(box: BoundingBox) -> float:
    """Tokens to expect of what is printed in a box (PDF points), roughly: letters of 11 points, a token each."""
    return max(1.0, (box.x1 - box.x0) * (box.y1 - box.y0) / LETTER_POINTS)
