"""A rule that fails, loops or ends its process costs what it would have done, and neither the page nor another."""

from __future__ import annotations

import asyncio
import os

import pytest
from page_making import found, inspection, line

from documents.structure.build_page import RuleRun, compose_page, draft_regions
from documents.structure.composer import Composer, ComposerLimits

RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS = range(11, 16)  # as in broken_child
SEEN = inspection(
    line("A heading of the page", y=60, size=16, bold=True), line("The harbour was closed.", y=120), line("12", y=760)
)
DETECTIONS = [found("title", 50, 55, 400, 80), found("plain text", 50, 110, 400, 140)]


def composed(numbers, **limits):
    """The pages of those numbers, and the rules that failed with their pages, in children with the broken rule."""
    failed = []

    async def main():
        composer = Composer(
            ComposerLimits(**limits),
            lambda failure, number: failed.append((failure.rule, number)),
            module="tests.documents.structure.broken_child",
        )
        try:
            return [await composer.page(SEEN.model_copy(update={"number": n}), DETECTIONS) for n in numbers]
        finally:
            await composer.close()

    return asyncio.run(main()), failed


def plain(number):
    seen = SEEN.model_copy(update={"number": number})
    return compose_page(seen, draft_regions(seen, DETECTIONS), {}, {})


def test_a_child_composes_the_page_that_this_process_composes():
    """Guards against fields that are lost on the way to the child or back."""
    (page,), failed = composed([1])
    assert page == plain(1)
    assert failed == []


@pytest.mark.parametrize("number", [RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS])
def test_a_rule_that_misbehaves_is_named_and_the_page_is_there(number):
    """Guards against a page, or a replica, that one heuristic takes with it."""
    (page, after), failed = composed([number, 1], page_cpu_s=1)
    assert page.regions == plain(number).regions
    (warning,) = page.warnings
    assert (warning.code, warning.page) == ("rule_failed", number)
    assert "misbehaves" in warning.message
    assert failed == [("misbehaves", number)]
    assert after == plain(1), "the next page knows nothing of it"


def test_a_page_whose_rule_loops_holds_up_no_other():
    """Guards against a queue behind the page that never ends."""

    async def main():
        composer = Composer(ComposerLimits(page_cpu_s=200), module="tests.documents.structure.broken_child")
        try:
            loops = asyncio.ensure_future(composer.page(SEEN.model_copy(update={"number": LOOPS}), DETECTIONS))
            pages = [await composer.page(SEEN.model_copy(update={"number": n}), DETECTIONS) for n in (1, 2, 3)]
            assert not loops.done()
            loops.cancel()
            await asyncio.wait([loops])
            return pages
        finally:
            await composer.close()

    assert [page.number for page in asyncio.run(main())] == [1, 2, 3]


def test_a_cancelled_page_leaves_no_child_at_work():
    """Guards against a loop that goes on when nobody waits for it any more."""

    async def main():
        composer = Composer(module="tests.documents.structure.broken_child")
        await composer.page(SEEN, DETECTIONS)
        (pid,) = composer.pids
        loops = asyncio.ensure_future(composer.page(SEEN.model_copy(update={"number": LOOPS}), DETECTIONS))
        await asyncio.sleep(0)  # until it waits for the child
        loops.cancel()
        await asyncio.wait([loops])
        assert composer.pids == set()
        await composer.close()
        return pid

    with pytest.raises(ProcessLookupError):
        os.kill(asyncio.run(main()), 0)


def test_a_run_without_a_clock_names_the_rule_that_failed():
    run = RuleRun()
    draft_regions(SEEN, DETECTIONS, run=run)
    assert run.failures == []
