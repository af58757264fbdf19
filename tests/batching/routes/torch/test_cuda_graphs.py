"""The torch route with graphs: steps launched ahead of one another, and the same tokens; here uncaptured."""

import asyncio

import pytest

from batching import (
    Engine,
    EngineClosed,
    EngineConfig,
    EngineDead,
    FinishReason,
    Request,
    StepStats,
    generate,
)
from batching.kv.kv_pool import KvPool
from batching.loading.models import load_causal_lm
from batching.routes.torch.cuda_graphs import sizes
from batching.step_plan import StepPlan
from tests.batching.conftest import request_of
from tests.batching.torch_graphs import GRAPHS, load


class Watched:
    """A runner whose launches and collections are noted."""

    def __init__(self, runner):
        self._runner = runner
        self.events: list[str] = []
        self.ahead_of: list[bool] = []

    def perf_counter(self) -> float:
        """Seconds by a clock that only launches (1 s) and collections (10 s) move."""
        return sum(10.0 if event == "collect" else 1.0 for event in self.events)

    def __getattr__(self, name):
        return getattr(self._runner, name)

    def launch(self, plan: StepPlan):
        self.events.append("launch")
        self.ahead_of.append(any(row.fed_by is not None for row in plan.rows))
        return self._runner.launch(plan)

    def collect(self, flight):
        self.events.append("collect")
        return self._runner.collect(flight)


@pytest.fixture(scope="module")
def model(tiny_lm):
    return tiny_lm("qwen2")


@pytest.fixture(scope="module")
def plain(model):
    return load_causal_lm(model, route="torch")


@pytest.fixture
def graphs(model):
    return Watched(load(load_causal_lm, model, route=GRAPHS))


def _requests(count, max_tokens=None, **sampling):
    return [
        request_of(
            {"max_tokens": max_tokens or 3 + at * 7 % 20} | sampling,
            prompt_token_ids=[(at * 31 + place * 7) % 90 + 1 for place in range(1 + at * 5 % 23)],
        )
        for at in range(count)
    ]


@pytest.mark.parametrize("num_blocks", [200, 14])
def test_tokens_equal_those_of_the_route_without_graphs_while_most_steps_are_launched_ahead(graphs, plain, num_blocks):
    """With 14 blocks sequences are preempted, so that steps ahead and recomputation meet."""
    config = EngineConfig(max_running=4, num_blocks=num_blocks, block_size=8)
    expected = [completion.token_ids for completion in generate(plain, _requests(12), config)]
    assert [completion.token_ids for completion in generate(graphs, _requests(12), config)] == expected
    assert sum(graphs.ahead_of) > len(graphs.ahead_of) / 4


def test_a_step_is_launched_before_the_one_before_it_is_collected(graphs):
    """Otherwise the device would wait for the host after each token."""
    _ = generate(graphs, _requests(1, max_tokens=6), EngineConfig(num_blocks=20))
    assert graphs.events == ["launch", "launch", *["collect", "launch"] * 4, "collect", "collect"]


def test_a_stop_token_is_seen_one_step_late_and_nothing_after_it_is_kept(graphs, plain):
    """The row that was already under way is dropped, and its blocks are free."""
    stop = generate(plain, _requests(3, max_tokens=9))[1].token_ids[4]
    requests = _requests(3, max_tokens=30, stop_token_ids=(stop,))
    expected = generate(plain, requests)
    assert any(completion.finish_reason is FinishReason.STOP for completion in expected)

    async def ran():
        async with Engine(graphs, EngineConfig(num_blocks=40)) as engine:
            completions = await asyncio.gather(*(engine.submit(request).result() for request in requests))
            return completions, engine.stats()

    completions, stats = asyncio.run(ran())
    assert [completion.token_ids for completion in completions] == [completion.token_ids for completion in expected]
    assert stats.num_free_blocks == stats.num_blocks


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": 1.0, "seed": 3},
        {"repetition_penalty": 1.3},
        {"logprobs": 2},
        {"num_beams": 2},
    ],
)
def test_what_the_host_must_see_first_is_not_launched_ahead(graphs, plain, sampling):
    """Its logits would be gone, and its next token unknown, when the step after it begins."""
    requests = _requests(3, **sampling)
    expected = [completion.token_ids for completion in generate(plain, requests)]
    assert [completion.token_ids for completion in generate(graphs, requests)] == expected
    assert not any(graphs.ahead_of)


def test_one_who_waits_gets_the_slot_of_one_who_ends_by_length_in_the_very_next_step(graphs):
    """A step ahead without the newcomer would leave the slot empty once."""
    steps: list[StepStats] = []
    requests = _requests(4, max_tokens=5)
    _ = generate(graphs, requests, EngineConfig(max_running=2, num_blocks=40, on_step=steps.append))
    assert len(steps) == 10
    assert all(step.num_decodes + (step.num_prefill_tokens > 0) * 2 == 2 for step in steps)


def test_an_abort_frees_the_blocks_while_a_step_ahead_still_has_the_row(graphs):
    """The client that left must not be waited for longer than the step in flight."""

    async def ran():
        async with Engine(graphs, EngineConfig(num_blocks=40)) as engine:
            running, aborted = (engine.submit(request) for request in _requests(2, max_tokens=25))
            async for _ in aborted:
                break
            aborted.abort()
            num_collected = graphs.events.count("collect")
            assert (await aborted.result()).finish_reason is FinishReason.ABORT
            assert graphs.events.count("collect") <= num_collected + 2  # the thread may be one ahead of this task
            assert engine.stats().num_free_blocks > 40 - 2 * 4
            completion = await running.result()
            return completion, engine.stats()

    completion, stats = asyncio.run(ran())
    assert len(completion.token_ids) == 25
    assert (stats.num_aborted, stats.num_free_blocks) == (1, stats.num_blocks)


def test_a_failing_row_fails_alone_though_the_next_step_was_under_way(graphs, plain, monkeypatch):
    """Its blocks are wiped when its failure is seen, which is after both steps were launched."""
    route = graphs._runner._route
    logits = route.logits

    def poisoned(rows, values):
        values = values.clone()
        values[[at for at, row in enumerate(rows) if row.owner.label == "bad" and row.end == 12]] = float("nan")
        return values

    wiped: list[list[int]] = []
    monkeypatch.setattr(KvPool, "make_finite", lambda self, blocks: wiped.append(list(blocks)))
    monkeypatch.setattr(route, "logits", lambda rows, *more: poisoned(rows, logits(rows, *more)))
    good, bad = _requests(2, max_tokens=20)
    bad = Request(prompt_token_ids=bad.prompt_token_ids, sampling=bad.sampling, label="bad")
    expected = generate(plain, [good])[0].token_ids

    async def ran():
        async with Engine(graphs, EngineConfig(num_blocks=40, block_size=8)) as engine:
            streams = [engine.submit(request) for request in (good, bad)]
            assert (await streams[0].result()).token_ids == expected
            return streams[1].completion(), engine.stats()

    failed, stats = asyncio.run(ran())
    assert failed.finish_reason is FinishReason.ERROR
    assert wiped == [wiped[0]]
    assert len(wiped[0]) == 2
    assert stats.num_free_blocks == stats.num_blocks


def test_sizes_hold_every_number_of_rows():
    """A step that fits no captured size could not run."""
    assert sizes(1) == [1]
    assert sizes(32) == [1, 2, 4, 8, 16, 32]
    assert sizes(40) == [1, 2, 4, 8, 16, 32, 40]


class Broken(Watched):
    """Fails in the given call of `launch` or `collect`, counted from 1."""

    def __init__(self, runner, event, number):
        super().__init__(runner)
        self._fails = event, number

    def _tell(self, event):
        if (event, self.events.count(event)) == self._fails:
            raise MemoryError("no more")

    def launch(self, plan):
        flight = super().launch(plan)
        self._tell("launch")
        return flight

    def collect(self, flight):
        result = super().collect(flight)
        self._tell("collect")
        return result


@pytest.mark.parametrize(("event", "number"), [("launch", 1), ("launch", 3), ("collect", 2)])
def test_a_device_that_fails_with_two_steps_under_way_ends_every_waiter(model, run_async, event, number):
    """One that is left waiting for a step that nobody collects would wait for ever."""

    async def main():
        runner = Broken(load(load_causal_lm, model, route=GRAPHS), event, number)
        async with Engine(runner, EngineConfig(num_blocks=40)) as engine:
            streams = [engine.submit(request) for request in _requests(3, max_tokens=25)]
            for stream in streams:
                with pytest.raises(EngineDead):
                    await stream.result()
            assert not engine.healthy
            assert engine.stats().num_free_blocks == 40

    run_async(main)


def test_closing_with_two_steps_under_way_ends_every_waiter(graphs, run_async):
    """The second of them is collected, too: it still writes to the pool."""

    async def main():
        async with Engine(graphs, EngineConfig(num_blocks=40)) as engine:
            streams = [engine.submit(request) for request in _requests(3, max_tokens=25)]
            async for _ in streams[0]:
                break
        for stream in streams:
            with pytest.raises(EngineClosed):
                await stream.result()
        assert engine.stats().num_free_blocks == 40
        assert graphs.events.count("launch") == graphs.events.count("collect")

    run_async(main)


def test_steps_ahead_are_counted_by_what_they_gave(graphs, plain):
    """A dropped row is no token."""

    def num_tokens(runner, stop):
        steps: list[StepStats] = []
        requests = _requests(1, max_tokens=20, stop_token_ids=(stop,))
        completion = generate(runner, requests, EngineConfig(num_blocks=40, on_step=steps.append))[0]
        return len(completion.token_ids), sum(step.num_decodes for step in steps)

    stop = generate(plain, _requests(1, max_tokens=9))[0].token_ids[5]
    assert num_tokens(graphs, stop) == num_tokens(plain, stop)


def test_a_step_ahead_lasts_from_the_end_of_the_one_before(graphs, monkeypatch):
    """The first from its launch; a launch takes 1 s here, what is collected comes after 10 s."""
    monkeypatch.setattr("batching.step_reporter.time", graphs)
    steps: list[StepStats] = []
    generate(graphs, _requests(1, max_tokens=4), EngineConfig(num_blocks=40, on_step=steps.append))
    assert [step.step_s for step in steps] == [12.0, 11.0, 11.0, 10.0]
