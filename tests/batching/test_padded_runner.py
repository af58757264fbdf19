"""Static batching with padding, for comparison: what is computed for nothing reaches nobody."""

import pytest

from batching import EngineConfig, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from benchmarks.harness.padded_runner import PaddedRunner
from tests.batching.native_route_here import NATIVE
from tests.batching.test_model_runner import prompts
from tests.batching.torch_graphs import load

NUM_TOKENS = 24


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE])
def test_a_static_batch_keeps_its_rows_and_its_tokens(route, tiny_lm, continued):
    """Rows that have ended are computed as padding, which must reach nobody's KV."""
    config = EngineConfig(max_running=4, block_size=8, mode="static")
    mixed = [
        Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=24 if at % 4 == 0 else 6))
        for at, prompt in enumerate(prompts())
    ]
    runner = PaddedRunner(load_causal_lm(tiny_lm("llama"), route=route))
    completions = generate(runner, mixed, config)
    whole = [continued(tiny_lm("llama"), prompt, NUM_TOKENS) for prompt in prompts()]
    expected = [tokens[: 24 if at % 4 == 0 else 6] for at, tokens in enumerate(whole)]
    assert [completion.token_ids for completion in completions] == expected
    assert runner.num_padding == 2 * 18 * 3


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE, "graphs"])
def test_padding_rows_write_nothing(route, tiny_lm, monkeypatch):
    """All padded views read the padding block: what is written there can be a NaN tomorrow."""
    runner = load(load_causal_lm, tiny_lm("llama"), route=route)
    monkeypatch.setattr(runner, "close", lambda: None)
    short = [Request(prompt_token_ids=[9, 8], sampling=SamplingParams(max_tokens=count)) for count in (9, 2, 3)]
    generate(PaddedRunner(runner), short, EngineConfig(mode="static"))
    pools = runner._kv.layers
    assert not any(rows.numbers[0].any() for pair in pools for rows in pair)
    assert all(rows.numbers[1:].any() for pair in pools for rows in pair)
