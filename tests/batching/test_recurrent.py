"""Decoders with recurrent layers against transformers' generate: a state is a slot of its own and never another's."""

import asyncio
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from batching import Engine, EngineConfig, Request, SamplingParams, UnsupportedModel, generate
from batching.kv.state_pool import StatePool
from batching.loading.models import load_causal_lm
from batching.routes import paged_cache
from batching.routes.transformers_route import TransformersRoute
from benchmarks.harness.padded_runner import PaddedRunner
from tests.batching.recurrent_families import MORE_RECURRENT, RECURRENT, REFUSED
from tests.batching.test_families import COUNT, compare

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
SHORT = 7  # tokens of an output
CUT_LENGTHS = (1, 2, 3, 4, 5, 9, 14)  # of prompts: around windows of three and four tokens


@pytest.fixture
def model(torch):
    """A tiny random model of a type."""

    def made(model_type):
        from transformers import CONFIG_MAPPING, AutoModelForCausalLM

        torch.manual_seed(3)
        settings: Any = (RECURRENT | MORE_RECURRENT | REFUSED)[model_type]
        return AutoModelForCausalLM.from_config(CONFIG_MAPPING[model_type](**settings)).eval()

    return made


def prompt_of(length, seed=0):
    return [(step * step * 13 + step * 7 + seed * 29) % 490 + 5 for step in range(length)]


def request_of(prompt, count=SHORT):
    return Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=count))


@pytest.mark.parametrize("model_type", RECURRENT)
def test_every_recurrent_family_says_what_generate_says(model_type, torch, continued):
    """Twelve prompts that join and leave, in a pool that preempts: a stale or a padded state is wrong text."""
    compare(model_type, RECURRENT[model_type], "transformers", torch, continued)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", MORE_RECURRENT)
def test_further_recurrent_families_say_what_generate_says(model_type, torch, continued):
    """Those without a row of their own in the table."""
    compare(model_type, MORE_RECURRENT[model_type], "transformers", torch, continued)


@pytest.mark.parametrize("model_type", RECURRENT)
def test_a_prompt_may_be_cut_anywhere(model_type, model, continued):
    """A convolution sees the last tokens of the chunk before, however few there were."""
    hybrid = model(model_type)
    prompts = [prompt_of(length, seed) for seed, length in enumerate(CUT_LENGTHS)]
    expected = [continued(hybrid, prompt, SHORT) for prompt in prompts]
    runner = load_causal_lm(hybrid)
    for chunk in range(1, 10):
        limits = EngineConfig(max_running=min(chunk, 3), max_step_tokens=chunk, block_size=8, num_blocks=20)
        outputs = generate(runner, [request_of(prompt) for prompt in prompts], limits)
        assert [completion.token_ids for completion in outputs] == expected, chunk


@pytest.mark.parametrize("model_type", ["qwen3_next", "falcon_h1"])
def test_nobody_sees_the_state_of_a_request_that_was_aborted_in_its_prompt(model_type, model, continued):
    """Its slot goes to the next one with what half a prompt has left in it."""
    hybrid = model(model_type)
    prompts = [prompt_of(length, seed) for seed, length in enumerate((5, 11, 3))]
    expected = [continued(hybrid, prompt, SHORT) for prompt in prompts]
    steps = asyncio.Event()
    config = EngineConfig(max_running=2, max_step_tokens=4, on_step=lambda _: steps.set())

    async def run():
        async with Engine(load_causal_lm(hybrid), config) as engine:
            for _ in range(2):
                long = engine.submit(request_of(prompt_of(60)))
                steps.clear()
                await steps.wait()
                long.abort()
            outputs = [(await engine.submit(request_of(prompt)).result()).token_ids for prompt in prompts]
            return outputs, engine.healthy

    assert asyncio.run(run()) == (expected, True)


def test_drafts_and_shared_prefixes_are_left_out_and_the_log_says_so(model, continued, caplog):
    """Either would need a state that is overwritten."""
    hybrid = model("qwen3_next")
    prompts = [prompt_of(30), prompt_of(30)[:25] + prompt_of(4, 3), prompt_of(30)]
    expected = [continued(hybrid, prompt, COUNT) for prompt in prompts]
    limits = EngineConfig(max_running=2, block_size=8, reuse_prefixes=True, max_drafts=4)
    outputs = generate(load_causal_lm(hybrid), [request_of(prompt, COUNT) for prompt in prompts], limits)
    assert [completion.token_ids for completion in outputs] == expected
    assert "reuse_prefixes is off" in caplog.text
    assert "max_drafts is 0" in caplog.text


def stale(layer, view, _begin):
    """A sequence begins with what the one before it has left in its slot."""
    _begin(layer, view)
    for kind, initialized in (
        ("conv_states", "is_conv_states_initialized"),
        ("recurrent_states", "is_recurrent_states_initialized"),
    ):
        for index, kept in layer._kept[kind].items():
            getattr(layer, kind)[index] = kept[view.states].clone()
            getattr(layer, initialized)[index] = layer.has_previous_state[index] = True


def of_the_neighbour(layer, view, _begin):
    """The states of two rows are swapped."""
    _begin(layer, view)
    for kind in ("conv_states", "recurrent_states"):
        for index, states in getattr(layer, kind).items():
            getattr(layer, kind)[index] = None if states is None else states.flip(0)


def of_another_slot(layer, view, _begin):
    """A row is given the state that lies beside its own."""
    slots = (view.states + 1) % layer._state_pool.scratch_slot
    _begin(layer, dataclasses.replace(view, states=slots))


def lost(layer, view, _begin):
    """A chunk goes on from nothing."""
    _begin(layer, view)
    for kind in ("conv_states", "recurrent_states"):
        for index, states in getattr(layer, kind).items():
            getattr(layer, kind)[index] = None if states is None else states * 0


@pytest.mark.parametrize("fault", [stale, of_the_neighbour, of_another_slot, lost])
@pytest.mark.parametrize("model_type", ["qwen3_next", "lfm2", "falcon_h1", "mamba2"])
def test_the_check_at_load_finds_a_wrong_state(fault, model_type, model, monkeypatch):
    """A release of transformers that keeps its state in another way must be refused, not believed."""
    begin = paged_cache.StateLayer.begin
    monkeypatch.setattr(paged_cache.StateLayer, "begin", lambda layer, view: fault(layer, view, begin))
    with pytest.raises(UnsupportedModel, match="does not compute the same"):
        load_causal_lm(model(model_type))


@pytest.mark.parametrize("model_type", ["qwen3_next", "qwen3_5_text", "falcon_h1", "lfm2"])
def test_the_check_at_load_finds_a_stale_state_in_bfloat16(model_type, model, monkeypatch, torch):
    """What half precision allows must not hide it."""
    begin = paged_cache.StateLayer.begin
    monkeypatch.setattr(paged_cache.StateLayer, "begin", lambda layer, view: stale(layer, view, begin))
    with pytest.raises(UnsupportedModel, match="does not compute the same"):
        load_causal_lm(model(model_type), dtype=torch.bfloat16)


@pytest.mark.parametrize("model_type", [name for name in RECURRENT if name != "granitemoehybrid"])
def test_half_precision_is_held_to_half_precision(model_type, model, torch):
    """Mamba 2 gives logits in float32 whatever its weights are, and was held to them.

    Left out is a random Granite whose cache is itself too far from its own pass.
    """
    assert load_causal_lm(model(model_type), dtype=torch.bfloat16).keeps_state


@pytest.mark.parametrize("model_type", ["qwen3_next", "lfm2", "mamba2"])
def test_the_check_at_load_finds_a_state_that_is_advanced_twice(model_type, model, monkeypatch):
    """As a row would that is computed again on top of what it has left."""
    once = TransformersRoute._pass

    def twice(route, rows, overlays):
        once(route, rows, overlays)
        return once(route, rows, overlays)

    monkeypatch.setattr(TransformersRoute, "_pass", twice)
    with pytest.raises(UnsupportedModel, match="does not compute the same"):
        load_causal_lm(model(model_type))


def test_rows_that_are_computed_for_nothing_touch_no_state(model, continued):
    """A static batch goes on with padding in the places of those that have ended."""
    hybrid = model("qwen3_next")
    prompts = [prompt_of(length, seed) for seed, length in enumerate((5, 9, 7, 12))]
    counts = (3, 12, 6, 9)
    expected = [continued(hybrid, prompt, count) for prompt, count in zip(prompts, counts, strict=True)]
    runner = PaddedRunner(load_causal_lm(hybrid))
    requests = [request_of(prompt, count) for prompt, count in zip(prompts, counts, strict=True)]
    outputs = generate(runner, requests, EngineConfig(mode="static", max_running=4))
    assert [completion.token_ids for completion in outputs] == expected
    assert runner.num_padding > 0


def test_an_engine_has_as_many_states_as_sequences_may_run(model):
    """A slot for each token of a step would be 64 times too many."""
    runner = load_causal_lm(model("qwen3_next"))

    async def run():
        async with Engine(runner, EngineConfig(max_running=3, num_blocks=8)):
            return [len(state) for state in runner._kv.states.states]

    assert set(asyncio.run(run())) == {4}


def test_states_are_counted_where_blocks_are(model):
    """A caller that fills the memory with blocks would have none left for the states."""
    runner = load_causal_lm(model("qwen3_next"))
    few, many = (runner.num_blocks_in(1 << 24, 16, max_running) for max_running in (1, 33))
    runner.allocate(1, 16, 1, 1)
    assert runner._kv is not None
    kv = runner._kv
    assert abs((few - many) * kv.bytes_per_block - 32 * kv.states.bytes_per_slot) <= kv.bytes_per_block
    assert load_causal_lm(model("mamba2")).num_blocks_in(1 << 24, 16, 2) <= 1 << 24, "blocks that take nothing"


@pytest.mark.parametrize("model_type", REFUSED)
def test_a_state_that_cannot_be_exact_is_refused_by_name(model_type, model):
    """Wrong text would be worse."""
    hybrid = model(model_type)
    with pytest.raises(
        UnsupportedModel, match=f"^{type(hybrid).__name__} .*(recurrent state|does not compute the same)"
    ):
        load_causal_lm(hybrid)


def test_a_state_takes_what_the_config_says(model, torch):
    """Four heads of 16 by 8 and a window of four tokens in each of three layers, in float32."""
    runner = load_causal_lm(model("qwen3_next"))
    runner.allocate(4, 8, max_rows=5, max_running=5)
    assert runner._kv is not None
    pool = runner._kv.states
    window = (2 * 2 * 16 + 4 * 8) * 4
    assert pool.bytes_per_slot == 3 * 4 * (4 * 16 * 8 + window)
    assert all(len(states) == 6 for states in pool.states), "five, and one for what nobody reads"


def test_a_pool_without_recurrent_layers_takes_nothing():
    """A slot of most models is a number and no memory."""
    assert StatePool(8).bytes_per_slot == 0


def test_the_table_of_recurrent_families_is_the_tested_one():
    """A family in the docs that no test runs is a promise."""
    section = PAGE.read_text("utf-8").split("## Recurrent layers")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert rows == list(RECURRENT)
    also = section[section.index("Equal, too:") :]
    assert set(re.findall(r"`([^`]+)`", also[: also.index(".")])) == set(MORE_RECURRENT)
    refused = section[section.index("Refused:") :]
    assert set(re.findall(r"`([^`]+)`", refused[: refused.index(".")])) == set(REFUSED)
