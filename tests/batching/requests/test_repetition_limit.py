"""Outputs that repeat themselves end; what came until then is what `generate` says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batching import Engine, FinishReason, RepetitionLimit, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.requests.repetition_limit import RepetitionWatch

LIMIT = RepetitionLimit(longest=3, times=3, least=5, ignored_token_ids=frozenset({9}))


def repeats(tokens: list[int], limit: RepetitionLimit) -> bool:
    """The same by the words of the docstring: looks at the end of all tokens for each length of a run."""
    for length in range(1, limit.longest + 1):
        count = max(limit.times * length, limit.least)
        end = tokens[-count:]
        is_run = len(end) == count and all(end[k] == end[k + length] for k in range(count - length))
        if is_run and not set(tokens[-length:]) <= limit.ignored_token_ids:
            return True
    return False


@given(st.lists(st.sampled_from([1, 2, 9]), max_size=24))
@settings(max_examples=500)
def test_an_output_ends_exactly_where_its_end_is_one_run_over_and_over(tokens: list[int]) -> None:
    """Guards against runs that are forgotten when a longer or shorter one begins in them."""
    watch = RepetitionWatch(LIMIT)
    for count in range(1, len(tokens) + 1):
        assert watch.push(tokens[count - 1]) == repeats(tokens[:count], LIMIT)


def test_leaders_of_dots_go_on_and_words_do_not() -> None:
    """Guards against a table of contents that loses its page numbers."""
    leader, word = RepetitionWatch(LIMIT), RepetitionWatch(LIMIT)
    assert not any(leader.push(9) for _ in range(100))
    assert [word.push(token) for token in [1, 9, 1, 9, 1, 9]] == [False] * 5 + [True]


@pytest.mark.parametrize("field", ["longest", "times", "least"])
def test_a_limit_that_ends_everything_is_refused(field: str) -> None:
    limits: dict[str, Any] = {field: 0}
    with pytest.raises(ValueError, match=field):
        RepetitionLimit(**limits)


def test_the_engine_ends_a_sequence_that_loops_and_gives_back_its_blocks(counting) -> None:
    """Guards against 128 tokens of one word, and against a reason that nobody can tell from an end of text."""
    counting._row = lambda row: _said(7)

    async def main() -> None:
        async with Engine(counting) as engine:
            params = SamplingParams(max_tokens=200, repetition=RepetitionLimit(times=4, least=6))
            completion = await engine.submit(Request(prompt_token_ids=[20], sampling=params)).result()
            assert completion.token_ids == [7] * 6
            assert completion.finish_reason is FinishReason.REPETITION
            assert engine.stats().num_finished == 1
            assert engine.stats().num_free_blocks == engine.stats().num_blocks

    asyncio.run(main())


def _said(token: int):
    from batching.step_plan import RowResult

    return RowResult(token_id=token)


def test_until_it_ends_an_output_is_what_generate_says(torch) -> None:
    """A model with random weights repeats itself sooner or later: the tokens before are those of transformers."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=20,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=256,
        eos_token_id=None,
    )
    model: Any = LlamaForCausalLM(config).eval()
    limit = RepetitionLimit(longest=8, times=3, least=12)
    prompts = [[5, 6, 7], [1], [9, 9, 2, 4]]
    params = SamplingParams(max_tokens=120, ignore_eos=True, repetition=limit)
    ended = generate(load_causal_lm(model), [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts])
    reasons = set()
    for prompt, completion in zip(prompts, ended, strict=True):
        oracle = model.generate(torch.tensor([prompt]), max_new_tokens=120, do_sample=False, pad_token_id=0)
        expected = oracle[0, len(prompt) :].tolist()
        count = next((k for k in range(1, 121) if repeats(expected[:k], limit)), 120)
        assert completion.token_ids == expected[:count]
        reasons.add(completion.finish_reason)
    assert FinishReason.REPETITION in reasons
