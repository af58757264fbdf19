"""Plans and collects the OCR of one page: which regions, charts or whole page are read, and what failed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployments.ocr.read_options import READERS
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError, RendererUnavailable
from documents.sandbox.page_stages import PageReadings
from documents.values import PageWarning, Reading

MAX_READS = 32  # parts of one page that are read at once: bounds what one page takes of the reader's places
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


class PartReadings:
    """Reads the parts of one page, a bounded number at once; a part that fails leaves a warning and not its page."""

    def __init__(self, page: int, until: float) -> None:
        """`until`: by the loop's clock, after which parts stay unread."""
        self.readings: dict[int, Reading] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        self.charts: dict[int, Reading] = {}
        self.page: PageReading | None = None
        self._page = page
        self._until = until
        self._failures: dict[tuple[str, int], PageWarning] = {}
        self._gate = asyncio.Semaphore(MAX_READS)

    async def read(
        self, part: tuple[str, int], box: BoundingBox | None, reading: Callable[[], Awaitable[None]]
    ) -> None:
        """`part` is its kind and index, by which warnings are in order; `box` None: the whole page.

        Raises:
            RendererUnavailable: not because of the part: the page is tried again.
        """
        try:
            async with asyncio.timeout_at(self._until), self._gate:
                await reading()
        except RendererUnavailable:
            raise
        except (IngestError, TimeoutError) as error:
            why = error.message if isinstance(error, IngestError) else "the page reached its time limit"
            what = "a region" if box is not None else "the page"
            message = f"{what} could not be read: {why}"
            self._failures[part] = PageWarning(code="region_failed", message=message, page=self._page, box=box)

    def sorted(self, drafts: Sequence[RegionDraft]) -> PageReadings:
        """All in one order, whatever was read first; what was to be read and was not says nothing."""
        readings = self.readings
        if self.page is None:  # else its blocks are theirs
            unread = {draft.index: Reading(text="") for draft in drafts if draft.text_source == "ocr"}
            readings = {**unread, **readings}
        return PageReadings(
            readings=dict(sorted(readings.items())),
            sizes=dict(sorted(self.sizes.items())),
            charts=dict(sorted(self.charts.items())),
            page=self.page,
            warnings=[self._failures[part] for part in sorted(self._failures)],
        )


def tokens_on(box: BoundingBox) -> float:
    """Tokens to expect of what is printed in a box (PDF points), roughly: letters of 11 points, a token each."""
    return max(1.0, (box.x1 - box.x0) * (box.y1 - box.y0) / LETTER_POINTS)
