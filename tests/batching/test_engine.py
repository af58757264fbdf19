"""The engine over a runner that needs no model."""

import asyncio
import gc
import subprocess
import sys
import threading

import pytest

from batching import (
    Engine,
    EngineClosed,
    EngineConfig,
    EngineDead,
    EngineFull,
    FinishReason,
    PromptTooLong,
    Request,
    RequestFailed,
    SamplingParams,
)


def request(*prompt, max_tokens=5, label=""):
    return Request(prompt_token_ids=list(prompt), sampling=SamplingParams(max_tokens=max_tokens), label=label)


def assert_idle(engine):
    stats = engine.stats()
    assert stats.num_running == stats.num_waiting == 0
    assert stats.num_free_blocks == stats.num_blocks


def test_many_requests_arriving_at_any_time_get_their_own_output(counting, expected, run_async):
    """The whole point: company must not change an answer."""

    async def main():
        async with Engine(counting, EngineConfig(num_blocks=12, block_size=4, max_running=4)) as engine:

            async def one(at):
                async for _ in engine.submit(request(at, max_tokens=1)):  # arrives when an earlier one is done
                    pass
                return await engine.submit(request(at, at + 1, max_tokens=at)).result()

            completions = await asyncio.gather(*(one(at) for at in range(20, 40)))
            assert_idle(engine)
            assert engine.stats().num_preempted > 0
            assert engine.stats().num_finished == 40
        for at, completion in zip(range(20, 40), completions, strict=True):
            assert completion.token_ids == expected([at, at + 1], at)
            assert completion.finish_reason is FinishReason.LENGTH
            assert completion.mean_logprob == pytest.approx(-0.5)
            assert completion.timings.queued_s <= completion.timings.first_token_s <= completion.timings.total_s

    run_async(main)


def test_documents_that_share_a_step_are_told_to_the_callback(gated, run_async):
    """Batching across documents is what the product promises; it has to be visible."""
    steps = []

    async def main():
        async with Engine(gated, EngineConfig(on_step=steps.append)) as engine:
            streams = [engine.submit(request(20, 21, label="a")), engine.submit(request(22, label="b"))]
            gated.release(100)
            await asyncio.gather(*(stream.result() for stream in streams))

    run_async(main)
    assert steps[0].labels == {"a", "b"}
    assert (steps[0].num_prefill_tokens, steps[0].num_decodes) == (3, 0)
    assert (steps[1].num_prefill_tokens, steps[1].num_decodes) == (0, 2)
    assert (steps[-1].num_running, steps[-1].num_free_blocks) == (0, 1024)


def test_a_callback_that_raises_ends_no_request(counting, run_async, caplog):
    """Metrics must never take the engine down."""

    def broken(stats):
        raise RuntimeError("metrics")

    async def main():
        async with Engine(counting, EngineConfig(on_step=broken)) as engine:
            assert len((await engine.submit(request(20)).result()).token_ids) == 5

    run_async(main)
    assert caplog.text.count("on_step failed") == 1


def test_times_of_a_request_are_told_when_it_has_ended(counting, run_async):
    """Queue time, TTFT and ITL are what an operator tunes by."""
    reports = []

    async def main():
        limits = EngineConfig(max_running=2, num_blocks=6, block_size=2, on_finish=reports.append)
        async with Engine(counting, limits) as engine:
            streams = [engine.submit(request(20, 21, max_tokens=7, label="a")) for _ in range(3)]
            aborted = engine.submit(request(22, label="b"))
            aborted.abort()
            await asyncio.gather(*(stream.result() for stream in streams))
            assert sum(stats.num_preempted for stats in reports) == engine.stats().num_preempted > 0

    run_async(main)
    assert [(stats.label, str(stats.finish_reason)) for stats in reports] == [("b", "abort"), *[("a", "length")] * 3]
    aborted, *finished = reports
    assert aborted.timings.queued_s is aborted.timings.first_token_s is aborted.timings.mean_itl_s is None
    for stats in finished:
        assert (stats.num_prompt, stats.num_output) == (2, 7)
        times = stats.timings
        assert 0 <= times.queued_s <= times.first_token_s <= times.total_s
        assert 0 < times.mean_itl_s <= times.max_itl_s
        assert times.first_token_s + 6 * times.mean_itl_s == pytest.approx(times.total_s, abs=0.01)


def test_a_full_waiting_list_refuses_and_accepts_again_later(gated, run_async):
    """Without a bound, overload shows as timeouts of everybody instead of one clear refusal."""

    async def main():
        async with Engine(gated, EngineConfig(max_running=1, max_waiting=2)) as engine:
            streams = [engine.submit(request(20))]
            await gated.entered()
            streams += [engine.submit(request(21)), engine.submit(request(22))]
            with pytest.raises(EngineFull, match="2"):
                engine.submit(request(23))
            gated.release(100)
            await streams[1].result()
            await engine.submit(request(23)).result()
            await streams[2].result()

    run_async(main)


def test_a_prompt_longer_than_the_pool_or_the_context_is_refused_with_both_numbers(counting, run_async):
    """Admitted, it would wait for blocks for ever and everybody behind it, too."""

    async def main():
        async with Engine(counting, EngineConfig(num_blocks=4, block_size=4)) as engine:
            with pytest.raises(PromptTooLong, match=r"17 .*16"):
                engine.submit(request(*[20] * 17))
            completion = await engine.submit(request(*[20] * 16, max_tokens=9)).result()
            assert len(completion.token_ids) == 1
            assert completion.finish_reason is FinishReason.LENGTH
        counting.max_length = 10
        async with Engine(counting) as engine:
            with pytest.raises(PromptTooLong, match=r"11 .*10"):
                engine.submit(request(*[20] * 11))

    run_async(main)


def test_no_tokens_asked_is_an_answer_at_once(counting, run_async):
    """max_tokens=0 must not run a step, nor wait for ever."""

    async def main():
        async with Engine(counting) as engine:
            deltas = [delta async for delta in engine.submit(request(20, max_tokens=0))]
            assert [(delta.token_ids, delta.finish_reason) for delta in deltas] == [([], FinishReason.LENGTH)]
            assert engine.stats().num_steps == 0

    run_async(main)


def test_a_failed_request_fails_alone(counting, expected, run_async):
    """One poisoned request in a batch of 32 must not be 32 failures."""

    async def main():
        async with Engine(counting) as engine:
            good, bad = engine.submit(request(20)), engine.submit(request(13))
            with pytest.raises(RequestFailed, match="poisoned"):
                await bad.result()
            with pytest.raises(RequestFailed):
                await anext(aiter(bad))
            assert (await good.result()).token_ids == expected([20], 5)
            assert engine.healthy
            assert engine.stats().num_failed == 1
            assert_idle(engine)

    run_async(main)


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), SystemExit(1)])
def test_when_the_model_thread_dies_every_waiter_is_told(error, gated, run_async, caplog):
    """Waiters that nobody wakes hang until their clients time out."""

    async def main():
        engine = Engine(gated, EngineConfig(max_running=1))
        await engine.start()
        assert engine.healthy
        running, waiting = engine.submit(request(20)), engine.submit(request(21))
        reader = asyncio.create_task(anext(aiter(waiting)))
        await gated.entered()
        gated.error = error
        gated.release()
        for awaited in (running.result(), reader):
            with pytest.raises(EngineDead) as caught:
                await awaited
            assert caught.value.__cause__ is error
        assert not engine.healthy
        with pytest.raises(EngineDead):
            engine.submit(request(22))
        assert_idle(engine)
        await engine.close()

    run_async(main)


def test_closing_ends_what_runs_and_leaves_no_thread(gated, run_async):
    """A replica that is drained must stop, and its threads with it."""

    async def main():
        engine = Engine(gated)
        with pytest.raises(EngineClosed):
            engine.submit(request(20))
        await engine.start()
        stream = engine.submit(request(20))
        await gated.entered()
        closing = asyncio.create_task(engine.close())
        gated.release()
        with pytest.raises(EngineClosed):
            await stream.result()
        await closing
        await engine.close()
        assert gated.closed
        assert not engine.healthy
        with pytest.raises(EngineClosed):
            engine.submit(request(20))
        assert_idle(engine)

    run_async(main)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("batching")]


def test_after_any_history_nothing_is_left(counting, run_async):
    """A leak of one object a request is found by the operator, at night."""

    async def main():
        async with Engine(counting, EngineConfig(num_blocks=8, block_size=2, max_running=4)) as engine:
            streams = [engine.submit(request(at, max_tokens=at % 9)) for at in range(13, 40)]
            for stream in streams[::3]:
                stream.abort()
            await asyncio.gather(*(stream.result() for stream in streams), return_exceptions=True)
            assert_idle(engine)
            assert not engine._outboxes
        del streams, stream
        gc.collect()

    run_async(main)


def test_importing_the_package_imports_no_server_and_no_torch():
    """It can be lifted out and used alone, and schedulers start fast."""
    code = (
        "import batching, sys; print(sorted({'ray','fastapi','starlette','fitz','pymupdf','torch'} & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


@pytest.mark.parametrize("ends", ["cancelled", "failing"])
def test_a_start_that_comes_to_nothing_frees_what_it_allocated_and_may_be_repeated(ends, counting, run_async):
    """Guards against an engine that after one cancelled start holds its KV pool and refuses every later start."""
    allocate, close = counting.allocate, counting.close
    gate, begun, closed = threading.Event(), threading.Event(), threading.Event()

    def closing():
        close()
        closed.set()

    def first(*sizes):
        begun.set()
        gate.wait(20)
        counting.allocate = allocate
        if ends == "failing":
            raise RuntimeError("no memory")
        allocate(*sizes)

    async def scenario():
        counting.allocate, counting.close = first, closing
        engine = Engine(counting, EngineConfig(num_blocks=8, block_size=4))
        starting = asyncio.create_task(engine.start())
        await asyncio.to_thread(begun.wait, 20)
        if ends == "cancelled":
            starting.cancel()
        gate.set()
        with pytest.raises((asyncio.CancelledError, RuntimeError)):
            await starting
        await asyncio.to_thread(closed.wait, 20)
        assert counting.closed, "what was allocated is freed"
        async with engine:
            stream = engine.submit(Request(prompt_token_ids=[1], sampling=SamplingParams(max_tokens=2)))
            assert len((await stream.result()).token_ids) == 2

    run_async(scenario)


def test_an_engine_that_has_lost_a_block_ends_when_it_is_idle(counting, run_async):
    """One block lost with each request ends in an engine that admits nobody, and says nothing."""

    async def main():
        async with Engine(counting, EngineConfig(check_idle=True)) as engine:
            await engine.submit(request(20)).result()
            engine._scheduler.tables.pool.take(1)
            await engine.submit(request(20)).result()
            assert engine._driver is not None
            await asyncio.wait([engine._driver])
            assert not engine.healthy
            with pytest.raises(EngineDead, match="1 KV blocks are held"):
                engine.submit(request(20))

    run_async(main)
