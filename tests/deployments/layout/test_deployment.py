"""Layout: batches are full under load, calls alone are quick, and nobody pays for a batch mate."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import numpy as np
import pytest
from ray import serve

from configs import Settings
from deployments.layout import deployment as layout
from deployments.layout.deployment import Layout
from documents.errors import PageFailed
from documents.layout.letterbox import Square, fit
from documents.layout.region_detector import Thresholds

SIDE = 32
PICTURE = np.zeros((SIDE, SIDE, 3), np.uint8)
BROKEN = 13  # the red of a picture that the fake cannot process


class FakeDetector:
    """Finds the colour of each page; counts batches, holds them until `go`, and tells when `awaited` pages came."""

    name, family, gives_order, image_size, crop_margin = "fake", "doclayout_yolo", False, SIDE, (0.0, 0.0)

    def __init__(self, awaited: int = 0) -> None:
        self.batches: list[list[int]] = []
        self.asked: list[Thresholds] = []
        self.begun, self.go, self.all_came = threading.Event(), threading.Event(), threading.Event()
        self.go.set()
        self._awaited, self._came, self._lock = awaited, 0, threading.Lock()

    def fit(self, picture: np.ndarray, page_size: tuple[float, float] | None) -> Square:
        square = fit(picture, SIDE, page_size)
        with self._lock:
            self._came += 1
            if self._came == self._awaited:
                self.all_came.set()
        return square

    def detect_squares(self, squares: list[Square], thresholds: list[Thresholds]) -> list[Any]:
        colours = [int(square.pixels[SIDE // 2, SIDE // 2, 0]) for square in squares]
        self.batches.append(colours)
        self.asked += thresholds
        self.begun.set()
        assert self.go.wait(20)
        if self._awaited:
            assert self.all_came.wait(20)
        return [PageFailed("broken") if colour == BROKEN else [colour] for colour in colours]


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One loop: the queue of `@serve.batch` belongs to the first that used it."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def drive(runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs `scenario(layout)` on a Layout without Ray, over a fake network."""
    context = type("Context", (), {"_deployment_config": type("Config", (), {"max_ongoing_requests": 1000})})
    monkeypatch.setattr(serve, "get_replica_context", lambda: context)

    def run(fake: FakeDetector, scenario: Callable[[Layout], Coroutine[Any, Any, Any]], **settings: Any) -> Any:
        monkeypatch.setattr(layout, "_detector", lambda _: fake)
        deployment = Layout(Settings.model_validate({"layout": settings}))
        return runner.run(asyncio.wait_for(scenario(deployment), 60))

    return run


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
    assert (facts["family"], facts["gives_order"]) == ("doclayout_yolo", False)
