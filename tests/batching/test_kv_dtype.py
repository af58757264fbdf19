"""Engines whose keys and values lie in eight bits, against `generate` over a cache that is rounded alike."""

import dataclasses

import pytest

from batching import EngineConfig, Request, SamplingParams, UnsupportedModel, generate
from batching.loading.models import load_causal_lm
from batching.native.library import library
from batching.routes import route_choice as routes_module
from tests.batching.conftest import request_of
from tests.batching.fp8_cache import Fp8Cache
from tests.batching.torch_graphs import load

ROUTES = ["transformers", "torch", "graphs"]
every_route = pytest.mark.parametrize("route", ROUTES)
ROOMY = EngineConfig(num_blocks=200, block_size=8, max_running=8)
NUM_TOKENS = 16


def prompts(count=6):
    return [[(at * 37 + step * step * 11) % 200 + 5 for step in range(9 + 7 * at)] for at in range(count)]


def requests(**settings):
    return [request_of({"max_tokens": NUM_TOKENS} | settings, prompt_token_ids=prompt) for prompt in prompts()]


def tokens_of(runner, config, **settings):
    return [completion.token_ids for completion in generate(runner, requests(**settings), config)]


@pytest.fixture(scope="module")
def rounded(tiny_lm, continued):
    """What `generate` says over a cache in eight bits."""

    def tokens(model_type, **settings):
        model = tiny_lm(model_type)
        return [
            continued(model, prompt, NUM_TOKENS, past_key_values=Fp8Cache(config=model.config), **settings)
            for prompt in prompts()
        ]

    return tokens


@every_route
@pytest.mark.parametrize("model_type", ["llama", "qwen3"])
def test_tokens_are_those_of_generate_over_a_rounded_cache(route, model_type, tiny_lm, rounded):
    """A prompt in pieces reads rounded keys, so one in a single piece must too: else a text depends on the pieces."""
    runner = load(load_causal_lm, tiny_lm(model_type), route=route, kv_dtype="fp8")
    expected = rounded(model_type)
    assert tokens_of(runner, ROOMY) == expected
    steps = []
    tight = EngineConfig(num_blocks=12, block_size=8, max_running=4, max_step_tokens=16, on_step=steps.append)
    assert tokens_of(runner, tight) == expected
    assert sum(step.num_preempted for step in steps) > 0


def test_a_model_without_a_fast_route_has_them_too(tiny_lm, rounded):
    """A window of attention, and positions that are learned."""
    for model_type in ("mistral", "gpt2"):
        runner = load_causal_lm(tiny_lm(model_type), kv_dtype="fp8")
        assert runner.route == "transformers"
        assert tokens_of(runner, ROOMY) == rounded(model_type)


@every_route
def test_beams_that_share_blocks_are_those_of_generate(route, tiny_lm, rounded):
    """A block is shared with the exponents of its heads."""
    runner = load(load_causal_lm, tiny_lm("llama"), route=route, kv_dtype="fp8")
    expected = rounded("llama", num_beams=3)
    assert tokens_of(runner, dataclasses.replace(ROOMY, max_running=24), num_beams=3) == expected


@every_route
def test_reused_heads_of_prompts_change_no_token(route, tiny_lm):
    """What a block holds depends on its tokens alone."""
    runner = load(load_causal_lm, tiny_lm("llama"), route=route, kv_dtype="fp8")
    head = [(7 * at) % 190 + 3 for at in range(40)]
    sampling = SamplingParams(max_tokens=8)
    alike = [Request(prompt_token_ids=[*head, 9 + at], sampling=sampling) for at in range(5)]
    apart = generate(runner, alike, dataclasses.replace(ROOMY, max_running=1))
    steps = []
    config = dataclasses.replace(ROOMY, max_running=1, reuse_prefixes=True, on_step=steps.append)
    reused = generate(runner, alike, config)
    assert [one.token_ids for one in reused] == [one.token_ids for one in apart]
    assert sum(step.num_reused for step in steps) == 4 * 40


@every_route
def test_logits_drift_and_stay_within_what_the_check_at_load_allows(route, tiny_lm, torch):
    """No drift at all would mean that nothing is rounded."""
    model = tiny_lm("llama")
    prompt = prompts()[5]
    whole, eighth = (
        generate(
            load(load_causal_lm, model, route=route, kv_dtype=kind),
            [request_of({"max_tokens": 1}, prompt_token_ids=prompt)],
            ROOMY,
        )[0]
        for kind in ("model", "fp8")
    )
    with torch.inference_mode():
        largest = float(model(torch.tensor([prompt])).logits.abs().max())
    drift = abs(whole.token_logprobs[0] - eighth.token_logprobs[0])
    assert 0 < drift < routes_module.FP8_TOLERANCE * largest


def test_a_model_that_drifts_too_far_is_refused(tiny_lm, monkeypatch):
    """Wrong text without a word is worse than none."""
    monkeypatch.setattr(routes_module, "FP8_TOLERANCE", 1e-6)
    with pytest.raises(UnsupportedModel, match="too inaccurate with keys and values in fp8: a logit is"):
        load_causal_lm(tiny_lm("llama"), kv_dtype="fp8")


def test_what_cannot_be_had_is_refused_by_name(tiny_lm):
    model = tiny_lm("llama")
    with pytest.raises(ValueError, match="kv_dtype must be one of model, fp8, not 'int8'"):
        load_causal_lm(model, kv_dtype="int8")
    with pytest.raises(UnsupportedModel, match="the native route reads the model's own numbers"):
        load_causal_lm(model, route="native", kv_dtype="fp8")


def test_a_memory_holds_four_times_the_blocks(tiny_lm):
    """As many as are calculated fit: an engine over that many takes no more than the memory."""
    runners = {kind: load_causal_lm(tiny_lm("llama"), route="torch", kv_dtype=kind) for kind in ("model", "fp8")}
    counts = {kind: runner.num_blocks_in(1 << 20, 16, 4) for kind, runner in runners.items()}
    width = 2 * 2 * 16 * 2  # layers, keys and values, tokens, heads
    assert counts == {"model": (1 << 20) // (width * 16 * 4) - 2, "fp8": (1 << 20) // (width * 17) - 2}
    runner = runners["fp8"]
    runner.allocate(counts["fp8"], 16, 4, 4)
    taken = sum(tensor.nbytes for layer in runner._kv.layers for rows in layer for tensor in rows.tensors)
    runner.close()
    assert (1 << 20) - width * 17 < taken <= 1 << 20


@pytest.mark.skipif(library() is None, reason="no compiler, or no AVX2")
def test_the_native_route_is_passed_over(tiny_lm):
    assert load_causal_lm(tiny_lm("llama"), kv_dtype="fp8").route == "torch"
