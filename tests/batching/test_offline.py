"""Whole lists of requests, without an event loop of one's own."""

import asyncio

from batching import EngineConfig, FinishReason, Request, SamplingParams, generate


def test_completions_come_in_the_order_of_the_requests(counting, expected):
    """Short ones end first; their answers must not come first."""
    lengths = [9, 1, 5, 3]
    requests = [
        Request(prompt_token_ids=[20 + length], sampling=SamplingParams(max_tokens=length)) for length in lengths
    ]
    completions = generate(counting, requests, EngineConfig(max_running=2, max_waiting=1))
    assert [completion.token_ids for completion in completions] == [
        expected([20 + length], length) for length in lengths
    ]


def test_a_request_that_fails_is_told_in_its_place(counting):
    """One bad request of a thousand must not cost the other answers."""
    params = SamplingParams(max_tokens=3)
    bad, good = generate(counting, [Request(prompt_token_ids=[at], sampling=params) for at in (13, 20)])
    assert bad.finish_reason is FinishReason.ERROR
    assert "poisoned" in str(bad.error)
    assert len(good.token_ids) == 3


def test_it_works_inside_a_running_loop(counting):
    """Notebooks have one."""

    async def main():
        return generate(counting, [Request(prompt_token_ids=[20], sampling=SamplingParams(max_tokens=2))])

    assert len(asyncio.run(main())[0].token_ids) == 2


def test_no_requests_are_no_completions(counting):
    """An empty batch is a batch."""
    assert generate(counting, []) == []
