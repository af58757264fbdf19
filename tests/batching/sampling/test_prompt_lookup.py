"""Drafts change no token: against a model that is a sum, and against transformers' generate."""

import random

import pytest

from batching import Engine, EngineConfig, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.sampling.prompt_lookup import PromptLookup
from tests.batching.conftest import request_of
from tests.batching.native_route_here import NATIVE
from tests.batching.test_model_runner import poisoned
from tests.batching.torch_graphs import load


class Wrong:
    """Drafts of tokens at random: what is written for them must be seen by nobody."""

    def __init__(self):
        self.chance = random.Random(1)

    def propose(self, tokens, count):
        return [self.chance.randrange(5, 97) for _ in range(count)]


class Knowing:
    """Drafts what `texts` say, but for every sixth token."""

    def __init__(self, texts):
        self.texts = texts

    def propose(self, tokens, count):
        text = next(known_text for known_text in self.texts if known_text[: len(tokens)] == list(tokens))
        return [5 if at % 6 == 0 else text[at] for at in range(len(tokens), min(len(text), len(tokens) + count))]


def test_a_look_up_goes_on_as_the_text_did_before():
    """The longest run decides, the latest occurrence of it, and a text that repeats itself is gone on with."""
    assert PromptLookup().propose([1, 2, 3, 9, 7, 2, 3, 8, 1, 2, 3], 2) == [9, 7]
    assert PromptLookup().propose([4, 2, 3, 9, 7, 2, 3, 8, 1, 2, 3], 2) == [8, 1]
    assert PromptLookup().propose([5, 6, 5, 6, 5], 4) == [6, 5, 6, 5]
    assert PromptLookup().propose([1, 2, 3], 4) == []
    growing = PromptLookup()
    assert growing.propose([1, 2, 3, 1], 1) == []
    assert growing.propose([1, 2, 3, 1, 2], 2) == [3, 1]


@pytest.mark.parametrize("kind", ["wrong", "knowing"])
@pytest.mark.parametrize(
    "limits", [{"max_running": 36}, {"num_blocks": 12, "block_size": 4}, {"max_step_tokens": 8, "block_size": 2}]
)
def test_tokens_and_ends_are_those_without_drafts(kind, limits, counting, expected, run_async):
    """Preempted, in chunks, beside sampled sequences; ended by length and by a stop token among drafts."""
    prompts = [[20 + at, 3, at] for at in range(9)]
    texts = [prompt + expected(prompt, 40) for prompt in prompts]
    steps = []
    config = EngineConfig(
        **({"max_running": 8} | limits),
        max_drafts=4,
        drafter=Wrong if kind == "wrong" else lambda: Knowing(texts),
        on_step=steps.append,
    )

    async def main():
        async with Engine(counting, config) as engine:
            for count in (1, 2, 17, 30):
                streams = [
                    engine.submit(Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=count)))
                    for prompt in prompts
                ]
                outputs = [(await stream.result()).token_ids for stream in streams]
                assert outputs == [expected(prompt, count) for prompt in prompts]
            stop = expected(prompts[0], 9)[8]
            params = SamplingParams(max_tokens=30, stop_token_ids=(stop,))
            ended = await engine.submit(Request(prompt_token_ids=prompts[0], sampling=params)).result()
            output = expected(prompts[0], 30)
            assert ended.token_ids == output[: output.index(stop) + 1]
            return engine.stats()

    stats = run_async(main)
    assert stats.num_free_blocks == stats.num_blocks
    assert stats.num_drafts == sum(step.num_drafts for step in steps) > 0
    assert stats.num_accepted == sum(step.num_accepted for step in steps)
    num_tokens = 9 * (1 + 2 + 17 + 30)
    if kind == "knowing" and limits == {"max_running": 36}:
        assert stats.num_accepted > stats.num_drafts / 2
        assert counting.num_runs < num_tokens / 9


@pytest.mark.parametrize(
    "settings",
    [{"temperature": 1.0, "seed": 1}, {"num_beams": 2}, {"logprobs": 1}, {"repetition_penalty": 1.5}],
    ids=["sampled", "beams", "log-probabilities", "penalised"],
)
def test_only_what_takes_the_likeliest_token_is_drafted_for(settings, tiny_lm):
    """Elsewhere the next token depends on more than the model's choice after the tokens before it."""
    steps = []
    request = request_of({"max_tokens": 8} | settings, prompt_token_ids=[9, 8, 9, 8, 9, 8])
    runner = load_causal_lm(tiny_lm("llama"), route="torch")
    drafted = generate(runner, [request], EngineConfig(max_drafts=4, drafter=Wrong, on_step=steps.append))
    assert [completion.token_ids for completion in drafted] == [
        completion.token_ids for completion in generate(runner, [request])
    ]
    assert not any(step.num_drafts for step in steps)


ROUTES = [("llama", "torch"), pytest.param("llama", "native", marks=NATIVE.marks), ("llama", "graphs"),
          ("gpt2", "transformers"), ("mistral", "transformers")]  # fmt: skip


@pytest.mark.parametrize(("family", "route"), ROUTES)
@pytest.mark.parametrize("limits", [{"max_running": 12}, {"max_running": 8, "block_size": 4, "num_blocks": 24}])
def test_every_route_verifies_as_generate_goes_on(family, route, limits, tiny_lm, continued):
    """A row at a place that another row of the same step writes to sees what that one wrote."""
    model = tiny_lm(family)
    prompts = [
        [(at * 37 + step * step * 11) % 200 + 5 for step in range(length)] for at, length in enumerate((3, 17, 31))
    ]
    outputs = [continued(model, prompt, 24) for prompt in prompts]
    texts = [prompt + output for prompt, output in zip(prompts, outputs, strict=True)]
    steps = []
    config = EngineConfig(**limits, drafter=lambda: Knowing(texts), max_drafts=3, on_step=steps.append)
    params = SamplingParams(max_tokens=24)
    runner = load(load_causal_lm, model, route=route)
    completions = generate(runner, [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts], config)
    assert [completion.token_ids for completion in completions] == outputs
    assert sum(step.num_accepted for step in steps) > 20
    assert sum(step.num_drafts for step in steps) > sum(step.num_accepted for step in steps)


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE, "graphs"])
def test_a_draft_whose_logits_are_not_finite_harms_nobody(route, tiny_lm, continued, torch):
    """What a wrong draft leaves in a block lies beside keys and values that stay; 0 * NaN is NaN."""
    prompt = [9, 8, 7]
    output = continued(tiny_lm("llama"), prompt, 24)
    poison = next(token for token in range(210, 0, -1) if token not in output)

    class Poisonous:
        def propose(self, tokens, count):
            return [poison] * count

    runner = load(load_causal_lm, poisoned(tiny_lm("llama"), poison, torch), route=route)
    request = Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=24))
    (completion,) = generate(runner, [request], EngineConfig(max_drafts=4, drafter=Poisonous))
    assert completion.token_ids == output
