"""Beam search over shared blocks, against transformers' generate."""

import pytest

from batching import EngineConfig, Request, RequestRefused, SamplingParams, generate
from batching.beam import BeamSearch, Branch
from batching.loading.models import load_causal_lm
from tests.batching.native import NATIVE

LENGTHS = (1, 5, 8, 15, 16, 17, 30)


def prompts():
    return [[(at * 41 + step * step * 13) % 200 + 5 for step in range(length)] for at, length in enumerate(LENGTHS)]


def requests(count=20, **settings):
    params = SamplingParams(max_tokens=count, **settings)
    return [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts()]


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
def test_beam_search_equals_generate(settings, route, tiny_lm, continued):
    """Blocks are shared copy-on-write: a beam that writes into its sibling's block changes what that one reads."""
    model = tiny_lm("llama")
    likely = continued(model, prompts()[2], 20, num_beams=2)[4]
    config = EngineConfig(max_running=9, block_size=4, num_blocks=200)
    runner = load_causal_lm(model, route=route)
    stopping = [
        Request(
            prompt_token_ids=prompt,
            sampling=SamplingParams(max_tokens=20, stop_token_ids=(likely, 7, 100), **settings),
        )
        for prompt in prompts()
    ]
    outputs = [completion.token_ids for completion in generate(runner, stopping, config)]
    assert outputs == [continued(model, prompt, 20, eos_token_id=[likely, 7, 100], **settings) for prompt in prompts()]
    outputs = [completion.token_ids for completion in generate(runner, requests(**settings), config)]
    assert outputs == [continued(model, prompt, 20, **settings) for prompt in prompts()]


def test_preempted_beams_go_on_as_if_nothing_had_been(tiny_lm, continued):
    """All branches are recomputed before any of them goes on."""
    steps = []
    config = EngineConfig(max_running=12, block_size=16, num_blocks=12, max_step_tokens=25, on_step=steps.append)
    completions = generate(load_causal_lm(tiny_lm("qwen2")), requests(num_beams=3), config)
    assert sum(step.num_preempted for step in steps) > 0
    expected = [continued(tiny_lm("qwen2"), prompt, 20, num_beams=3) for prompt in prompts()]
    assert [completion.token_ids for completion in completions] == expected
    assert steps[-1].num_free_blocks == 12


def test_beams_share_the_blocks_of_their_prompt(tiny_lm):
    """Without sharing, four beams of a long prompt take four times its blocks."""
    steps = []
    config = EngineConfig(block_size=4, num_blocks=100, on_step=steps.append)
    prompt = [at % 200 + 3 for at in range(80)]
    params = SamplingParams(max_tokens=8, num_beams=4)
    generate(load_causal_lm(tiny_lm("llama")), [Request(prompt_token_ids=prompt, sampling=params)], config)
    most = 100 - min(step.num_free_blocks for step in steps)
    assert most <= 20 + 4 * 2


def test_beams_and_others_share_steps(tiny_lm, continued):
    """A beam search in the batch must not change a greedy neighbour."""
    model = tiny_lm("llama")
    mixed = [*requests(num_beams=3), *requests()]
    outputs = [
        completion.token_ids for completion in generate(load_causal_lm(model), mixed, EngineConfig(max_running=6))
    ]
    assert outputs[len(LENGTHS) :] == [continued(model, prompt, 20) for prompt in prompts()]
    assert outputs[: len(LENGTHS)] == [continued(model, prompt, 20, num_beams=3) for prompt in prompts()]


def test_more_beams_than_a_step_has_rows_are_refused(tiny_lm):
    """They would wait for ever."""
    with pytest.raises(RequestRefused, match=r"num_beams is 5, max_running 4"):
        generate(load_causal_lm(tiny_lm("llama")), requests(num_beams=5), EngineConfig(max_running=4))


def test_an_ending_candidate_counts_only_among_the_first():
    """The second half of the candidates is there to keep beams alive, not to end them."""
    search = BeamSearch(SamplingParams(num_beams=2), frozenset({0}), num_prompt=1, max_tokens=9)
    branches = [Branch([5, 6], score=-1.0), Branch([5, 7], score=-1.1)]
    living = search.extend(branches, [[(1, -0.1), (0, -0.9)], [(2, -0.1), (3, -0.5)]])
    assert [(offspring.parent, offspring.token_id) for offspring in living] == [(0, 1), (1, 2)]
    assert not search._complete
