"""One page from its blob to its facts, with every other deployment stood in for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import numpy as np
import pytest

from configs import Settings
from deployments.pipeline.deployment import Pipeline
from deployments.pipeline.page_ocr import MAX_READS
from deployments.values.page_job import PageJob
from deployments.values.read_options import WHOLE_PAGE, CropRead, ReadOptions
from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.errors import IngestError, PageFailed
from documents.inspection import InkGrid, Inspection, TextLine
from documents.media_types import DOCX
from documents.page.build_page import compose_page, draft_regions
from documents.page.picture_need import PictureEvidence
from documents.region_values import FigureRegion
from documents.sandbox.page_stages import ComposeCall, Crop, DraftedPage, InspectedPage, PageReadings, PageView
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import Role
from documents.straighten.pose import Pose
from documents.values import Detection, Opened, Page, PageWarning, Reading, ReadLine, Source
from tests.deployments.ingress.handles import Handle

SIZE = 612.0, 792.0
REGIONS = [BoundingBox(x0=60, y0=100 * k, x1=300, y1=100 * k + 20) for k in range(1, 5)]
INK = np.zeros((198, 153), bool)
for _box in REGIONS:
    INK[int(_box.y0 // 4) : int(_box.y1 // 4), int(_box.x0 // 4) : int(_box.x1 // 4)] = True
FAILING = (0, 2)  # regions that cannot be read
SEEN = Inspection(number=1, width=SIZE[0], height=SIZE[1], ink=InkGrid.of(INK, 4.0), images=tuple(REGIONS))
SOURCE = Source(path="x", media_type="image/png")
UNREAD = b"what only children read"
FEATURES, AFTER_OCR = b"of the file's lines", b"of lines that OCR read"


def job(text_source: Any = "auto", *, number: int = 1, seconds: float = 600, **options: Any) -> PageJob:
    values = {"source": SOURCE, **options}
    return PageJob(number=number, text_source=text_source, until=time.time() + seconds, **values)


def block(segment: int, role: Role = "text") -> SegmentBlock:
    return SegmentBlock(segments=(segment,), role=role, score=0.9)


class Parts:
    """Renderer, Layout and Ocr of a page of four regions, which are read in the order of `turns`."""

    def __init__(self, turns: list[int], lines: tuple[TextLine, ...]) -> None:
        self._turns, self.posed = turns, False
        self._seen = SEEN.model_copy(update={"lines": lines})
        self.asked: list[bytes] = []  # features of which the blocks were asked
        self.num_read = 0
        self._read = [asyncio.Event() for _ in turns]

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        page = InspectedPage(source=job.source, number=job.number, size=SIZE, features=FEATURES, content=UNREAD)
        return page.straightened(Pose.of_page(*SIZE)) if job.text_source == "ocr" else page

    async def straightened(self, page: PageView) -> InspectedPage:
        self.posed = True
        return InspectedPage(**dict(page), features=FEATURES, content=UNREAD)

    async def draft(self, page: InspectedPage, detections: list[Detection], **options: Any) -> DraftedPage:
        assert page.content == UNREAD
        return DraftedPage(**dict(page.view), drafts=draft_regions(self._seen, detections, **options), content=UNREAD)

    async def blocks(self, features: bytes, *, label: str) -> tuple[SegmentBlock, ...]:
        self.asked.append(features)
        return tuple(map(block, range(len(self._seen.lines)))) if features == FEATURES else ()

    async def segments(self, page: DraftedPage, readings: PageReadings) -> bytes:
        assert page.content == UNREAD
        self.num_read = len(readings.readings)
        return AFTER_OCR

    async def compose(self, call: ComposeCall) -> Page:
        straight = Pose.of_page(*SIZE) if self.posed else None
        page, read = call.page, call.readings
        assert (page.content, page.pose, page.size) == (UNREAD, straight, SIZE)
        return compose_page(
            self._seen,
            page.drafts,
            read.readings,
            read.sizes,
            read.warnings,
            page_reading=read.page,
            charts=read.charts,
            blocks=call.blocks,
            low_confidence=call.low_confidence,
        )

    async def direction(self, *_: object, **__: object) -> int:
        return 0

    async def about(self) -> dict[str, Any]:
        return {"image_size": 1024, "crop_margin": (0.0, 0.0)}

    async def crop(self, _: PageView, crop: Crop) -> Any:
        return crop.box

    async def crops(self, page: PageView, crops: Sequence[Crop]) -> list[Any]:
        return [await self.crop(page, crop) for crop in crops]

    async def detect(self, *_: object, **__: object) -> list[Detection]:
        return [Detection(kind="plain text", box=box, score=0.9) for box in REGIONS]

    async def read_crops(
        self, crops: list[Any], options: Sequence[ReadOptions], *, label: str, cost: float
    ) -> AsyncIterator[CropRead]:
        async def read(index: int) -> CropRead:
            try:
                whole = options[index].kind == WHOLE_PAGE
                return CropRead(index, (240, 20), await (self.read_page if whole else self.read)(crops[index]))
            except IngestError as error:
                return CropRead(index, (0, 0), error)

        reads = [asyncio.ensure_future(read(index)) for index in range(len(crops))]
        try:
            for one in asyncio.as_completed(reads):
                yield await one
        finally:
            for one in reads:
                one.cancel()

    async def read_page(self, picture: Any) -> PageReading:
        raise NotImplementedError

    async def read(self, crop: BoundingBox) -> Reading:
        number = REGIONS.index(crop)
        turn = self._turns.index(number)
        if turn:
            await self._read[turn - 1].wait()
        self._read[turn].set()
        if number in FAILING:
            raise PageFailed(f"region {number}")
        return Reading(text="x", warnings=(PageWarning(code=f"code_{number}", message="m"),))


def page_read_in(turns: list[int], lines: tuple[TextLine, ...] = ()) -> str:
    async def main() -> str:
        parts = Parts(turns, lines)
        handle: Any = Handle(parts)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        page, _ = await pipeline.page(job("ocr"))
        assert parts.posed
        assert sum(warning.code != "text_layer_kept" for warning in page.warnings) == len(REGIONS)
        return page.model_dump_json()

    return asyncio.run(main())


@pytest.mark.parametrize("turns", [[3, 2, 1, 0], [2, 0, 3, 1]])
def test_a_page_is_the_same_in_whichever_order_its_regions_are_read(turns: list[int]) -> None:
    """Guards against warnings in the order of completion: the same page had other bytes in other company."""
    assert page_read_in(turns) == page_read_in([0, 1, 2, 3])


def test_a_region_that_cannot_be_read_has_the_words_of_the_text_layer() -> None:
    """Guards against printed words that are lost with a replica or a limit of time, though the file has them."""
    lines = tuple(TextLine(text=f"Line {k}", box=box, font_size=12, fonts=("Serif",)) for k, box in enumerate(REGIONS))
    page = Page.model_validate_json(page_read_in([0, 1, 2, 3], lines))
    texts = {region.box.y0: (region.text, region.text_source) for region in page.regions}
    assert [texts[box.y0] for box in REGIONS] == [
        ("Line 0", "text_layer"),
        ("x", "ocr"),
        ("Line 2", "text_layer"),
        ("x", "ocr"),
    ]
    assert [line.text for line in page.dropped] == ["Line 1", "Line 3"]


class FromBelow(Parts):
    """Once OCR has read them, the structure network reads the regions from the last to the first."""

    async def read(self, crop: BoundingBox) -> Reading:
        number = REGIONS.index(crop)
        if number in FAILING:
            raise PageFailed(f"region {number}")
        line = ReadLine(text=f"Read {number}", box=BoundingBox(x0=0, y0=0, x1=240, y1=20), confidence=0.9)
        return Reading(text=line.text, lines=(line,))

    async def blocks(self, features: bytes, *, label: str) -> tuple[SegmentBlock, ...]:
        assert label == "a document"
        before = await super().blocks(features, label=label)
        return before or tuple(block(k, "heading") for k in (3, 2, 1, 0))


def test_regions_that_ocr_read_stand_in_the_order_and_have_the_roles_of_their_blocks() -> None:
    """Guards against scans whose structure is that of their boxes alone, and against blocks of the lines before OCR."""

    async def main() -> None:
        lines = tuple(TextLine(text=f"Line {k}", box=box, font_size=12, fonts=("A",)) for k, box in enumerate(REGIONS))
        parts = FromBelow([0, 1, 2, 3], lines)
        handle: Any = Handle(parts)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        page, _ = await pipeline.page(job("ocr", label="a document"))
        assert parts.asked == [FEATURES, AFTER_OCR]
        assert parts.num_read == len(REGIONS)
        assert [region.box.y0 for region in page.regions] == [box.y0 for box in reversed(REGIONS)]
        assert [region.kind for region in page.regions if region.text_source == "ocr"] == ["title"] * 2

    asyncio.run(main())


def test_the_structure_network_reads_a_page_that_needs_no_ocr_once() -> None:
    """Guards against two passes of the network over every born-digital page."""

    async def main() -> None:
        lines = tuple(TextLine(text=f"Line {k}", box=box, font_size=12, fonts=("A",)) for k, box in enumerate(REGIONS))
        parts = Parts([], lines)
        handle: Any = Handle(parts)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        page, _ = await pipeline.page(job("text_layer"))
        assert parts.asked == [FEATURES]
        assert len(page.regions) == len(REGIONS)

    asyncio.run(main())


class Plain(Parts):
    """A page whose file says whether its picture may show figures; counts what is drawn and looked at."""

    def __init__(self, *, may_show_figures: bool, role: Role = "text") -> None:
        lines = (TextLine(text=f"Line {k}", box=box, font_size=12, fonts=("A",)) for k, box in enumerate(REGIONS))
        super().__init__([], tuple(lines))
        self._picture = PictureEvidence(may_show_figures=may_show_figures)
        self._cell = 0.9 if role == "table" else 0.0
        self._role: Role = role
        self.num_drawn = self.num_looks = 0

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        page = await super().open_page(job)
        return page.model_copy(update={"picture": self._picture}) if isinstance(page, InspectedPage) else page

    async def blocks(self, features: bytes, *, label: str) -> tuple[SegmentBlock, ...]:
        blocks = await super().blocks(features, label=label)
        return tuple(one.model_copy(update={"role": self._role, "cell": self._cell}) for one in blocks)

    async def crop(self, _: PageView, crop: Crop) -> Any:
        self.num_drawn += 1
        return crop.box

    async def detect(self, *_: object, **__: object) -> list[Detection]:
        self.num_looks += 1
        return await super().detect()


@pytest.mark.parametrize(
    ("parts", "when", "num_looks"),
    [
        (Plain(may_show_figures=False), "needed", 0),
        (Plain(may_show_figures=False), "always", 1),
        (Plain(may_show_figures=True), "needed", 1),
        (Plain(may_show_figures=False, role="table"), "needed", 1),
    ],
)
def test_a_page_is_drawn_and_looked_at_only_where_its_picture_may_show_something(
    parts: Plain, when: str, num_looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against pages that are drawn for nobody, a setting without a reader, and looks that nobody counts."""

    async def main() -> None:
        handle: Any = Handle(parts)
        settings = Settings.model_validate({"layout": {"when": when}})
        pipeline = await asyncio.to_thread(Pipeline, settings, handle, handle, handle, handle)
        counted: list[dict[str, str]] = []
        monkeypatch.setattr(pipeline._looks, "inc", lambda *, tags: counted.append(tags))
        page, _ = await pipeline.page(job())
        assert (parts.num_drawn, parts.num_looks) == (num_looks, num_looks)
        assert counted == [{"looked_at": "yes" if num_looks else "no"}]
        words = " ".join(region.text for region in page.regions).split()
        assert sorted(words) == sorted(["Line", "0", "Line", "1", "Line", "2", "Line", "3"])

    asyncio.run(main())


class Upended(Parts):
    """OCR sees that the page stands turned by a quarter."""

    view: PageView

    async def direction(self, *_: object, **__: object) -> int:
        return 90

    async def straightened(self, page: PageView) -> InspectedPage:
        self.view = page
        raise PageFailed("as far as here")


def test_a_scan_is_seen_with_the_right_end_up_that_ocr_sees() -> None:
    """Guards against the child's pose alone, which cannot tell which end of a scan is up."""

    async def main() -> None:
        parts = Upended([], ())
        handle: Any = Handle(parts)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        with pytest.raises(PageFailed):
            await pipeline.page(job("ocr"))
        assert parts.view.pose == Pose.of_page(*SIZE).turned(90)

    asyncio.run(main())


class Carrying(Parts):
    """The page is one of a spreadsheet."""

    sheet = Page(number=2, size=(0, 0), form="sheet", name="tariff.csv")

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        return self.sheet


def test_a_page_that_nobody_drew_is_as_its_author_wrote_it() -> None:
    async def main() -> None:
        handle: Any = Handle(Carrying([], ()))
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        page, timings = await pipeline.page(job(number=2))
        assert page == Carrying.sheet
        assert list(timings) == ["parse_s", "ocr_s"]

    asyncio.run(main())


class WholePages(Parts):
    """The reader reads pages; nothing reads a region."""

    fails = False

    async def about(self) -> dict[str, Any]:
        return {**await super().about(), "unit": "page", "page_long_side": 1540}

    async def crop(self, _: PageView, crop: Crop) -> Any:
        assert crop.box is None
        return crop.long_side

    async def read_page(self, picture: Any) -> PageReading:
        assert picture == 1540
        if self.fails:
            raise PageFailed("a page")
        boxes = [box.scaled(1 / SIZE[0], 1 / SIZE[1]) for box in REGIONS]
        blocks = [PageBlock(kind="plain text", text=f"Block {k}", box=box) for k, box in enumerate(boxes)]
        return PageReading(blocks=tuple(blocks), confidence=0.9, reader="pages")


class FailingPages(WholePages):
    """Its reader fails over the page."""

    fails = True


@pytest.mark.parametrize("kind", [WholePages, FailingPages])
def test_a_page_is_read_as_a_whole_where_the_reader_reads_pages(kind: type[WholePages]) -> None:
    """One call of OCR, whose blocks go to the regions; if it fails the page is there with a warning."""

    async def main() -> Page:
        handle: Any = Handle(kind([0, 1, 2, 3], ()))
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        return (await pipeline.page(job("ocr")))[0]

    page = asyncio.run(main())
    assert [region.text for region in page.regions] == ([""] * 4 if kind.fails else [f"Block {k}" for k in range(4)])
    assert ("region_failed" in [warning.code for warning in page.warnings]) is kind.fails


class Slow(Parts):
    """The first region is never read."""

    async def read(self, crop: BoundingBox) -> Reading:
        if crop == REGIONS[0]:
            await asyncio.Event().wait()
        return Reading(text="x")


def test_a_page_of_which_one_region_takes_for_ever_comes_with_all_others() -> None:
    """Guards against a scan that loses all that was read of it to its deadline."""

    async def main() -> None:
        handle: Any = Handle(Slow([0, 1, 2, 3], ()))
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        page, _ = await pipeline.page(job("ocr", seconds=3))
        assert [region.text for region in page.regions] == ["", "x", "x", "x"]
        (lost,) = page.warnings
        assert (lost.code, lost.box) == ("region_failed", REGIONS[0])

    asyncio.run(main())


class OfficePage(Parts):
    """A page of an Office file with eight pictures of four regions each, none of which is ever read."""

    num_reading = most_reading = 0

    async def open(self, source: Source) -> Opened:
        return Opened(num_pages=1, pixel_size=(600, 800))

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        if job.source.part is not None:
            return await super().open_page(job)
        box = BoundingBox(x0=0, y0=0, x1=1, y1=1)
        figures = [
            FigureRegion(kind="figure", box=box, order=k, picture=f"{k}.png", text="", score=1.0) for k in range(8)
        ]
        return Page(number=1, size=(0, 0), form="flow", regions=tuple(figures))

    async def read(self, crop: BoundingBox) -> Reading:
        self.num_reading += 1
        self.most_reading = max(self.most_reading, self.num_reading)
        try:
            await asyncio.Event().wait()
        finally:
            self.num_reading -= 1
        raise AssertionError


def test_an_office_page_whose_pictures_take_for_ever_comes_within_its_own_deadline() -> None:
    """Guards against a deadline that begins again with each picture: the parsed text was lost with the page."""

    async def main() -> None:
        parts = OfficePage([], ())
        handle: Any = Handle(parts)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        source = Source(path="x", media_type=DOCX)
        async with asyncio.timeout(4):
            page, _ = await pipeline.page(job("ocr", source=source, seconds=4))
        assert len(page.regions) == 8
        assert {warning.code for warning in page.warnings} == {"region_failed"}
        assert len(page.warnings) == 8 * len(REGIONS)
        assert parts.most_reading <= MAX_READS, "the page's pictures share its places"
        assert parts.num_reading == 0

    asyncio.run(main())


class Sideways(Parts):
    """The page's text is read from below; the network sees the first region of the page turned back."""

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        return InspectedPage(source=job.source, number=1, size=SIZE, turn=270, content=UNREAD)

    async def crop(self, _: PageView, crop: Crop) -> Any:
        return crop.angle

    async def detect(self, *args: object, **__: object) -> list[Detection]:
        assert args == (270, SIZE[::-1])
        return [Detection(kind="plain text", box=BoundingBox(x0=100, y0=60, x1=200, y1=80), score=0.9)]

    async def draft(self, page: InspectedPage, detections: list[Detection], **options: Any) -> DraftedPage:
        (detection,) = detections
        assert detection.box == BoundingBox(x0=60, y0=592, x1=80, y1=692)
        return DraftedPage(**dict(page.view), drafts=(), content=UNREAD)

    async def compose(self, call: ComposeCall) -> Page:
        return compose_page(self._seen, (), {}, {})


def test_the_network_sees_a_sideways_page_as_its_reader_turns_it() -> None:
    """Guards against sideways tables that the network took for figures, and against boxes that stay turned."""

    async def main() -> None:
        handle: Any = Handle(Sideways([0], ()))
        pipeline = await asyncio.to_thread(Pipeline, Settings(), handle, handle, handle, handle)
        await pipeline.page(job())

    asyncio.run(main())
