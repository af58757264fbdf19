"""A stream, and the ways in which its caller may leave."""

import asyncio

import pytest

from batching import Engine, EngineConfig, FinishReason, Request, SamplingParams


def request(*prompt, max_tokens=50):
    return Request(prompt_token_ids=list(prompt), sampling=SamplingParams(max_tokens=max_tokens))


def is_idle(engine):
    stats = engine.stats()
    return stats.num_running == stats.num_waiting == 0 and stats.num_free_blocks == stats.num_blocks


def test_deltas_join_to_the_completion_and_only_the_last_has_a_reason(counting, expected, run_async):
    """A client that reads the stream and one that waits must get the same."""

    async def main():
        async with Engine(counting) as engine:
            stream = engine.submit(request(20, max_tokens=9))
            deltas = [delta async for delta in stream]
            assert [token for delta in deltas for token in delta.token_ids] == expected([20], 9)
            assert [delta.finish_reason for delta in deltas][:-1] == [None] * (len(deltas) - 1)
            assert deltas[-1].finish_reason is FinishReason.LENGTH
            assert (await stream.result()).token_ids == expected([20], 9)
            assert [delta async for delta in stream] == []

    run_async(main)


def test_each_token_is_handed_out_in_the_step_that_made_it(gated, run_async):
    """Tokens held back until the end are no stream."""

    async def main():
        async with Engine(gated) as engine:
            stream = engine.submit(request(20, max_tokens=3))
            for _ in range(3):
                gated.release()
                assert len((await anext(stream)).token_ids) == 1

    run_async(main)


def test_a_slow_reader_gets_all_at_once_and_holds_up_nobody(counting, expected, run_async):
    """A bounded queue that blocks the engine lets one slow client stop all."""

    async def main():
        async with Engine(counting) as engine:
            slow, other = engine.submit(request(20, max_tokens=30)), engine.submit(request(21, max_tokens=40))
            await other.result()
            assert is_idle(engine)
            deltas = [delta async for delta in slow]
            assert [delta.token_ids for delta in deltas] == [expected([20], 30)]

    run_async(main)


def test_the_stop_token_is_the_last_of_the_output(counting, expected, run_async):
    """As in transformers, whose output holds it, too."""
    tokens = expected([20], 9)

    async def main():
        async with Engine(counting) as engine:
            params = SamplingParams(max_tokens=9, stop_token_ids=(tokens[4],))
            completion = await engine.submit(Request(prompt_token_ids=[20], sampling=params)).result()
            assert completion.finish_reason is FinishReason.STOP
            assert completion.token_ids == tokens[: tokens.index(tokens[4]) + 1]

    run_async(main)


@pytest.mark.parametrize("in_flight", [True, False])
def test_blocks_are_free_before_the_last_delta_of_an_abort(in_flight, gated, run_async):
    """Freed later, the next request would be refused for want of blocks that are nobody's."""

    async def main():
        async with Engine(gated, EngineConfig(max_running=1)) as engine:
            running, waiting = engine.submit(request(20)), engine.submit(request(21))
            await gated.entered()
            aborted, other = (running, waiting) if in_flight else (waiting, running)
            aborted.abort()
            aborted.abort()
            gated.release()
            deltas = [delta async for delta in aborted]
            assert deltas[-1].finish_reason is FinishReason.ABORT
            other.abort()
            gated.release(100)
            assert (await other.result()).finish_reason is FinishReason.ABORT
            assert is_idle(engine)
            assert engine.stats().num_aborted == 2

    run_async(main)


def test_a_preempted_sequence_can_be_aborted(gated, run_async):
    """It holds no blocks and is in no step: easily forgotten."""

    async def main():
        async with Engine(gated, EngineConfig(num_blocks=4, block_size=2, max_running=2)) as engine:
            first, second = engine.submit(request(20, 20, max_tokens=6)), engine.submit(request(21, 21, max_tokens=6))
            while engine.stats().num_preempted == 0:
                await gated.entered()
                gated.release()
                await anext(first)
            second.abort()
            assert (await second.result()).finish_reason is FinishReason.ABORT
            gated.release(100)
            await first.result()
            assert is_idle(engine)

    run_async(main)


@pytest.mark.parametrize("how", ["iterating", "result"])
def test_a_cancelled_task_takes_its_sequence_with_it(how, gated, run_async):
    """A client that disconnects must not go on to occupy a decode slot."""

    async def main():
        async with Engine(gated) as engine:
            stream = engine.submit(request(20))
            task = asyncio.ensure_future(stream.result() if how == "result" else anext(stream))
            await gated.entered()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gated.release(1)
            assert (await stream.result()).finish_reason is FinishReason.ABORT
            assert engine.stats().num_steps == 1
            assert is_idle(engine)

    run_async(main)


def test_a_closed_stream_has_its_blocks_free_when_aclose_returns(gated, run_async):
    """`aclosing` is how frameworks end a response."""

    async def main():
        async with Engine(gated) as engine:
            stream = engine.submit(request(20))
            await gated.entered()
            gated.release()
            await stream.aclose()
            assert is_idle(engine)
            assert [delta async for delta in stream] == []
            await stream.aclose()

    run_async(main)


def test_a_stream_that_nobody_holds_is_aborted(gated, run_async):
    """A caller that fails between two deltas never says goodbye."""

    async def main():
        done = asyncio.Event()
        stats = []

        def on_step(step):
            stats.append(step)
            done.set()

        async with Engine(gated, EngineConfig(on_step=on_step)) as engine:
            stream = engine.submit(request(20))
            await gated.entered()
            del stream
            gated.release(1)
            await done.wait()
            assert is_idle(engine)
            assert engine.stats().num_aborted == 1

    run_async(main)
