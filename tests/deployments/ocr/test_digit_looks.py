"""Further looks at digits, with the real engine and the compact checkpoint."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from batching import Engine, EngineConfig
from batching.loading.models import load_got_ocr2
from deployments.ocr.digit_looks import page_with_looks, with_looks
from deployments.ocr.region_reader import RegionReader
from deployments.values.read_options import RegionUnread
from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.values import Reading, ReadLine

CHECKPOINT = Path(__file__).resolve().parents[3] / "checkpoints" / "ocr-compact"
LINES = ("The harbour fee is 4720 for 38 boats.", "Ships wait for the tide.", "Paid on 16 May 1954 at noon.")


@pytest.fixture(scope="module")
def crop() -> np.ndarray:
    picture = Image.new("RGB", (760, 180), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=28)
    for number, text in enumerate(LINES):
        pen.text((12, 10 + 56 * number), text, "black", font)
    return np.asarray(picture)


class Counting:
    """A reader of lines that notes which it was to look at."""

    def __init__(self, reader):
        self.reader, self.looks = reader, []

    async def lines(self, picture, within, label):
        self.looks.append(within)
        return await self.reader.lines(picture, within, label)


def run(scenario):
    async def whole():
        runner = load_got_ocr2(CHECKPOINT)
        async with Engine(runner, EngineConfig()) as engine:
            reader = RegionReader(engine, runner.inputs.reading, "ocr-compact", max_tokens=128, window=8)
            return await scenario(reader)

    return asyncio.run(whole())


def digits(reading):
    return [reading.text[one.start : one.end] for one in reading.unproved]


def test_a_digit_changed_in_what_was_read_is_not_proved(crop):
    """The change is at the boundary of the model: its picture is as it was."""

    async def scenario(reader):
        right = await reader.read(crop)
        lines = [line.model_copy(update={"text": line.text.replace("4720", "4750")}) for line in right.lines]
        wrong = right.with_lines(lines, ()).model_copy(update={"looks": ()})
        printed = [line.box for line in right.lines]
        return right, await with_looks(wrong, crop, reader, printed=printed, label="")

    right, wrong = run(scenario)
    assert "4720" in right.text
    assert digits(right) == []
    assert digits(wrong) == ["4750"]


def test_only_lines_with_digits_are_looked_at_and_once_where_that_proves_them(crop):
    """Guards against reading a page of prose twice."""

    async def scenario(reader):
        first = (await reader.read(crop)).model_copy(update={"looks": ()})
        counting = Counting(reader)
        await with_looks(first, crop, counting, printed=[line.box for line in first.lines], label="")
        prose = first.with_lines([line for line in first.lines if "tide" in line.text], ())
        await with_looks(prose, crop, counting, printed=[line.box for line in prose.lines], label="")
        return counting.looks

    (look,) = run(scenario)
    assert len(look) == 2


def test_the_answer_of_a_model_that_reads_pages_is_compared_with_lines(crop):
    async def scenario(reader):
        blocks = (PageBlock(kind="plain text", text="The harbour fee is 4720 for 33 boats."),)
        return await page_with_looks(PageReading(blocks=blocks, confidence=0.9), crop, reader, label="")

    page = run(scenario)
    (line,) = [line for line in page.looks[0] if "boats" in line.text]
    assert line.box.x1 <= 1
    assert line.box.y1 < 0.5


def test_without_a_reader_of_lines_or_where_it_fails_nothing_is_proved(crop):
    class Failing:
        async def lines(self, picture, within, label):
            raise RegionUnread("too dense")

    whole = BoundingBox(x0=0, y0=0, x1=760, y1=180)
    answer = Reading(text="38 boats", lines=(ReadLine(text="38 boats", box=whole, confidence=0.9),))
    for reader in (None, Failing()):
        reading = asyncio.run(with_looks(answer, crop, reader, printed=None, label=""))
        assert digits(reading) == ["38"]


def test_without_proof_of_digits_each_line_is_read_once(crop):
    async def scenario(reader):
        reading = await reader.read(crop)
        plain = RegionReader(
            reader._engine, reader._reading, "ocr-compact", max_tokens=128, window=8, prove_digits=False
        )
        return reading, await plain.read(crop)

    proved, plain = run(scenario)
    assert plain.text == proved.text
    assert (plain.looks, plain.unproved) == (None, ())
    assert proved.looks
