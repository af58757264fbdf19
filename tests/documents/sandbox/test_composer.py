"""A rule that fails, loops or ends its process costs what it would have done, and neither the page nor another."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from page_making import found, inspected, inspection, line

from documents.errors import PageFailed, PageTooCostly, RendererUnavailable
from documents.sandbox import RendererPool, RenderLimits, child_process, composer, spawn
from documents.sandbox.composer import Composer, StructureError
from documents.straighten.pose import Pose, on_page
from documents.structure.build_page import RuleRun, compose_page, draft_regions
from documents.values import Reading, Source
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
from tests.documents.sandbox.spoken import message, printing

ROOT = Path(__file__).parents[3]
SEEN = inspection(
    line("A heading of the page", y=60, size=16, bold=True), line("The harbour was closed.", y=120), line("12", y=760)
)
DETECTIONS = [found("title", 50, 55, 400, 80), found("plain text", 50, 110, 400, 140)]
NOWHERE = Source(path="/nowhere", media_type="application/pdf")


def page_of(number):
    return inspected(SEEN.model_copy(update={"number": number}))


def plain(number):
    """The page of which nothing is read, as this process composes it."""
    seen = SEEN.model_copy(update={"number": number})
    page = compose_page(seen, draft_regions(seen, DETECTIONS), {}, {})
    regions = tuple(region.model_copy(update={"spans": ()}) for region in page.regions)
    return page.model_copy(update={"regions": regions})


@pytest.fixture
def broken(monkeypatch):
    """Children have the rule that misbehaves."""
    monkeypatch.setattr(spawn, "CHILD", "tests.documents.sandbox.broken_child")
    monkeypatch.setattr(composer, "RULES", WITH_ONE_MORE)


def composing(use, *, num_children=1, **limits):
    """What `use(composer, pool)` gives, and the failures of rules with the numbers of their pages."""
    failed = []

    async def main():
        pool = RendererPool(
            num_children, RenderLimits(page_timeout_s=600, **limits)
        )  # whatever the machine does beside
        try:
            return await use(Composer(pool, lambda failure, number: failed.append((failure, number))), pool)
        finally:
            await pool.close()

    return asyncio.run(main()), failed


def test_a_child_composes_the_page_that_this_process_composes():
    """Guards against fields that are lost on the way to the child or back."""
    readings = {1: Reading(text="Read anew.", confidence=0.3)}
    pose = Pose.of_page(612, 792).turned(90)

    async def use(composer, _):
        drafted = await composer.draft(NOWHERE, page_of(1), DETECTIONS, text_source="ocr", crop_margin=(0.01, 0.02))
        composed = [
            await composer.compose(NOWHERE, drafted, readings, {1: (700, 60)}, low_confidence=0.5, **straightened)
            for straightened in ({}, {"pose": pose, "page_size": (792, 612)})
        ]
        return drafted, *composed, await composer.structure(NOWHERE, page_of(1), DETECTIONS)

    (drafted, composed, turned, structure), failed = composing(use)
    drafts = draft_regions(SEEN, DETECTIONS, text_source="ocr", crop_margin=(0.01, 0.02))
    assert drafted.drafts == tuple(draft.model_copy(update={"lines": (), "layer_lines": ()}) for draft in drafts)
    here = compose_page(SEEN, drafts, readings, {1: (700, 60)}, low_confidence=0.5)
    assert composed == here
    assert turned == on_page(here, pose, (792, 612)) != here
    assert structure == plain(1)
    assert failed == []


@pytest.mark.parametrize("number", [RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS])
def test_a_rule_that_misbehaves_is_named_and_the_page_is_there(broken, number):
    """Guards against a page, or a replica, that one heuristic takes with it."""

    async def use(composer, _):
        return [await composer.structure(NOWHERE, page_of(each), DETECTIONS) for each in (number, 1)]

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
        page = await composer.structure(NOWHERE, page_of(number), DETECTIONS)
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
        loops = asyncio.ensure_future(composer.structure(NOWHERE, page_of(LOOPS), DETECTIONS))
        pages = [await composer.structure(NOWHERE, page_of(n), DETECTIONS) for n in (1, 2, 3)]
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
        page = await composer.structure(letter, page_of(1), DETECTIONS)
        assert not any(each.done() for each in drawn)
        os.kill(drawing, signal.SIGCONT)
        await asyncio.gather(*drawn)
        return page

    page, _ = composing(use, num_children=2)
    assert page == plain(1)


def test_a_cancelled_page_leaves_no_child_at_work(broken):
    """Guards against a loop that goes on when nobody waits for it any more."""

    async def use(composer, pool):
        await composer.structure(NOWHERE, page_of(1), DETECTIONS)
        child = pool._children[0]._spawned.process
        loops = asyncio.ensure_future(composer.structure(NOWHERE, page_of(LOOPS), DETECTIONS))
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
from documents.sandbox import RendererPool, composer, spawn
from tests.documents.sandbox import test_composer
from tests.documents.sandbox.broken_child import LOOPS, WITH_ONE_MORE

spawn.CHILD, composer.RULES = "tests.documents.sandbox.broken_child", WITH_ONE_MORE

async def main():
    pool = RendererPool(1)
    composing = composer.Composer(pool)
    await composing.structure(test_composer.NOWHERE, test_composer.page_of(1), [])
    print(pool._children[0]._spawned.process.pid, flush=True)
    await composing.structure(test_composer.NOWHERE, test_composer.page_of(LOOPS), [])

asyncio.run(main())
"""


def test_a_child_in_a_rule_that_loops_dies_with_its_parent():
    """Guards against orphans that hold a processor after the server was killed: children of rules outlived it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as parent:
        child = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([child], [], [], 10)
            assert ended, "the child still runs"
        finally:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(child, signal.SIGKILL)
            os.close(child)


READY = message({"walls": []})
IN_A_RULE = message({"rule": "duplicates"})
KILLED, CRASHED = (f"os.read(0, 1); os.kill(os.getpid(), {number})" for number in (9, 11))
SAYS: dict[str, tuple[list[tuple[bytes, str]], type[Exception], int]] = {  # of children in turn: error, children used
    "killed from outside in a rule, twice": ([(IN_A_RULE, KILLED)], RendererUnavailable, 2),
    "each time a rule crashes": ([(IN_A_RULE, CRASHED)], PageTooCostly, 3),
    "crashes between rules": ([(IN_A_RULE + message({"rule": None}), CRASHED)], PageFailed, 2),
    "processor time between rules": ([(b"", KILLED.replace("9", str(int(signal.SIGXCPU))))], PageTooCostly, 1),
    "out of memory between rules": ([(b"", "os.read(0, 1); os._exit(70)")], PageTooCostly, 1),
    "a rule that does not exist": ([(message({"rule": "forged"}), "sys.stdin.read()")], PageFailed, 2),
    "rules without end": ([(message({"rule": None}) * 999, "sys.stdin.read()")], PageFailed, 2),
    "a failure of no rule": (
        [(message({"ok": {"failures": [{"rule": "forged", "trace": ""}]}}), "sys.stdin.read()")],
        PageFailed,
        2,
    ),
    "no page": ([(message({"ok": {}}, b"{}"), "sys.stdin.read()")], PageFailed, 2),
    "another page": (
        [(message({"ok": {}}, plain(2).model_dump_json(exclude_defaults=True).encode()), "sys.stdin.read()")],
        PageFailed,
        2,
    ),
    "our own bug": ([(message({"ok": {"trace": "Traceback\nKeyError"}}), "sys.stdin.read()")], StructureError, 1),
}


@pytest.mark.parametrize("kind", SAYS)
def test_what_ends_a_child_or_what_it_says_is_blamed_on_whom_it_should(monkeypatch, kind):
    """Guards against a rule, or a sound page, that is blamed for the machine; and against replies of any form."""
    deeds, error, num_children = SAYS[kind]
    started = []

    async def start(limits):
        said, then = deeds[min(len(started), len(deeds) - 1)]
        started.append(kind)
        return await printing(READY, said, then=then)

    async def use(composer, _):
        with pytest.raises(error) as caught:
            await composer.structure(NOWHERE, page_of(1), DETECTIONS)
        return caught.value

    monkeypatch.setattr(child_process, "spawn", start)
    raised, _ = composing(use)
    assert type(raised) is error
    assert len(started) == num_children


def test_a_child_that_is_killed_once_costs_neither_page_nor_rule(monkeypatch):
    """Guards against a page without a rule's work because the kernel was short of memory for a moment."""
    page = plain(1).model_dump_json(exclude_defaults=True).encode()
    lives = [(IN_A_RULE, KILLED), (IN_A_RULE + message({"ok": {}}, page), "sys.stdin.read()")]

    async def start(limits):
        said, then = lives.pop(0)
        return await printing(READY, said, then=then)

    async def use(composer, _):
        return await composer.structure(NOWHERE, page_of(1), DETECTIONS)

    monkeypatch.setattr(child_process, "spawn", start)
    assert composing(use) == (plain(1), [])


def test_content_that_is_no_page_fails_and_says_nothing_of_it():
    """Guards against a document's words in the log, and a bug of ours that is none."""
    spoilt = page_of(1).model_copy(update={"content": b'{"number": "a secret"}'})

    async def use(composer, _):
        with pytest.raises(PageFailed) as caught:
            await composer.structure(NOWHERE, spoilt, [])
        return caught.value.message

    assert "secret" not in composing(use)[0]


def test_a_trace_forges_no_line_of_the_log(monkeypatch):
    """Guards against a child that was taken over and writes what it likes into the log."""
    page = plain(1).model_dump_json(exclude_defaults=True).encode()
    failures = [{"rule": "duplicates", "trace": "x" * 9000 + "\nWARNING forged\r\x1b[2J"}]

    async def start(limits):
        return await printing(READY, message({"ok": {"failures": failures}}, page))

    async def use(composer, _):
        await composer.structure(NOWHERE, page_of(1), DETECTIONS)

    monkeypatch.setattr(child_process, "spawn", start)
    _, ((failure, _),) = composing(use)
    assert all(line.startswith("  ") and line.isprintable() for line in failure.trace.split("\n"))
    assert len(failure.trace) < 4100
    assert "forged" in failure.trace


def test_a_run_without_a_clock_names_the_rule_that_failed():
    run = RuleRun()
    draft_regions(SEEN, DETECTIONS, run=run)
    assert run.failures == []
