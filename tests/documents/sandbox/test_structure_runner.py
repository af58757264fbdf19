"""A rule that fails, loops or ends its process costs what it would have done, and neither the page nor another."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.page.build_page import CROP_MARGIN, RuleRun, compose_page, draft_regions, read_page
from documents.sandbox import spawn, structure_runner
from documents.sandbox.page_stages import PageReadings
from documents.segments.blocks import SegmentBlock
from documents.segments.packed_features import packed_segments
from documents.straighten.pose import Pose, on_page
from documents.values import Reading, ReadLine
from tests.documents.sandbox.broken_child import (
    CONNECTS,
    ENDS,
    LOOPS,
    LOOPS_IN_C,
    OPENS,
    RAISES,
    SWALLOWS,
    WITH_ONE_MORE,
)
from tests.documents.sandbox.composing import DETECTIONS, INSPECTION, compose_call, composing, page_of, plain
from tests.documents.sandbox.orphans import assert_child_dies_with

ROOT = Path(__file__).parents[3]


@pytest.fixture
def broken(monkeypatch):
    """Children have the rule that misbehaves."""
    monkeypatch.setattr(spawn, "CHILD", "tests.documents.sandbox.broken_child")
    monkeypatch.setattr(structure_runner, "RULES", WITH_ONE_MORE)


def test_a_child_composes_the_page_that_this_process_composes():
    """Guards against fields that are lost on the way to the child or back."""
    readings = {1: Reading(text="Read again.", confidence=0.3)}
    read = PageReadings(readings=readings, sizes={1: (700, 60)})
    pose = Pose.of_page(612, 792).turned(90)

    async def use(composer, _):
        drafted = await composer.draft(page_of(1), DETECTIONS, text_source="ocr", crop_margin=(0.01, 0.02))
        composed = [
            await composer.compose(compose_call(page, read, low_confidence=0.5))
            for page in (drafted, drafted.model_copy(update={"pose": pose, "size": (792, 612)}))
        ]
        return drafted, *composed, await composer.structure(page_of(1), DETECTIONS)

    (drafted, composed, turned, structure), failed = composing(use)
    drafts = draft_regions(INSPECTION, DETECTIONS, text_source="ocr", crop_margin=(0.01, 0.02))
    assert drafted.drafts == tuple(draft.model_copy(update={"lines": (), "layer_lines": ()}) for draft in drafts)
    here = compose_page(INSPECTION, drafts, readings, {1: (700, 60)}, low_confidence=0.5)
    assert composed == here
    assert turned == on_page(here, pose, (792, 612)) != here
    assert structure == plain(1)
    assert failed == []


def test_a_child_reads_by_the_blocks_that_it_is_given():
    """Guards against blocks that are lost on the way: the page would be read by its boxes alone."""
    heading, text, number = (
        SegmentBlock(segments=(k,), role=role, score=0.9) for k, role in enumerate(("heading", "text", "page_number"))
    )
    blocks = (text, heading, number)

    async def use(composer, _):
        drafted = await composer.draft(page_of(1), [], blocks=blocks, text_source="auto", crop_margin=CROP_MARGIN)
        composed = await composer.compose(compose_call(drafted, PageReadings()))
        return drafted, composed, await composer.structure(page_of(1), [], blocks=blocks)

    (drafted, composed, structure), failed = composing(use)
    assert failed == []
    assert [(draft.role, draft.order) for draft in drafted.drafts] == [("text", 0), ("heading", 1), ("page_number", 2)]
    for page in (composed, structure):
        assert [region.kind for region in page.regions] == ["plain text", "title", "abandon"]
        assert page.regions[0].text == "The harbour was closed."


def test_a_child_says_what_the_structure_network_reads_once_ocr_has_read():
    """Guards against features of the lines before OCR, and against a reading that is lost on the way."""
    line = ReadLine(text="Read again.", box=BoundingBox(x0=10, y0=5, x1=600, y1=55), confidence=0.9)
    readings, sizes = {1: Reading(text=line.text, lines=(line,))}, {1: (700, 60)}

    drafts = draft_regions(INSPECTION, DETECTIONS, text_source="ocr")
    lines = read_page(INSPECTION, drafts, readings, sizes).lines
    place = [printed.text for printed in lines].index("Read again.")
    blocks = [SegmentBlock(segments=(place,), role="heading", score=0.9)]

    async def use(composer, _):
        drafted = await composer.draft(page_of(1), DETECTIONS, text_source="ocr", crop_margin=CROP_MARGIN)
        read = PageReadings(readings=readings, sizes=sizes)
        features = await composer.segments(drafted, read)
        return features, await composer.compose(compose_call(drafted, read, blocks=tuple(blocks)))

    (features, composed), failed = composing(use)
    assert failed == []
    assert features == packed_segments(INSPECTION, lines)
    assert composed == compose_page(INSPECTION, drafts, readings, sizes, blocks=blocks)
    assert [region.kind for region in composed.regions if region.text == "Read again."] == ["title"]


@pytest.mark.parametrize("number", [RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS])
def test_a_rule_that_misbehaves_is_named_and_the_page_is_there(broken, number):
    """Guards against a page, or a replica, that one heuristic takes with it."""

    async def use(composer, _):
        return [await composer.structure(page_of(page_number), DETECTIONS) for page_number in (number, 1)]

    (page, after), failed = composing(use, page_cpu_s=1)
    assert page.regions == plain(number).regions
    (warning,) = page.warnings
    assert (warning.code, warning.page) == ("rule_failed", number)
    assert "misbehaves" in warning.message
    assert [(failure.rule, page) for failure, page in failed] == [("misbehaves", number)]
    assert after == plain(1), "the next page knows nothing of it"


@pytest.mark.parametrize("number", [OPENS, CONNECTS])
def test_a_rule_reaches_neither_files_nor_the_network(broken, number):
    """Guards against text of a document that takes over what composes its page: children of rules had no walls."""

    async def use(composer, pool):
        page = await composer.structure(page_of(number), DETECTIONS)
        return page, pool.walls

    (page, walls), failed = composing(use)
    if number == OPENS and "landlock" not in walls:
        pytest.skip("this kernel has no Landlock")
    assert page.regions == plain(number).regions
    ((failure, _),) = failed
    assert "PermissionError" in failure.trace


def test_a_page_whose_rule_loops_holds_up_no_other(broken):
    """Guards against a queue behind the page that never ends."""

    async def use(composer, _):
        loops = asyncio.ensure_future(composer.structure(page_of(LOOPS), DETECTIONS))
        pages = [await composer.structure(page_of(n), DETECTIONS) for n in (1, 2, 3)]
        assert not loops.done()
        loops.cancel()
        await asyncio.wait([loops])
        return pages

    pages, _ = composing(use, num_children=2, page_cpu_s=200)
    assert [page.number for page in pages] == [1, 2, 3]


def test_a_page_is_composed_while_all_that_may_draw_do(data, source):
    """Guards against a page that waits for its structure behind drawings of many seconds."""
    letter = source(data / "letter.pdf")

    async def use(composer, pool):
        await pool.open(letter)
        drawing = pool._children[0]._spawned.process.pid
        os.kill(drawing, signal.SIGSTOP)
        drawn = [asyncio.ensure_future(pool.picture(letter, 1, long_side=64)) for _ in range(3)]
        for _ in range(5):  # until one waits for the child that stands still
            await asyncio.sleep(0)
        page = await composer.structure(page_of(1, letter), DETECTIONS)
        assert not any(drawing.done() for drawing in drawn)
        os.kill(drawing, signal.SIGCONT)
        await asyncio.gather(*drawn)
        return page

    page, _ = composing(use, num_children=2)
    assert page == plain(1)


def test_a_cancelled_page_leaves_no_child_at_work(broken):
    """Guards against a loop that goes on when nobody waits for it any more."""

    async def use(composer, pool):
        await composer.structure(page_of(1), DETECTIONS)
        child = pool._children[0]._spawned.process
        loops = asyncio.ensure_future(composer.structure(page_of(LOOPS), DETECTIONS))
        for _ in range(5):  # until it waits for the child
            await asyncio.sleep(0)
        loops.cancel()
        await asyncio.wait([loops])
        assert not pool._children[0].running
        return child.returncode

    assert composing(use)[0] == -signal.SIGKILL


HOLD = f"""
import asyncio, sys
sys.path.insert(0, {str(ROOT / "tests" / "documents")!r})
from documents.sandbox import RendererPool, spawn, structure_runner
from tests.documents.sandbox import composing as helper
from tests.documents.sandbox.broken_child import LOOPS, WITH_ONE_MORE

spawn.CHILD, structure_runner.RULES = "tests.documents.sandbox.broken_child", WITH_ONE_MORE

async def main():
    pool = RendererPool(1)
    composing = structure_runner.StructureRunner(pool)
    await composing.structure(helper.page_of(1), [])
    print(pool._children[0]._spawned.process.pid, flush=True)
    await composing.structure(helper.page_of(LOOPS), [])

asyncio.run(main())
"""


def test_a_child_in_a_rule_that_loops_dies_with_its_parent():
    """Guards against orphans that hold a processor after the server was killed: children of rules outlived it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as parent:
        assert_child_dies_with(parent)


def test_content_that_is_no_page_fails_and_says_nothing_of_it():
    """Guards against a document's words in the log, and a bug of ours that is none."""
    spoilt = page_of(1).model_copy(update={"content": b'{"number": "a secret"}'})

    async def use(composer, _):
        with pytest.raises(PageFailed) as caught:
            await composer.structure(spoilt, [])
        return caught.value.message

    assert "secret" not in composing(use)[0]


def test_a_run_without_a_clock_names_the_rule_that_failed():
    run = RuleRun()
    draft_regions(INSPECTION, DETECTIONS, run=run)
    assert run.failures == []
