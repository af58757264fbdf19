"""Layout: batches are full under load, calls alone are quick, and nobody pays for a batch mate."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import numpy as np
import pytest

from configs import Settings
from deployments.layout import deployment as layout
from deployments.layout.deployment import Layout
from documents.errors import PageFailed
from documents.layout.region_detector import Thresholds
from documents.segments.packed_features import packed_segments
from tests.deployments.layout.fake_detector import BROKEN, SIDE, FakeDetector
from tests.documents.page_making import inspection, line

PICTURE = np.zeros((SIDE, SIDE, 3), np.uint8)


def page(colour: int) -> np.ndarray:
    return np.full((SIDE, SIDE, 3), colour, np.uint8)


async def at_the_gate(layout: Layout, count: int) -> None:
    """Let the loop run until so many calls wait; their pictures are fitted in threads."""
    while layout._gate.num_waiting < count:  # noqa: ASYNC110  the gate has no event, and needs none but here
        await asyncio.sleep(0)


def test_sixty_four_layout_calls_at_once_share_full_batches(drive: Callable[..., Any]) -> None:
    """Guards against the collapse into batches of one or two that late joiners cause."""
    fake = FakeDetector(awaited=64)

    async def scenario(layout: Layout) -> Any:
        return await asyncio.gather(*(layout.detect(page(colour), label=str(colour)) for colour in range(100, 164)))

    assert drive(fake, scenario, batch_size=8) == [[colour] for colour in range(100, 164)], "each gets its own result"
    assert max(map(len, fake.batches)) == 8
    assert 64 / len(fake.batches) >= 6


def test_layout_calls_that_come_one_by_one_during_a_batch_share_the_next(drive: Callable[..., Any]) -> None:
    """Guards against small batches that close while an earlier one still runs and then queue behind each other."""
    fake = FakeDetector()

    async def scenario(layout: Layout) -> None:
        fake.go.clear()
        calls = [asyncio.create_task(layout.detect(page(0)))]
        await asyncio.to_thread(fake.begun.wait, 20)
        for colour in range(1, 9):  # each fitted and at the gate before the next comes
            calls.append(asyncio.create_task(layout.detect(page(colour))))
            await at_the_gate(layout, colour)
        fake.go.set()
        await asyncio.gather(*calls)

    drive(fake, scenario, batch_size=8, batch_wait_s=0)
    assert fake.batches == [[0], list(range(1, 9))]


def test_a_layout_call_alone_waits_for_one_window_and_one_step(drive: Callable[..., Any]) -> None:
    """Guards against a call that waits for company that never comes, or for two windows."""
    fake = FakeDetector()
    waited_s: list[float] = []

    async def scenario(layout: Layout) -> None:
        loop = asyncio.get_running_loop()
        call_at = loop.call_at

        def counted(when: float, callback: Callable[..., Any], *args: Any, **options: Any) -> asyncio.TimerHandle:
            def rung(*args: Any) -> None:
                waited_s.append(wait_s)
                callback(*args)

            wait_s = when - loop.time()
            return call_at(when, rung, *args, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_at", counted)
            await layout.detect(PICTURE)

    drive(fake, scenario, batch_wait_s=0.2)
    assert 0 < sum(waited_s) <= 0.2 + 1e-6
    assert fake.batches == [[0]]


def test_size_and_wait_change_while_layout_runs(drive: Callable[..., Any]) -> None:
    """Guards against settings that ask for a new replica, and a gate that keeps the old size."""
    fake = FakeDetector(awaited=12)

    async def scenario(layout: Layout) -> None:
        layout.reconfigure({"batch_size": 3, "batch_wait_s": 0.5})
        await asyncio.gather(*(layout.detect(page(colour)) for colour in range(12)))
        for wrong in ({"size": 3}, {"batch_size": 0}, {"batch_wait_s": -1}):
            with pytest.raises(ValueError, match="batch"):
                layout.reconfigure(wrong)

    drive(fake, scenario, batch_size=8)
    assert sorted(map(len, fake.batches)) == [3, 3, 3, 3]


def test_a_layout_page_that_fails_fails_alone(drive: Callable[..., Any]) -> None:
    """Guards against a batch that goes down with one of its pages, in the network or before it."""
    fake = FakeDetector(awaited=2)

    async def scenario(layout: Layout) -> list[Any]:
        calls = [layout.detect(page(BROKEN)), layout.detect(np.zeros((0, 3, 3), np.uint8)), layout.detect(page(7))]
        return await asyncio.gather(*calls, return_exceptions=True)

    broken, empty, good = drive(fake, scenario)
    assert (broken.message, empty.message, good) == ("broken", "layout detection cannot use the page's picture", [7])


def test_cancelled_layout_calls_never_reach_the_network(drive: Callable[..., Any]) -> None:
    """Guards against work for clients that are gone, and against places in the gate that go with them."""
    fake = FakeDetector()

    async def scenario(layout: Layout) -> list[Any]:
        fake.go.clear()
        first = asyncio.create_task(layout.detect(page(0)))
        await asyncio.to_thread(fake.begun.wait, 20)
        waiting = [asyncio.create_task(layout.detect(page(colour))) for colour in range(1, 7)]
        await at_the_gate(layout, 6)
        for task in waiting[:3]:
            task.cancel()
        fake.go.set()
        return await asyncio.gather(first, *waiting, return_exceptions=True)

    results = drive(fake, scenario, batch_size=2, batch_wait_s=0.05)
    assert [isinstance(result, asyncio.CancelledError) for result in results] == [
        False,
        True,
        True,
        True,
        False,
        False,
        False,
    ]
    assert sorted(page for batch in fake.batches for page in batch) == [0, 4, 5, 6]


def test_thresholds_of_a_layout_call_go_with_its_page(drive: Callable[..., Any]) -> None:
    """Guards against an `iou_threshold` that decides over other people's pages."""
    fake = FakeDetector(awaited=2)

    async def scenario(layout: Layout) -> dict[str, Any]:
        await asyncio.gather(layout.detect(page(1), iou_threshold=0.45), layout.detect(page(2), label="other"))
        return await layout.about()

    facts = drive(fake, scenario)
    by_page = dict(zip(itertools.chain(*fake.batches), fake.asked, strict=True))
    assert by_page == {1: Thresholds(None, 0.45), 2: Thresholds()}
    assert (facts["model"], facts["pages"], facts["batches"]) == ("fake", 2, len(fake.batches))
    assert facts["family"] == "doclayout_yolo"


FEATURES = [
    packed_segments(inspection(*(line(f"{word} {k}", y=60 + 14 * k) for k in range(count))))
    for word, count in (("Harbour", 3), ("Tide", 9))
]


class CountedReader:
    """The reader of the settings, which counts its batches."""

    def __init__(self, settings: Settings) -> None:
        self.reader = layout_reader(settings)
        self.batches: list[int] = []

    def blocks(self, pages: list[Any]) -> Iterator[Any]:
        self.batches.append(len(pages))
        return self.reader.blocks(pages)


layout_reader = layout._reader


@pytest.fixture
def drive_pairs(drive: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """As `drive`; pages for the structure network are read two at a time, as soon as two are there."""
    reader = CountedReader(Settings())
    monkeypatch.setattr(layout, "_reader", lambda _: reader)

    def run(scenario: Callable[[Layout], Coroutine[Any, Any, Any]]) -> tuple[Any, CountedReader]:
        async def in_pairs(deployment: Layout) -> Any:
            batch: Any = deployment._block_batch
            batch.set_max_batch_size(2)
            batch.set_batch_wait_timeout_s(30)
            return await scenario(deployment)

        return drive(FakeDetector(), in_pairs), reader

    return run


def test_pages_of_two_documents_share_a_pass_of_the_structure_network(drive_pairs: Callable[..., Any]) -> None:
    """Guards against blocks of one page that another gets, and against counts of shared batches that stay at 0."""

    async def scenario(layout: Layout) -> Any:
        blocks = await asyncio.gather(*(layout.blocks(page, label=str(k)) for k, page in enumerate(FEATURES)))
        return blocks, await layout.about()

    (blocks, facts), reader = drive_pairs(scenario)
    assert blocks == [reader.reader.blocks_of(page) for page in FEATURES]
    assert [sorted(k for block in page for k in block.segments) for page in blocks] == [[*range(3)], [*range(9)]]
    assert reader.batches == [2]
    assert (facts["structure_pages"], facts["structure_shared_batches"], facts["pages"]) == (2, 1, 0)


def test_pages_of_one_document_are_no_shared_batch(drive_pairs: Callable[..., Any]) -> None:
    async def scenario(layout: Layout) -> Any:
        await asyncio.gather(*(layout.blocks(page, label="one") for page in FEATURES))
        return await layout.about()

    facts, _ = drive_pairs(scenario)
    assert (facts["structure_pages"], facts["structure_shared_batches"]) == (2, 0)


def test_features_that_are_of_no_page_fail_alone(drive_pairs: Callable[..., Any]) -> None:
    """Guards against a child taken over by its document that takes other people's pages with it."""

    async def scenario(layout: Layout) -> Any:
        calls = [layout.blocks(page) for page in (FEATURES[0], b"no features", FEATURES[1][:-1], FEATURES[1])]
        return await asyncio.gather(*calls, return_exceptions=True)

    (first, *invalid, last), reader = drive_pairs(scenario)
    assert [first, last] == [reader.reader.blocks_of(page) for page in FEATURES]
    assert [type(error) for error in invalid] == [PageFailed] * 2
    assert reader.batches == [2]


def test_a_page_without_visible_text_costs_no_pass(drive_pairs: Callable[..., Any]) -> None:
    assert drive_pairs(lambda layout: layout.blocks(b"", label="a"))[0] == ()
    assert drive_pairs(lambda layout: layout.blocks(b""))[1].batches == []


def test_layout_is_ill_once_no_batches_of_blocks_are_formed(drive: Callable[..., Any]) -> None:
    """Guards against a replica that Serve takes for well while every page waits for its blocks."""

    async def scenario(layout: Layout) -> None:
        await layout.check_health()
        names: list[str] = []

        async def ended(batched: Any) -> None:
            names.append(batched.__name__)
            if batched.__name__ == "_block_batch":
                raise RuntimeError("ended")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("deployments.layout.deployment.check_batch_loop", ended)
            with pytest.raises(RuntimeError, match="ended"):
                await layout.check_health()
        assert names == ["_batch", "_block_batch"]

    drive(FakeDetector(), scenario)
