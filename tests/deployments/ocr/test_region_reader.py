"""`deployments.ocr.region_reader` with the real engine and the compact checkpoint."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from batching import Engine, EngineConfig, EngineFull, PromptTooLong, Request, RequestFailed
from batching.inputs.reading_config import ReadingConfig
from batching.loading.models import load_got_ocr2
from deployments.errors import Busy
from deployments.ocr.region_reader import RegionReader
from deployments.values.read_options import (
    ColorUnavailable,
    PatchesUnavailable,
    ReadOptions,
    RegionUnread,
)
from documents.errors import RegionTooDense
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Page, Reading, Source

SCAN = Path(__file__).resolve().parents[2] / "data" / "scan.png"
CHECKPOINT = Path(__file__).resolve().parents[3] / "checkpoints" / "ocr-compact"
WINDOW = 2
LINES = ("The harbour master keeps the log.", "Ships wait for the tide.")


@pytest.fixture(scope="module")
def crop() -> np.ndarray:
    picture = Image.new("RGB", (700, 120), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=28)
    for line, text in enumerate(LINES):
        pen.text((12, 10 + 50 * line), text, "black", font)
    return np.asarray(picture)


def run(scenario: Callable[[RegionReader, Engine], Coroutine[Any, Any, Any]], **limits: int) -> Any:
    async def whole() -> Any:
        runner = load_got_ocr2(CHECKPOINT)
        async with Engine(runner, EngineConfig(**limits)) as engine:
            return await scenario(
                RegionReader(engine, runner.inputs.reading, "ocr-compact", max_tokens=128, window=WINDOW), engine
            )

    return asyncio.run(whole())


def test_a_crop_is_read_line_by_line_with_boxes(crop: np.ndarray) -> None:
    """Guards against lines in the wrong order, or boxes that belong to another line."""
    reading = run(lambda reader, _: reader.read(crop))
    assert "harbour master" in reading.lines[0].text
    assert "tide" in reading.lines[1].text
    assert reading.lines[0].box.y1 <= reading.lines[1].box.y0
    assert reading.text.splitlines() == [line.text for line in reading.lines]
    assert reading.confidence > 0.7
    assert reading.num_tokens >= sum(map(len, LINES)) * 0.8


def test_a_stream_gives_the_same_text_and_ends_with_the_reading(crop: np.ndarray) -> None:
    """Guards against words that run together where one sequence ends and the next begins."""

    async def scenario(reader: RegionReader, _: Engine) -> tuple[str, Reading, Reading]:
        *pieces, last = [piece async for piece in reader.stream(crop)]
        return "".join(pieces), last, await reader.read(crop)

    streamed, last, whole = run(scenario)
    assert streamed.strip() == whole.text
    assert last == whole


def test_leaving_a_stream_frees_all_blocks(crop: np.ndarray) -> None:
    """Guards against a client that goes away and leaves its lines decoding."""

    async def scenario(reader: RegionReader, engine: Engine) -> tuple[int, int]:
        pieces = reader.stream(crop)
        await anext(pieces)
        await pieces.aclose()
        await reader.read(crop[:50])  # some steps later
        return engine.stats().num_free_blocks, engine.stats().num_blocks

    free, blocks = run(scenario)
    assert free == blocks


def test_a_reading_is_the_same_alone_and_with_others_in_flight(crop: np.ndarray) -> None:
    """Guards against text that depends on whatever else the engine decodes at the time."""

    async def scenario(reader: RegionReader, _: Engine) -> tuple[Any, list[Any]]:
        alone = await reader.read(crop)
        others = [np.roll(crop[:, : 300 + 40 * k], 3 * k, axis=1) for k in range(8)]
        crops = [*others[:4], crop, *others[4:], crop]
        return alone, [await reading for reading in [asyncio.ensure_future(reader.read(one)) for one in crops]]

    alone, together = run(scenario)
    for reading in (together[4], together[-1]):
        assert (reading.text, reading.num_tokens) == (alone.text, alone.num_tokens)
        assert [(line.text, line.box, line.words) for line in reading.lines] == [
            (line.text, line.box, line.words) for line in alone.lines
        ]
        assert reading.confidence == pytest.approx(alone.confidence, abs=1e-4)


def test_a_page_is_the_same_value_alone_and_among_others_in_flight(crop: np.ndarray) -> None:
    """Guards against a page whose text, boxes, order or warnings depend on what else is read at the time."""
    source = Source(path=str(SCAN), media_type="image/png")

    async def scenario(reader: RegionReader, _: Engine) -> tuple[Page, list[Any]]:
        pool = RendererPool(1, RenderLimits(page_timeout_s=600.0))
        try:
            alone = await read_page(reader, pool, source)
            others = [reader.read(np.roll(crop[:, : 300 + 60 * k], 5 * k, axis=1)) for k in range(6)]
            return alone, await asyncio.gather(*others, *(read_page(reader, pool, source) for _ in range(2)))
        finally:
            await pool.close()

    alone, together = run(scenario, max_running=12)
    assert sum(len(region.text) for region in alone.regions) > 40
    assert together[-2:] == [alone, alone]


async def read_page(reader: RegionReader, pool: RendererPool, source: Source) -> Page:
    """The page as the pipeline composes it, its regions by its ink alone and read at once."""
    inspection = (await pool.inspect(source, 1)).inspection()
    drafts = draft_regions(inspection, [], text_source="ocr")
    crops = {d.index: await pool.picture(source, 1, dpi=100.0, box=d.crop_box, angle=d.angle) for d in drafts}
    read = await asyncio.gather(*(reader.read(crop) for crop in crops.values()))
    readings = dict(zip(crops, read, strict=True))
    sizes = {index: (crop.shape[1], crop.shape[0]) for index, crop in crops.items()}
    return compose_page(inspection, drafts, readings, sizes)


def test_a_mode_that_the_checkpoint_has_not_is_said(crop: np.ndarray) -> None:
    """Guards against plain text that is passed off as formatted."""
    reading = run(lambda reader, _: reader.read(crop, ReadOptions(mode="format")))
    assert [warning.code for warning in reading.warnings] == ["format_unavailable"]
    assert reading.text


def test_blank_paper_gives_nothing() -> None:
    """Guards against invented text."""
    blank = np.full((100, 400, 3), 255, np.uint8)
    reading = run(lambda reader, _: reader.read(blank))
    assert (reading.text, reading.lines, reading.confidence) == ("", (), None)


def test_a_long_region_never_holds_more_than_its_window(crop: np.ndarray) -> None:
    """Guards against one dense page that fills the waiting list and can never be read."""

    async def scenario(reader: RegionReader, _: Engine) -> int:
        return len((await reader.read(np.concatenate([crop] * 4))).lines)

    assert run(scenario, max_waiting=WINDOW, max_running=1, max_step_tokens=128) == 8


def test_a_full_engine_is_busy(crop: np.ndarray) -> None:
    """Guards against a refusal that looks like a fault of the region."""

    async def scenario(reader: RegionReader, engine: Engine) -> None:
        pieces = await reader._pieces(crop, ReadOptions())
        sequence = engine.submit(Request(image=pieces[0].pictures[0]))  # takes the one place
        with pytest.raises(Busy):
            await anext(reader._streams(pieces, ReadOptions(), ""))
        await sequence.result()
        assert (await reader.read(crop)).lines, "there is room again"

    run(scenario, max_waiting=1, max_running=1, max_step_tokens=128)


def test_texture_is_refused_by_name(crop: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against thousands of sequences for a picture of fine lines."""
    monkeypatch.setattr("documents.ocr_input.line_strips.MAX_SQUARES", 1)
    with pytest.raises(RegionTooDense):
        run(lambda reader, _: reader.read(crop))


def test_max_tokens_bounds_the_whole_crop(crop: np.ndarray) -> None:
    """Guards against a limit that every line takes for itself."""
    assert run(lambda reader, _: reader.read(crop, ReadOptions(max_tokens=10))).num_tokens == 10


def test_a_box_is_read_alone_and_its_lines_lie_in_it(crop: np.ndarray) -> None:
    """Guards against a box that is taken and ignored, or lines whose boxes are the part's and not the picture's."""
    reading = run(lambda reader, _: reader.read(crop, ReadOptions(box=(0, 55, 700, 120))))
    assert "tide" in reading.text
    assert "harbour" not in reading.text
    assert reading.lines[0].box.y0 >= 55


def test_a_colour_is_refused_by_a_reader_of_lines(crop: np.ndarray) -> None:
    """Guards against text outside the frame that is passed off as what is in it."""
    with pytest.raises(ColorUnavailable):
        run(lambda reader, _: reader.read(crop, ReadOptions(color="red")))


def test_patches_are_refused_by_a_reader_of_lines(crop: np.ndarray) -> None:
    """Guards against a setting that is taken and has no effect."""
    with pytest.raises(PatchesUnavailable):
        run(lambda reader, _: reader.read(crop, ReadOptions(crop_to_patches=True)))


class Full:
    """An engine that keeps what is asked of it, and takes nothing on."""

    def __init__(self, refusal: Exception) -> None:
        self.refusal, self.requests = refusal, list[Request]()

    def submit(self, request: Request) -> Any:
        self.requests.append(request)
        raise self.refusal


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (EngineFull("full"), Busy),
        (PromptTooLong("long"), RegionTooDense),
        (RequestFailed("its processor takes no rules"), RegionUnread),
    ],
)
def test_a_reader_of_regions_passes_patches_on(crop: np.ndarray, refusal: Exception, error: type) -> None:
    """Guards against patches that get lost on the way, and against a 500 for more of them than the engine holds."""
    engine: Any = Full(refusal)
    reader = RegionReader(engine, ReadingConfig(), "got", max_tokens=9, window=WINDOW)
    with pytest.raises(error):
        asyncio.run(reader.read(crop, ReadOptions(crop_to_patches=True, max_patches=5)))
    (request,) = engine.requests
    assert (request.crop_to_patches, request.max_crops) == (True, 5)


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_the_upper_end_of_a_page_is_found(crop: np.ndarray, quarters: int) -> None:
    """Guards against pages that are read upside down, or turned by a quarter the wrong way."""
    page = np.pad(np.concatenate([crop] * 3), ((40, 40), (40, 40), (0, 0)), constant_values=255)
    turned = np.ascontiguousarray(np.rot90(page, -quarters))
    assert run(lambda reader, _: reader.direction(turned)) == 90 * quarters


def test_a_few_lines_upside_down_do_not_turn_a_page(crop: np.ndarray) -> None:
    """Guards against receipts that were read upside down, because of three lines two were misread or no text."""
    sheet = Image.new("RGB", (900, 700), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=28)
    for line in range(3):  # the longest ones are looked at first
        pen.text((12, 10 + 50 * line), "Ships that wait for the tide of the long harbour", "black", font)
    sheet = sheet.rotate(180)
    pen = ImageDraw.Draw(sheet)
    for line in range(6):
        pen.text((12, 10 + 60 * line), "The master keeps a log.", "black", font)
    assert run(lambda reader, _: reader.direction(np.asarray(sheet))) == 0


def test_a_reading_tells_where_its_words_stand(crop: np.ndarray) -> None:
    """Guards against words in the squares that the model sees rather than in the crop."""
    reading = run(lambda reader, _: reader.read(crop, ReadOptions(box=(0, 55, 700, 120))))
    line = reading.lines[0]
    assert len(line.words) == len(line.text.split()) == 5
    assert all(word.y0 >= 55 and word.x1 <= 400 for word in line.words)
    assert list(line.words) == sorted(line.words, key=lambda word: word.x0)


def test_a_stream_that_runs_away_ends_with_what_is_read_without_a_stream(
    crop: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against `stream=true` that gives what `stream=false` cuts, without a word about it."""
    monkeypatch.setattr("deployments.ocr.recognized_lines.shown", lambda part: part.text.strip()[:3])

    async def scenario(reader: RegionReader, _: Engine) -> tuple[Reading, Reading]:
        return [piece async for piece in reader.stream(crop)][-1], await reader.read(crop)

    last, whole = run(scenario)
    assert last == whole
    assert [warning.code for warning in last.warnings] == ["repetition_cut"]


def test_sequences_that_are_still_wanted_are_counted_until_they_end(crop: np.ndarray) -> None:
    """Scaling and routing go by this count: guards against one that drifts when a caller leaves in the middle."""

    async def scenario(reader: RegionReader, _: Engine) -> tuple[int, int, int]:
        stream = reader.stream(crop)
        await anext(stream)
        during = reader.num_open
        await stream.aclose()
        left = reader.num_open
        await reader.read(crop)
        return during, left, reader.num_open

    during, left, after = run(scenario)
    assert during >= len(LINES)
    assert (left, after) == (0, 0)
