"""Plans and collects the OCR of one page: which regions, charts or whole page are read, and what failed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployments.values.read_options import FIGURE_TABLE, READERS, WHOLE_PAGE, CropRead, ReadOptions
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError
from documents.regions.scanned_lines import within_crop
from documents.sandbox.page_stages import Crop, DraftedPage, PageReadings
from documents.values import OcrMode, PageWarning, Reading

MAX_READS = 32  # parts of one page that are read at once: bounds what one page takes of the reader's places
LETTER_POINTS = 75.0  # square points that a letter of body text takes, with its share of the leading
PAGE_COST = 2000.0  # expected tokens of a page that is read as a whole
LATE_REASON = "the page reached its time limit"
LATE_CROP = CropRead(0, (0, 0), IngestError(LATE_REASON))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A crop of a page, and how it is read."""

    crop: Crop
    options: ReadOptions
    index: int = -1  # of its draft, where it is no whole page
    box: BoundingBox | None = None  # of its draft

    @property
    def is_region(self) -> bool:
        """Whether its reading is the text of its draft, and not the table of its figure, or that of the whole page."""
        return self.options.kind not in (FIGURE_TABLE, WHOLE_PAGE)

    @property
    def cost(self) -> float:
        """Tokens to expect, roughly: letters of 11 points, a token each."""
        return PAGE_COST if self.crop.box is None else max(1.0, self.crop.box.area / LETTER_POINTS)


def parts_of(page: DraftedPage, mode: OcrMode, dpi: float, about: Mapping[str, Any]) -> list[Part]:
    """Figures whose tables are read, the page where it is read as a whole, and regions that are read one by one.

    `about` is what Ocr tells of its models.
    """
    kinds = {kind for kind, name in READERS.items() if name in about.get("readers", ())}

    def part(draft: RegionDraft, kind: str, lines: Sequence[BoundingBox] | None = None) -> Part:
        within = None if lines is None else within_crop(lines, draft.crop_box)
        crop = Crop(box=draft.crop_box, angle=draft.angle, dpi=dpi)
        return Part(crop, ReadOptions(mode=mode, kind=kind, lines=within), draft.index, draft.box)

    in_order = sorted(page.drafts, key=lambda draft: draft.index)
    charts = [part(draft, FIGURE_TABLE) for draft in in_order if FIGURE_TABLE in kinds and draft.kind == "figure"]
    drafts = [draft for draft in in_order if draft.text_source == "ocr"]
    by_region = about.get("unit", "region") == "region"
    own = [draft for draft in drafts if by_region or draft.kind in kinds]
    regions = [part(draft, draft.kind, page.printed_lines.get(draft.index)) for draft in own]
    if len(own) == len(drafts):
        return [*charts, *regions]
    long_side = about.get("page_long_side")
    whole = Crop(dpi=dpi) if long_side is None else Crop(long_side=long_side)
    return [*charts, Part(whole, ReadOptions(kind=WHOLE_PAGE)), *regions]


def readings_of(page: DraftedPage, reads: Mapping[Part, CropRead]) -> PageReadings:
    """What was read, and what failed, in the order of `reads`; what was to be read and was not says nothing."""
    regions: dict[int, Reading] = {}
    sizes: dict[int, tuple[int, int]] = {}
    charts: dict[int, Reading] = {}
    whole: PageReading | None = None
    warnings: list[PageWarning] = []
    for part, read in reads.items():
        if isinstance(read.result, IngestError):
            message = f"{'a region' if part.box else 'the page'} could not be read: {read.result.message}"
            warnings.append(PageWarning(code="region_failed", message=message, page=page.number, box=part.box))
        elif isinstance(read.result, PageReading):
            whole = read.result
        elif part.is_region:
            regions[part.index] = read.result
            sizes[part.index] = read.size
        else:
            charts[part.index] = read.result
    if whole is None:  # else its blocks are the text of what is unread
        regions = {draft.index: Reading(text="") for draft in page.drafts if draft.text_source == "ocr"} | regions
    ordered = dict(sorted(regions.items()))
    return PageReadings(readings=ordered, sizes=sizes, charts=charts, page=whole, warnings=tuple(warnings))


class ReadPlaces:
    """Bounds how many parts of one page and of the pictures in it are read at once, and until when."""

    def __init__(self, seconds: float) -> None:
        self.until = asyncio.get_running_loop().time() + seconds  # then parts stay unread
        self._free = asyncio.Semaphore(MAX_READS)
        self._turn = asyncio.Lock()  # two that wait for the rest of their places would wait for ever

    @contextlib.asynccontextmanager
    async def taken(self, count: int) -> AsyncIterator[None]:
        """Holds so many places."""
        with contextlib.ExitStack() as held:
            async with self._turn:
                for _ in range(count):
                    await self._free.acquire()
                    held.callback(self._free.release)
            yield
