"""`PageReader` beside the real Renderer, its children too; what reads the crops names the colours of their middles."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from configs import Settings
from deployments.errors import ReplicaDied
from deployments.ocr.deployment import Ocr
from deployments.pipeline.page_ocr import MAX_READS, ReadPlaces
from deployments.pipeline.page_reader import MAX_CROPS, READ_ATTEMPTS, PageReader
from deployments.renderer.deployment import Renderer
from deployments.values.jobs import PartialPage
from deployments.values.page_job import PageJob
from deployments.values.read_options import CropRead, ReadOptions
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.errors import PageFailed, RendererUnavailable
from documents.sandbox.page_stages import Crop, DraftedPage, InspectedPage, PageReadings, PageView
from documents.values import Reading, Source
from tests.deployments.ingress.handles import Handle

PIXELS, DPI = (400, 300), 144  # of the picture, height and width; a pixel is a point
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "black": (0, 0, 0)}
BOXES = [BoundingBox(x0=40, y0=90 * k + 10, x1=240, y1=90 * k + 50) for k in range(len(COLOURS))]


class ColourOcr(Ocr):
    """Reads the colour in the middle of a crop; `deaths` are the replicas that still die over a colour."""

    def __init__(self, deaths: dict[str, int] | None = None, **facts: Any) -> None:
        self._facts = facts
        self._places = asyncio.Semaphore(MAX_READS)
        self._model: Any = SimpleNamespace(reader=self)  # of whole pages
        self.deaths = Counter(deaths or {})
        self.failing: set[str] = set()
        self.unread: set[str] = set()
        self.last = ""  # the colour that waits for all others
        self.num_read = 0
        self.others_read = asyncio.Event()
        self.crops: list[tuple[str, str, tuple[int, ...]]] = []  # colour, kind and shape of each
        self.lines: list[Any] = []
        self.num_asked = 0
        self.costs: list[float | None] = []  # of each call
        self.num_reading = self.most_reading = 0

    async def about(self) -> dict[str, Any]:
        self.num_asked += 1
        return self._facts

    async def read_crops(
        self, crops: Any, options: Any, *, label: str = "", cost: float | None = None
    ) -> AsyncGenerator[CropRead, None]:
        self.costs.append(cost)
        async for read in super().read_crops(crops, options, label=label, cost=cost):
            yield read

    async def _read(self, picture: np.ndarray, options: ReadOptions, label: str) -> Reading:
        crop = picture
        height, width, _ = crop.shape
        colour = min(
            COLOURS, key=lambda name: np.abs(np.array(COLOURS[name]) - np.int32(crop[height // 2, width // 2])).sum()
        )
        self.crops.append((colour, str(options.kind), crop.shape))
        self.lines.append(options.lines)
        self.num_reading += 1
        self.most_reading = max(self.most_reading, self.num_reading)
        try:
            await self._fails(colour)
        finally:
            self.num_reading -= 1
        self.num_read += 1
        if self.num_read == len(COLOURS) - 1:
            self.others_read.set()
        return Reading(text=f"{options.kind} {colour}")

    async def _fails(self, colour: str) -> None:
        if colour == self.last:
            await self.others_read.wait()
        if self.deaths[colour]:
            self.deaths[colour] -= 1
            raise ReplicaDied("it died")
        if colour in self.failing:
            raise PageFailed(f"no {colour}")
        if colour in self.unread:
            await asyncio.Event().wait()

    async def read_page(self, picture: np.ndarray, *, label: str) -> PageReading:
        box = BoundingBox(x0=0, y0=0, x1=1, y1=1)
        block = PageBlock(kind="plain text", text="x".join(map(str, picture.shape[:2])), box=box)
        return PageReading(blocks=(block,), confidence=0.9, reader="pages")


@pytest.fixture(scope="module")
def rooms() -> Iterator[tuple[asyncio.Runner, Renderer]]:
    """The loop in which the Renderer lives, and the Renderer."""
    with asyncio.Runner() as runner:
        renderer = Renderer(Settings.model_validate({"renderer": {"num_children": 1}}))
        yield runner, renderer
        runner.run(renderer._pool.close())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A scan of four bars, each in a colour of its own."""
    pixels = np.full((*PIXELS, 3), 255, np.uint8)
    for box, colour in zip(BOXES, COLOURS.values(), strict=True):
        pixels[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)] = colour
    path: Path = tmp_path_factory.mktemp("scan") / "bars.png"
    Image.fromarray(pixels).save(path, dpi=(72, 72))
    return Source(path=str(path), media_type="image/png")


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for Serve to see that a replica is gone."""

    async def recovered(*_: object) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("deployments.calls.call_retries._recovered", recovered)


def draft(index: int, **fields: Any) -> RegionDraft:
    values = {"kind": "plain text", "text_source": "ocr", "reason": "", "crop_box": BOXES[index], "score": 1.0}
    return RegionDraft(index=index, box=BOXES[index], **{**values, **fields})


class Read:
    """Reads pages with one reader beside the real Renderer."""

    def __init__(self, rooms: tuple[asyncio.Runner, Renderer], source: Source, ocr: ColourOcr) -> None:
        self._runner, renderer = rooms
        self._source, self.partial_pages = source, list[PartialPage]()
        settings = Settings.model_validate({"ocr": {"dpi": DPI, "partial_results_s": 0.001}})
        renderer_handle: Any = Handle(renderer)
        ocr_handle: Any = Handle(ocr)
        self.reader = PageReader(settings, renderer_handle, ocr_handle, self._send_partial_page)

    async def _send_partial_page(self, job_id: str | None, page: PartialPage) -> None:
        assert job_id == "job"
        self.partial_pages.append(page)

    def __call__(self, *drafts: RegionDraft, within_s: float = 60, job_id: str | None = None, **page: Any) -> Any:
        async def read() -> PageReadings:
            drafted = DraftedPage(source=self._source, number=1, size=(300, 400), drafts=drafts, content=b"", **page)
            job = PageJob(source=self._source, number=1, label="bars", job_id=job_id, until=time.time() + 600)
            return await self.reader.read(job, drafted, ReadPlaces(within_s))

        return self._runner.run(read())


def texts(readings: PageReadings) -> dict[int, str]:
    return {index: reading.text for index, reading in readings.readings.items()}


def test_each_region_is_read_from_its_own_crop_drawn_at_the_reader_s_resolution(rooms: Any, source: Source) -> None:
    """Guards against crops or sizes that go to another region than their own."""
    ocr = ColourOcr()
    read = Read(rooms, source, ocr)
    quarter = BoundingBox(x0=40, y0=190, x1=240, y1=200)
    result = read(draft(2), draft(0), draft(1, text_source="text_layer"), printed_lines={2: (quarter,)})
    assert texts(result) == {0: "plain text red", 2: "plain text blue"}
    assert list(result.readings) == [0, 2]
    shapes = {colour: shape for colour, _, shape in ocr.crops}
    assert result.sizes == {0: shapes["red"][1::-1], 2: shapes["blue"][1::-1]}
    assert result.sizes[0] == pytest.approx((400, 80), abs=2), "pixels at the edges are whole"
    assert (result.charts, result.page, result.warnings) == ({}, None, ())
    (lines,) = [lines for (colour, *_), lines in zip(ocr.crops, ocr.lines, strict=True) if colour == "blue"]
    assert lines == (BoundingBox(x0=0, y0=0, x1=1, y1=0.25),)
    assert len(ocr.costs) == 1, "a page is one call"
    read(draft(3))
    assert ocr.costs[0] == pytest.approx(2 * (ocr.costs[1] or 0)), "the router counts the tokens of all its regions"
    assert ocr.num_asked == 1, "what OCR tells of itself does not change"


def test_a_figure_is_read_as_a_chart_too_where_there_is_a_reader_of_charts(rooms: Any, source: Source) -> None:
    drafts = [draft(0, kind="figure"), draft(1, kind="figure", text_source="text_layer"), draft(2)]
    with_reader = Read(rooms, source, ColourOcr(readers={"figure": {}}))(*drafts)
    assert texts(with_reader) == {0: "figure red", 2: "plain text blue"}
    assert {k: one.text for k, one in with_reader.charts.items()} == {0: "chart red", 1: "chart green"}
    assert Read(rooms, source, ColourOcr())(*drafts).charts == {}


@pytest.mark.parametrize(("facts", "size"), [({}, "800x600"), ({"page_long_side": 200}, "200x150")])
def test_a_page_goes_whole_to_a_reader_of_pages_in_the_size_it_wants(
    facts: dict[str, Any], size: str, rooms: Any, source: Source
) -> None:
    ocr = ColourOcr(unit="page", **facts)
    result = Read(rooms, source, ocr)(draft(0), draft(1))
    assert result.page is not None
    assert [block.text for block in result.page.blocks] == [size]
    assert ocr.crops == []


def test_a_region_whose_replicas_died_is_read_by_the_next(no_pauses: None, rooms: Any, source: Source) -> None:
    ocr = ColourOcr({"red": READ_ATTEMPTS - 1})
    result = Read(rooms, source, ocr)(draft(0), draft(1))
    assert texts(result) == {0: "plain text red", 1: "plain text green"}
    assert result.warnings == ()


def test_regions_over_which_replicas_die_are_read_one_at_a_time_and_given_up_alone(
    no_pauses: None, rooms: Any, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against regions that are given up for what another one, read beside them, does to its replica."""
    numbers: list[int] = []  # of crops of each call
    last_calls = [0]  # how many calls of one crop were under way, at each change
    drawn = rooms[1].crops

    async def crops(page: PageView, crops: Sequence[Crop]) -> Any:
        numbers.append(len(crops))
        if len(crops) > 1:
            return await drawn(page, crops)
        last_calls.append(last_calls[-1] + 1)
        pixels = await drawn(page, crops)
        last_calls.append(last_calls[-1] - 1)
        return pixels

    monkeypatch.setattr(rooms[1], "crops", crops)
    dying = ("red", "green", "blue")
    ocr = ColourOcr(dict.fromkeys(dying, 99))
    result = Read(rooms, source, ocr)(*map(draft, range(4)))
    assert texts(result) == {0: "", 1: "", 2: "", 3: "plain text black"}
    assert [warning.box for warning in result.warnings] == BOXES[:3]
    assert {warning.message for warning in result.warnings} == {
        f"a region could not be read: {READ_ATTEMPTS} replicas died during this work"
    }
    assert numbers[:READ_ATTEMPTS] == [4, numbers[1], 1], "together at first"
    assert numbers[READ_ATTEMPTS - 1 :] == [1] * len(numbers[READ_ATTEMPTS - 1 :])
    assert last_calls == [*[0, 1] * (len(numbers) - READ_ATTEMPTS + 1), 0]


def test_what_was_read_before_a_replica_died_is_not_read_again(no_pauses: None, rooms: Any, source: Source) -> None:
    """Guards against a page whose every region is paid for again with each death."""
    ocr = ColourOcr({"blue": 1})
    ocr.last = "blue"
    result = Read(rooms, source, ocr)(*map(draft, range(4)))
    assert texts(result) == {k: f"plain text {colour}" for k, colour in enumerate(COLOURS)}
    assert Counter(colour for colour, *_ in ocr.crops) == {"red": 1, "green": 1, "black": 1, "blue": 2}


def test_a_page_of_many_regions_is_read_in_several_calls_of_bounded_size(rooms: Any, source: Source) -> None:
    """Guards against crops of a page of hundreds of regions that are all in memory, and before those of other pages."""
    ocr = ColourOcr()
    many = [draft(0).model_copy(update={"index": index}) for index in range(2 * MAX_READS + 3)]
    result = Read(rooms, source, ocr)(*many)
    assert list(texts(result)) == list(range(len(many)))
    assert len(ocr.costs) == -(-len(many) // MAX_CROPS)
    assert ocr.most_reading <= MAX_READS


def test_a_crop_that_cannot_be_drawn_costs_no_other_region(rooms: Any, source: Source) -> None:
    """Guards against a call for all crops that the worst of them fails."""
    beside = BoundingBox(x0=4000, y0=4000, x1=4100, y1=4100)
    result = Read(rooms, source, ColourOcr())(draft(0), draft(1, crop_box=beside))
    assert texts(result) == {0: "plain text red", 1: ""}
    (warning,) = result.warnings
    assert (warning.code, warning.box) == ("region_failed", BOXES[1])


def test_what_fails_or_is_not_read_in_time_costs_no_other_region(rooms: Any, source: Source) -> None:
    ocr = ColourOcr()
    ocr.failing, ocr.unread = {"red"}, {"blue"}
    result = Read(rooms, source, ocr)(*map(draft, range(4)), within_s=1)
    assert texts(result) == {0: "", 1: "plain text green", 2: "", 3: "plain text black"}
    assert [(warning.code, warning.page, warning.box, warning.message) for warning in result.warnings] == [
        ("region_failed", 1, BOXES[0], "a region could not be read: no red"),
        ("region_failed", 1, BOXES[2], "a region could not be read: the page reached its time limit"),
    ]


def test_a_renderer_without_a_child_is_the_page_s_failure(
    rooms: Any, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a page whose regions are all lost to a minute without memory: it is tried again as a whole."""

    async def unavailable(*_: object, **__: object) -> None:
        raise RendererUnavailable("no renderer could be started")

    monkeypatch.setattr(rooms[1]._pool, "picture", unavailable)
    with pytest.raises(RendererUnavailable):
        Read(rooms, source, ColourOcr())(draft(0), draft(1))


def test_watchers_of_a_job_see_what_is_read_before_the_page_ends(rooms: Any, source: Source) -> None:
    ocr = ColourOcr()
    ocr.unread = {"blue"}
    read = Read(rooms, source, ocr)
    read(draft(0), draft(2), within_s=1, job_id="job")
    assert [region.text for region in read.partial_pages[-1].regions] == ["plain text red", None]
    assert read.partial_pages[-1].num_to_read == 2
    num_pages = len(read.partial_pages)
    read(draft(0), draft(2), within_s=0.2)
    assert len(read.partial_pages) == num_pages, "a page of no job has no watchers"


def test_a_scan_opens_as_how_it_must_be_seen_and_then_is_inspected_so(rooms: Any, source: Source) -> None:
    """Guards against a page that is drawn as the file shows it once it is known which end of it is up."""
    runner, renderer = rooms
    job = PageJob(source=source, number=1, text_source="ocr", until=time.time() + 600)

    async def opened() -> tuple[Any, Any, Any]:
        view = await renderer.open_page(job)
        page = await renderer.straightened(view.turned(90))
        return view, page, await renderer.crop(page.view, Crop(dpi=DPI))

    view, page, picture = runner.run(opened())
    assert not isinstance(view, InspectedPage)
    assert view.pose == runner.run(renderer._pool.pose(source, 1))
    assert page.pose == view.pose.turned(90)
    assert (page.width, page.height) == pytest.approx((400, 300), abs=1)
    assert page.inspection().width == page.width
    assert page.size == pytest.approx((300, 400), abs=1), "as the file shows it"
    assert picture.shape == pytest.approx((600, 800, 3), abs=2)
    plain = runner.run(renderer.open_page(job.model_copy(update={"text_source": "text_layer"})))
    assert isinstance(plain, InspectedPage)
