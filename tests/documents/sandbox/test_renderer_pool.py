"""A call that ends badly takes its child with it, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading

import pytest

from documents.boxes import BoundingBox
from documents.errors import PageFailed, PageTimeout, PageTooCostly, RendererUnavailable
from documents.media_types import PDF
from documents.sandbox import RendererPool, framing
from documents.values import Page, Source


def process_of(pool, index=0):
    spawned = pool._children[index]._spawned
    return spawned and spawned.process


async def turns(count=20):
    """Lets the loop run what is ready."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_a_child_that_hangs_is_killed_and_the_next_call_is_served(with_pool, data, source):
    """Guards against one bad page holding a renderer for ever."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        stopped = process_of(pool)
        os.kill(stopped.pid, signal.SIGSTOP)
        with pytest.raises(PageTimeout, match=r"^stopped after 2 s$"):
            await pool.inspect(letter, 1)
        assert stopped.returncode == -signal.SIGKILL
        return await pool.open(letter)

    assert with_pool(use, page_timeout_s=2.0).num_pages == 1


def test_a_child_that_does_not_start_is_told_as_such(with_pool, data, source):
    """Guards against a slow start that is told as a slow page, with a limit that was never reached."""

    async def use(pool):
        with pytest.raises(RendererUnavailable, match=r"^no renderer was ready within 0\.001 s$"):
            await pool.open(source(data / "letter.pdf"))
        assert process_of(pool) is None

    with_pool(use, start_timeout_s=0.001)


def test_a_cancelled_call_ends_its_child(with_pool, data, source):
    """Guards against work for a client that has gone running on."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        stopped = process_of(pool)
        os.kill(stopped.pid, signal.SIGSTOP)
        call = asyncio.create_task(pool.inspect(letter, 1))
        await turns()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert stopped.returncode == -signal.SIGKILL
        return await pool.inspect(letter, 1)

    assert with_pool(use, num_children=1).number == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_child_that_dies_once_costs_no_page(with_pool, data, source, number):
    """Guards against a sound document blamed for the kernel's want of memory, and a page taken along by another."""

    async def use(pool):
        letter, columns = source(data / "letter.pdf"), source(data / "columns.pdf")
        await asyncio.gather(pool.open(letter), pool.open(columns))
        victim = next(child for child in pool._children if child.source == letter)._spawned.process
        os.kill(victim.pid, signal.SIGSTOP)
        dying = asyncio.create_task(pool.inspect(letter, 1))
        await turns()
        other = asyncio.create_task(pool.inspect(columns, 2))
        os.kill(victim.pid, number)
        os.kill(victim.pid, signal.SIGCONT)
        return await other, await dying

    two, one = with_pool(use, num_children=3)
    assert (two.number, one.number) == (2, 1)


def test_no_more_calls_run_at_once_than_there_are_children(with_pool, data, source):
    """Guards against a crowd of children that fills the machine's memory."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await asyncio.gather(*(pool.inspect(letter, 1) for _ in range(6)))
        return sum(child.running for child in pool._children)

    assert with_pool(use, num_children=2) <= 2


def test_of_several_children_one_is_left_that_does_not_parse(with_pool, data, source):
    """Guards against a page's structure that waits while children draw for many seconds."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        os.kill(process_of(pool).pid, signal.SIGSTOP)
        first, second = (asyncio.create_task(pool.inspect(letter, 1)) for _ in range(2))
        await turns()
        started = sum(child.running for child in pool._children)
        os.kill(process_of(pool).pid, signal.SIGCONT)
        await asyncio.gather(first, second)
        return started

    assert with_pool(use, num_children=2) == 1


def test_a_child_is_started_only_when_needed_and_keeps_its_document(with_pool, data, source):
    """Guards against opening the file again for every page of it."""

    async def use(pool):
        assert not any(child.running for child in pool._children)
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        first = process_of(pool).pid
        await pool.inspect(letter, 1)
        assert process_of(pool).pid == first
        assert process_of(pool, 1) is None

    with_pool(use, num_children=2)


def test_a_child_is_retired_after_its_share_of_documents(with_pool, data, source):
    """Guards against memory that parsers leak over thousands of documents."""

    async def use(pool):
        pids = []
        for name in ("letter.pdf", "columns.pdf", "letter.pdf", "letter.pdf"):
            await pool.open(source(data / name))
            pids.append(process_of(pool).pid)
        return pids

    pids = with_pool(use, documents_per_child=2)
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_pictures_have_the_side_or_the_scale_asked_for(with_pool, data, source):
    """Guards against pictures that the layout network would scale a second time."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        box = BoundingBox(x0=72, y0=70, x1=272, y1=100)
        return (
            await pool.picture(letter, 1, long_side=640),
            await pool.picture(letter, 1, dpi=72),
            await pool.picture(letter, 1, dpi=144, box=box),
            await pool.picture(letter, 1, dpi=144, box=box, angle=90),
        )

    whole, small, part, turned = with_pool(use)
    assert max(whole.shape) == 640
    assert small.shape == (842, 595, 3)
    assert part.shape == (60, 400, 3)
    assert turned.shape == (400, 60, 3)
    assert part.min() < 50 < 250 < part.max()


def test_a_page_that_is_not_there_is_a_named_error(with_pool, data, source):
    """Guards against a wrong page number that is told as a crash."""

    async def use(pool):
        for number in (0, 2, 10**12):
            with pytest.raises(PageFailed):
                await pool.inspect(source(data / "letter.pdf"), number)
        with pytest.raises(PageFailed):
            await pool.picture(source(data / "letter.pdf"), 1, box=BoundingBox(x0=700, y0=0, x1=800, y1=9))

    with_pool(use)


def test_a_child_that_has_used_up_its_processor_time_is_told_as_such(with_pool, data, source):
    """Guards against a page that computes for a minute, and against its end being told as a crash."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        os.kill(process_of(pool).pid, signal.SIGSTOP)
        call = asyncio.create_task(pool.inspect(letter, 1))
        await turns()
        os.kill(process_of(pool).pid, signal.SIGXCPU)
        os.kill(process_of(pool).pid, signal.SIGCONT)
        with pytest.raises(PageTooCostly, match=r"CPU time$") as caught:
            await call
        assert not caught.value.retryable
        return await pool.inspect(letter, 1)

    assert with_pool(use, num_children=1).number == 1


def test_a_child_whose_memory_has_grown_is_replaced(with_pool, data, source):
    """Guards against memory that a large page leaves behind for good."""

    async def use(pool):
        await pool.open(source(data / "letter.pdf"))
        return process_of(pool)

    assert with_pool(use, resident_bytes=1) is None
    assert with_pool(use) is not None


def test_the_kernel_s_walls_around_children_are_known(with_pool, data, source):
    """Guards against a server that runs its parsers without a sandbox and does not say so."""

    async def use(pool):
        assert pool.walls is None
        await pool.open(source(data / "letter.pdf"))
        return pool.walls

    assert set(with_pool(use, num_children=1)) >= {"seccomp"}


def test_no_child_serves_two_namespaces(with_pool, data, source):
    """Guards against a document that takes a child over and waits there for those of another tenant."""

    async def use(pool):
        def of(namespace, name="letter.pdf"):
            return Source(path=str(data / name), media_type="application/pdf", namespace=namespace)

        pids = []
        for document in (of("a"), of("a", "columns.pdf"), of("b"), of("b", "columns.pdf"), of("a")):
            await pool.open(document)
            pids.append(
                [process_of(pool, index) and process_of(pool, index).pid for index in range(len(pool._children))]
            )
        return pids

    a, same, both, still, again = with_pool(use, num_children=2)
    assert a == same
    assert sum(pid is not None for pid in a) == 1
    assert None not in both
    assert both == still == again
    one, _, other, *_ = with_pool(use, num_children=1)
    assert one != other


def test_children_are_not_started_anew_for_tenants_that_alternate(data):
    """Guards against a start of half a second per call where two tenants send small documents."""
    ends = []

    async def main():
        pool = RendererPool(3, on_end=ends.append)

        async def call(number):
            for n in range(4):
                source = Source(path=str(data / "letter.pdf"), media_type=PDF, namespace=f"tenant-{(number + n) % 2}")
                await pool.open(source)
                await pool.inspect(source, 1)

        await asyncio.gather(*map(call, range(5)))
        await pool.close()

    asyncio.run(main())
    assert ends.count("namespace") <= 2
    assert ends[-2:] == ["closed", "closed"]


def test_a_large_page_is_parsed_beside_the_event_loop(with_pool, tmp_path, monkeypatch):
    """Guards against a page of many megabytes of JSON that holds up the calls of all others while it is parsed."""
    threads = []
    monkeypatch.setattr(framing, "MIN_THREAD_BYTES", 1)

    def noted(text, *arguments, **options):
        threads.append(threading.current_thread() is threading.main_thread())
        return validated(text, *arguments, **options)

    validated = Page.model_validate_json
    monkeypatch.setattr(Page, "model_validate_json", noted)

    async def use(pool):
        await pool.authored(Source(path=str(letter), media_type="text/html"), 1)

    letter = tmp_path / "letter.html"
    letter.write_text("<p>A letter of few words.</p>")
    with_pool(use)
    assert threads == [False]


def test_a_file_is_fetched_before_a_child_is_taken_and_held_while_it_is_read(data):
    """Guards against children that wait for a network, and a file that is removed while one reads it."""
    fetched, held = asyncio.Event(), set()

    @contextlib.asynccontextmanager
    async def local_path(path):
        if path == "far":
            raise Busy("away")
        if path == "slow":
            await fetched.wait()
        held.add(path)
        try:
            yield str(data / "letter.pdf")
        finally:
            held.remove(path)

    async def use():
        pool = RendererPool(1, local_path=local_path)
        try:
            slow = asyncio.create_task(pool.open(Source(path="slow", media_type=PDF)))
            with pytest.raises(Busy):
                await pool.open(Source(path="far", media_type=PDF))
            near = await pool.open(Source(path="near", media_type=PDF))
            assert not held
            fetched.set()
            while "slow" not in held:
                await turns(1)
            assert not slow.done()
            assert (await slow).num_pages == near.num_pages == 1
            assert not held
        finally:
            await pool.close()

    class Busy(Exception):
        """The file cannot be fetched now."""

    asyncio.run(use())
