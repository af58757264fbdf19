"""`deployments.ocr.line_cutter`: a picture that cannot be cut costs itself, and never the replica."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from batching.inputs.reading_config import ReadingConfig
from deployments.ocr.line_cutter import Cutter
from deployments.ocr.region_reader import RegionReader
from deployments.values.read_options import RegionUnread
from documents.errors import RendererUnavailable
from documents.ocr_input.line_strips import cut
from documents.render_limits import RenderLimits
from documents.sandbox import RendererPool, child_process, spawn
from documents.sandbox.cutting_call import cut_call
from tests.documents.sandbox.broken_child import CONNECTS, ENDS, LOOPS, RAISES

STRIPS = ReadingConfig(unit="strip")


@pytest.fixture(scope="module")
def crop() -> np.ndarray:
    picture = Image.new("RGB", (700, 120), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=28)
    pen.text((12, 10), "Ships wait for the tide.", "black", font)
    return np.asarray(picture)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "CHILD", "tests.documents.sandbox.broken_child")


def cutting(use: Callable[[Cutter], Awaitable[Any]], **limits: float) -> Any:
    async def whole() -> Any:
        cutter = Cutter(RenderLimits(**{"page_timeout_s": 600, **limits}))  # type: ignore[arg-type]
        try:
            return await use(cutter)
        finally:
            await cutter.close()

    return asyncio.run(whole())


def pid_of(cutter: Cutter) -> int:
    (child,) = cutter._pool._children
    assert child._spawned is not None
    return child._spawned.process.pid


def test_a_child_is_started_by_the_first_picture_and_stays(crop: np.ndarray) -> None:
    """Guards against a process that is held at rest, and against a start per region or per tenant."""

    async def use(cutter: Cutter) -> tuple[Any, list[int], Any]:
        (child,) = cutter._pool._children
        assert not child.running
        strips = await cutter.cut(crop)
        before = pid_of(cutter)
        await cutter.cut(crop[:60], [])
        return strips, [before, pid_of(cutter)], cutter._pool.walls

    strips, (before, after), walls = cutting(use)
    (strip,), (here,) = strips, cut(crop)
    assert (strip.box, strip.sizes, strip.gaps) == (here.box, here.sizes, here.gaps)
    assert np.array_equal(strip.squares, here.squares)
    assert before == after
    assert "seccomp" in walls


def test_the_child_goes_before_those_that_draw_pages(crop: np.ndarray) -> None:
    """Guards against a model that waits for its lines behind pages which are drawn for later."""

    async def priority(pool: RendererPool, call: Any) -> int:
        await pool.ask(call)
        (child,) = pool._children
        assert child._spawned is not None
        return os.getpriority(os.PRIO_PROCESS, child._spawned.process.pid)

    async def use(cutter: Cutter) -> tuple[int, int]:
        call, drawing = cut_call(crop[..., 0], None), RendererPool(1)
        try:
            return await priority(cutter._pool, call), await priority(drawing, call)
        finally:
            await drawing.close()

    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert cutting(use) == (own, min(19, own + 10))


@pytest.mark.parametrize(
    ("width", "limits", "why"),
    [
        (LOOPS, {"page_cpu_s": 1}, "stopped after 1 s of CPU time"),
        (LOOPS, {"page_timeout_s": 3}, "stopped after 3 s"),
        (RAISES, {}, "no form that is known"),
        (CONNECTS, {}, "no form that is known"),
    ],
)
def test_a_picture_without_end_is_unread_and_the_next_one_is_read(
    broken: None, crop: np.ndarray, width: int, limits: dict[str, float], why: str
) -> None:
    """Guards against one picture that holds the replica's cutting for ever: its only way out was a restart."""

    async def use(cutter: Cutter) -> int:
        with pytest.raises(RegionUnread, match=why):
            await cutter.cut(crop[:, :width])
        return len(await cutter.cut(crop))

    assert cutting(use, **limits) == 1


def test_a_reader_of_lines_passes_its_cutters_error_on(crop: np.ndarray) -> None:
    """Guards against a hanging picture that is any other error than that of its region."""
    engine: Any = None

    async def use(cutter: Cutter) -> None:
        reader = RegionReader(engine, STRIPS, "ocr-compact", max_tokens=9, window=2, cut=cutter.cut)
        with pytest.raises(RegionUnread, match=r"it was not cut into lines: stopped after 0\.001 s"):
            await reader.read(crop)

    cutting(use, page_timeout_s=0.001)


def test_what_ends_children_from_outside_is_not_blamed_on_the_picture(broken: None, crop: np.ndarray) -> None:
    """Guards against a region that stays unread because the machine was short of memory: its page is tried again."""

    async def use(cutter: Cutter) -> int:
        with pytest.raises(RendererUnavailable, match="2 renderers ended"):
            await cutter.cut(crop[:, :ENDS])
        return len(await cutter.cut(crop))

    assert cutting(use) == 1


def test_where_no_child_can_be_started_the_call_may_be_made_again(
    monkeypatch: pytest.MonkeyPatch, crop: np.ndarray
) -> None:
    """Guards against a full machine that looks like a picture without lines."""

    async def none(_: RenderLimits) -> Any:
        raise OSError("no process is left")

    async def use(cutter: Cutter) -> RendererUnavailable:
        with pytest.raises(RendererUnavailable) as caught:
            await cutter.cut(crop)
        return caught.value

    monkeypatch.setattr(child_process, "spawn", none)
    assert cutting(use).retryable


def test_a_cancelled_cut_leaves_no_child_at_work(crop: np.ndarray) -> None:
    """Guards against pictures that are cut for a client who has gone, while others wait."""

    async def use(cutter: Cutter) -> int:
        await cutter.cut(crop)
        pid = pid_of(cutter)
        os.kill(pid, signal.SIGSTOP)
        reads = [asyncio.ensure_future(cutter.cut(crop)) for _ in range(2)]
        done, _ = await asyncio.wait(reads, timeout=0.5)  # the second one waits behind the first
        assert not done
        for read in reads:
            read.cancel()
        await asyncio.wait(reads)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        return len(await cutter.cut(crop))

    assert cutting(use) == 1
