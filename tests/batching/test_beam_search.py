"""Beam search over reused prefixes, against transformers' generate."""

import asyncio

import pytest

from batching import (
    BeamSearchParams,
    Engine,
    EngineConfig,
    FinishReason,
    InvalidPrompt,
    RequestFailed,
    RequestRefused,
    beam_search,
    generate,
)
from batching.beam_search import Beam, BeamSearch
from batching.loading.models import load_causal_lm
from batching.step_plan import RowResult
from tests.batching.conftest import request_of
from tests.batching.native_route_here import NATIVE

LENGTHS = (1, 5, 8, 15, 16, 17, 30)


def prompts():
    return [[(at * 41 + step * step * 13) % 200 + 5 for step in range(length)] for at, length in enumerate(LENGTHS)]


def requests(count=20, **settings):
    return [request_of({"max_tokens": count} | settings, prompt_token_ids=prompt) for prompt in prompts()]


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE])
@pytest.mark.parametrize(
    "settings",
    [
        {"num_beams": 2},
        {"num_beams": 4, "length_penalty": 0.4},
        {"num_beams": 4, "length_penalty": -1.0, "early_stopping": True},
        {"num_beams": 3, "length_penalty": 2.0, "early_stopping": "never"},
        {"num_beams": 3, "repetition_penalty": 1.3, "no_repeat_ngram_size": 2},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
@pytest.mark.parametrize("reuses", [False, True], ids=["recomputed", "reused"])
def test_beam_search_equals_generate(settings, route, reuses, tiny_lm, continued):
    """Beams share the full blocks of what they have in common, and compute the rest each on its own."""
    model = tiny_lm("llama")
    likely = continued(model, prompts()[2], 20, num_beams=2)[4]
    config = EngineConfig(max_running=9, block_size=4, num_blocks=200, reuse_prefixes=reuses)
    runner = load_causal_lm(model, route=route)
    stopping = [
        request_of({"max_tokens": 20, "stop_token_ids": (likely, 7, 100)} | settings, prompt_token_ids=prompt)
        for prompt in prompts()
    ]
    outputs = [completion.token_ids for completion in generate(runner, stopping, config)]
    assert outputs == [continued(model, prompt, 20, eos_token_id=[likely, 7, 100], **settings) for prompt in prompts()]
    outputs = [completion.token_ids for completion in generate(runner, requests(**settings), config)]
    assert outputs == [continued(model, prompt, 20, **settings) for prompt in prompts()]


def test_beams_in_a_small_pool_say_the_same(tiny_lm, continued):
    """A pool that holds few beams at once makes others wait, or begin again."""
    steps = []
    config = EngineConfig(max_running=12, block_size=16, num_blocks=5, max_step_tokens=25, on_step=steps.append)
    completions = generate(load_causal_lm(tiny_lm("qwen2")), requests(num_beams=3), config)
    assert max(step.num_waiting for step in steps) > 0
    expected = [continued(tiny_lm("qwen2"), prompt, 20, num_beams=3) for prompt in prompts()]
    assert [completion.token_ids for completion in completions] == expected
    assert steps[-1].num_free_blocks == 5


def test_beams_share_the_blocks_of_their_prompt(tiny_lm):
    """Without sharing, four beams of a long prompt take four times its blocks."""
    steps = []
    config = EngineConfig(block_size=4, num_blocks=100, reuse_prefixes=True, on_step=steps.append)
    prompt = [at % 200 + 3 for at in range(80)]
    request = request_of({"max_tokens": 8, "num_beams": 4}, prompt_token_ids=prompt)
    generate(load_causal_lm(tiny_lm("llama")), [request], config)
    assert sum(step.num_prefill_tokens for step in steps) <= 80 + 4 * 7 * 4, "the prompt is computed once"
    assert sum(step.num_reused for step in steps) >= 4 * 7 * 76


def test_beams_and_others_share_steps(tiny_lm, continued):
    """A beam search in the batch must not change a greedy neighbour."""
    model = tiny_lm("llama")
    mixed = [*requests(num_beams=3), *requests()]
    outputs = [
        completion.token_ids for completion in generate(load_causal_lm(model), mixed, EngineConfig(max_running=6))
    ]
    assert outputs[len(LENGTHS) :] == [continued(model, prompt, 20) for prompt in prompts()]
    assert outputs[: len(LENGTHS)] == [continued(model, prompt, 20, num_beams=3) for prompt in prompts()]


def test_more_beams_than_a_step_has_rows_take_turns(tiny_lm, continued):
    """They must not wait for ever for a step that holds them all."""
    model = tiny_lm("llama")
    completions = generate(load_causal_lm(model), requests(num_beams=5), EngineConfig(max_running=4))
    assert [completion.token_ids for completion in completions] == [
        continued(model, prompt, 20, num_beams=5) for prompt in prompts()
    ]


def test_a_search_that_nobody_waits_for_leaves_no_request(tiny_lm, run_async):
    """Its steps would go on, each with a request per beam."""

    async def main():
        stepped = asyncio.Event()
        config = EngineConfig(on_step=lambda _: stepped.set())
        async with Engine(load_causal_lm(tiny_lm("llama")), config) as engine:
            search = asyncio.create_task(beam_search(engine, requests(200, num_beams=3)[3]))
            await stepped.wait()
            search.cancel()
            with pytest.raises(asyncio.CancelledError):
                await search
            stats = engine.stats()
            assert stats.num_running + stats.num_waiting <= 3
        assert engine.stats().num_free_blocks == engine.stats().num_blocks

    run_async(main)


def test_the_engine_itself_takes_no_beams(counting, run_async):
    """It would generate one output and call it the best of several."""

    async def main():
        async with Engine(counting) as engine:
            with pytest.raises(RequestRefused, match="beam_search"):
                engine.submit(requests(num_beams=3)[0])
            with pytest.raises(RequestRefused, match="beams"):
                await beam_search(engine, requests()[0])

    run_async(main)


def test_a_beam_search_for_no_token_is_answered_at_once(tiny_lm):
    (completion,) = generate(load_causal_lm(tiny_lm("llama")), requests(0, num_beams=2)[:1])
    assert (completion.token_ids, completion.finish_reason) == ([], FinishReason.LENGTH)


def test_a_search_ends_with_the_room_for_its_tokens(tiny_lm):
    """The last token's own KV is never needed, so one more than the pool holds comes out."""
    request = request_of({"num_beams": 2}, prompt_token_ids=[5, 6, 7])
    (completion,) = generate(load_causal_lm(tiny_lm("llama")), [request], EngineConfig(block_size=4, num_blocks=3))
    assert len(completion.token_ids) == 12 - 3 + 1
    assert completion.num_prompt == 3


def test_a_search_whose_step_breaks_has_failed_alone(counting):
    """The token 13 poisons what begins with it."""
    bad = request_of({"max_tokens": 4, "num_beams": 2}, prompt_token_ids=[13])
    good = request_of({"max_tokens": 4}, prompt_token_ids=[20])
    failed, other = generate(counting, [bad, good])
    assert failed.finish_reason is FinishReason.ERROR
    assert isinstance(failed.error, RequestFailed)
    assert len(other.token_ids) == 4


def test_an_ending_candidate_counts_only_among_the_first():
    """The second half of the candidates is there to keep beams alive, not to end them."""
    search = BeamSearch(BeamSearchParams(num_beams=2), frozenset({0}))
    beams = [Beam((6,), -1.0), Beam((7,), -1.1)]
    living = search.extend(beams, [[(1, -0.1), (0, -0.9)], [(2, -0.1), (3, -0.5)]], max_tokens=9)
    assert [beam.output for beam in living] == [(6, 1), (7, 2)]
    assert not search._complete


def test_a_search_goes_on_from_the_continuation_of_its_request(tiny_lm, continued):
    """Overwritten by the output of the beams, it would be forgotten."""
    model = tiny_lm("llama")
    request = request_of({"max_tokens": 9, "num_beams": 3}, prompt_token_ids=[5, 6], continuation=[7, 8])
    (completion,) = generate(load_causal_lm(model), [request])
    assert completion.token_ids == continued(model, [5, 6, 7, 8], 9, num_beams=3)


def test_one_beam_is_greedy(tiny_lm, continued):
    """With "never" it would go on to compare outputs that `generate` does not look at."""
    model = tiny_lm("llama")
    request = request_of({"max_tokens": 9, "num_beams": 1, "early_stopping": "never"}, prompt_token_ids=[5, 6])
    assert generate(load_causal_lm(model), [request])[0].token_ids == continued(model, [5, 6], 9)


def test_a_continuation_out_of_vocabulary_is_refused(tiny_lm):
    """Unchecked, it ended the model thread, and every other request with it."""
    request = request_of({"max_tokens": 2}, prompt_token_ids=[5, 6], continuation=[100_000])
    with pytest.raises(InvalidPrompt, match="100000"):
        generate(load_causal_lm(tiny_lm("llama")), [request])


def test_a_search_that_is_cancelled_aborts_the_requests_of_all_its_beams(gated, run_async):
    """The one that is awaited aborts itself; the others would wait for their turn for nobody."""
    top = tuple((token, -0.1 * token) for token in range(1, 9))
    gated._row = lambda row: RowResult(token_id=1, top=top) if row.samples else RowResult()

    async def main():
        async with Engine(gated) as engine:
            search = asyncio.create_task(beam_search(engine, requests(9, num_beams=3)[0]))
            await gated.entered()
            gated.release()
            await gated.entered()  # the step of three beams
            search.cancel()  # the error's frames hold the streams, which as garbage would abort by themselves
            with pytest.raises(asyncio.CancelledError) as caught:
                await search
            gated.release()
            await engine.submit(request_of({"max_tokens": 0}, prompt_token_ids=[1])).result()
        assert engine.stats().num_aborted == 3
        assert caught.tb is not None

    run_async(main)
