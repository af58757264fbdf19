"""Causal LMs over paged KV, against transformers' generate."""

import asyncio
import random

import pytest

from batching import (
    Engine,
    EngineConfig,
    InvalidPrompt,
    ModeUnavailable,
    Request,
    RequestFailed,
    SamplingParams,
    generate,
)
from batching.loading.models import load_causal_lm
from tests.batching.native_route_here import NATIVE
from tests.batching.torch_graphs import GRAPHS, load

ROUTES = (
    ("llama", "torch"),
    ("qwen2", "torch"),
    ("qwen3", "torch"),
    ("mistral-full", "torch"),
    *(pytest.param(family, "native", marks=NATIVE.marks) for family in ("llama", "qwen2", "mistral-full")),
    ("llama", "graphs"),
    ("llama", "transformers"),
    ("mistral", "transformers"),
    ("gpt2", "transformers"),
)
LENGTHS = (1, 3, 8, 15, 16, 17, 31, 40)  # some are whole blocks, some one off


def prompts():
    return [[(at * 37 + step * step * 11) % 200 + 5 for step in range(length)] for at, length in enumerate(LENGTHS)]


def requests(count=24, **settings):
    params = SamplingParams(max_tokens=count, **settings)
    return [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts()]


@pytest.fixture(scope="module")
def oracle(tiny_lm, continued):
    by_family = {}

    def outputs(family):
        if family not in by_family:
            by_family[family] = [continued(tiny_lm(family), prompt, 24) for prompt in prompts()]
        return by_family[family]

    return outputs


@pytest.mark.parametrize(("family", "route"), ROUTES)
@pytest.mark.parametrize(
    "limits",
    [
        {"max_running": 4, "block_size": 8},
        {"max_running": 8, "block_size": 4, "num_blocks": 24},
        {"max_running": 4, "block_size": 16, "max_step_tokens": 7},
    ],
    ids=["roomy", "preempting", "chunked"],
)
def test_output_equals_generate(family, route, limits, tiny_lm, oracle):
    """Paging, padding, preemption and chunks are ours; none of them may change a token."""
    steps = []
    runner = load(load_causal_lm, tiny_lm(family), route=route)
    assert runner.route == ("torch" if route == GRAPHS else route)
    completions = generate(runner, requests(), EngineConfig(**limits, on_step=steps.append))
    assert [completion.token_ids for completion in completions] == oracle(family)
    assert len({token for completion in completions for token in completion.token_ids}) > 40, (
        "output loops and would hide errors"
    )
    if limits.get("num_blocks"):
        prefilled = sum(step.num_prefill_tokens for step in steps)
        assert prefilled > sum(LENGTHS), "nothing was preempted"


def test_requests_that_arrive_while_others_run_get_the_same_tokens(tiny_lm, oracle, run_async):
    """A newcomer changes the padding of those that run."""

    async def main():
        runner = load_causal_lm(tiny_lm("llama"))
        async with Engine(runner, EngineConfig(max_running=5, block_size=8, num_blocks=30)) as engine:

            async def late(at, request):
                if at:
                    stream = engine.submit(requests(at)[0])
                    await stream.result()  # arrives `at` steps later
                return (await engine.submit(request).result()).token_ids

            outputs = await asyncio.gather(*(late(3 * at, request) for at, request in enumerate(requests())))
            assert engine.stats().num_free_blocks == 30
        assert outputs == oracle("llama")

    run_async(main)


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE, "graphs"])
def test_aborts_at_any_time_change_no_token_of_the_others(route, tiny_lm, oracle, run_async):
    """Blocks that come back early are taken at once, with what the aborted wrote still in them."""

    async def main():
        runner = load(load_causal_lm, tiny_lm("llama"), route=route)
        limits = EngineConfig(max_running=5, block_size=4, num_blocks=40, max_step_tokens=24)
        chance = random.Random(4)
        async with Engine(runner, limits) as engine:

            async def one(at):
                stream = engine.submit(requests()[at % len(LENGTHS)])
                leaves = chance.choice([None, None, 0, 1, 3, 9, 20])
                if leaves is None:
                    return at, (await stream.result()).token_ids
                for _ in range(leaves):
                    await anext(stream, None)
                stream.abort()
                return at, None

            done = await asyncio.gather(*(one(at) for at in range(40)))
            while engine.stats().num_running or engine.stats().num_waiting:
                await engine.submit(requests(1)[0]).result()
            assert engine.stats().num_free_blocks == 40
            assert engine.stats().num_aborted > 5
            assert engine.stats().num_preempted
        complete = [(at, tokens) for at, tokens in done if tokens is not None]
        assert len(complete) > 5
        assert all(tokens == oracle("llama")[at % len(LENGTHS)] for at, tokens in complete)

    run_async(main)


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE])
def test_bfloat16_gives_the_log_probabilities_of_float32(route, tiny_lm, torch):
    """Tokens may differ where two are nearly as likely; what is told of them may not."""
    model = tiny_lm("llama-narrow")
    runner = load_causal_lm(model, dtype=torch.bfloat16, route=route)
    scored = requests(16, logprobs=0)
    for prompt, completion in zip(prompts(), generate(runner, scored, EngineConfig(max_running=4)), strict=True):
        with torch.inference_mode():
            logits = model(torch.tensor([prompt + completion.token_ids])).logits[0, len(prompt) - 1 : -1]
        expected = logits.log_softmax(-1).gather(1, torch.tensor(completion.token_ids)[:, None])[:, 0]
        assert [logprob.logprob for logprob in completion.logprobs] == pytest.approx(expected.tolist(), abs=0.05)


def test_log_probabilities_are_those_of_the_model_whatever_the_settings(tiny_lm, torch, run_async):
    """Clients compare them between settings; the penalty would make them incomparable."""
    model = tiny_lm("llama")
    prompt = prompts()[4]
    request = Request(
        prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=8, logprobs=3, repetition_penalty=1.4)
    )

    async def main():
        async with Engine(load_causal_lm(model)) as engine:
            stream = engine.submit(request)
            deltas = [delta async for delta in stream]
            completion = await stream.result()
            assert tuple(logprob for delta in deltas for logprob in delta.logprobs) == completion.logprobs
            return completion

    completion = run_async(main)
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + completion.token_ids])).logits[0, len(prompt) - 1 : -1]
    for scored, token_id, row in zip(completion.logprobs, completion.token_ids, logits.log_softmax(-1), strict=True):
        assert scored.token_id == token_id
        assert scored.logprob == pytest.approx(row[token_id].item(), abs=1e-4)
        values, tokens = row.topk(3)
        assert [token for token, _ in scored.top] == tokens.tolist()
        assert [logprob for _, logprob in scored.top] == pytest.approx(values.tolist(), abs=1e-4)


def test_the_mean_log_probability_is_the_models_own(tiny_lm, torch):
    """OCR's confidence is made of it."""
    model = tiny_lm("qwen2")
    prompt = prompts()[3]
    completion = generate(load_causal_lm(model), requests(6)[3:4])[0]
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + completion.token_ids])).logits[0, len(prompt) - 1 : -1]
    logprobs = logits.log_softmax(-1).gather(1, torch.tensor(completion.token_ids)[:, None])
    assert completion.mean_logprob == pytest.approx(logprobs.mean().item(), abs=1e-5)
    unscored = Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=6, mean_logprob=False))
    (same,) = generate(load_causal_lm(model), [unscored])
    assert (same.token_ids, same.mean_logprob) == (completion.token_ids, None)


def poisoned(model, token_id, torch):
    """A copy whose embedding of one token is NaN."""
    import copy

    broken = copy.deepcopy(model)
    embedding = broken.get_input_embeddings()
    embedding.weight = torch.nn.Parameter(embedding.weight.detach().clone())  # untied from the head
    with torch.no_grad():
        embedding.weight[token_id] = float("nan")
    return broken


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE, "graphs"])
def test_nan_logits_fail_one_request_and_poison_no_later_owner_of_its_blocks(route, tiny_lm, oracle, torch, run_async):
    """0 * NaN is NaN: a masked slot of a reused block would spread it."""
    used = {token for tokens in [*oracle("llama"), *prompts()] for token in tokens}
    poison = next(token for token in range(210, 0, -1) if token not in used)
    model = poisoned(tiny_lm("llama"), poison, torch)

    async def main():
        runner = load(load_causal_lm, model, route=route)
        async with Engine(runner, EngineConfig(max_running=2, block_size=8, num_blocks=16)) as engine:
            bad = [engine.submit(Request(prompt_token_ids=[9] * at + [poison] + [8] * at)) for at in (0, 20, 40)]
            good = [engine.submit(request) for request in requests()]
            for stream in bad:
                with pytest.raises(RequestFailed, match="finite"):
                    await stream.result()
            assert [(await stream.result()).token_ids for stream in good] == oracle("llama")
            assert engine.healthy
            assert engine.stats().num_free_blocks == 16
            assert engine.stats().num_failed == 3

    run_async(main)


def test_what_a_causal_lm_cannot_serve_is_refused_at_submit(tiny_lm, run_async):
    """In the model thread an index out of range would end the engine."""

    async def main():
        async with Engine(load_causal_lm(tiny_lm("llama"))) as engine:
            for token in (211, -1):
                with pytest.raises(InvalidPrompt, match=str(token)):
                    engine.submit(Request(prompt_token_ids=[1, token]))
            with pytest.raises(ModeUnavailable):
                engine.submit(Request(image=object()))

    run_async(main)


@pytest.mark.gpu
@pytest.mark.parametrize("route", ["transformers", "torch"])
def test_output_on_a_gpu_equals_generate(route, tiny_lm, oracle, torch):
    """The same routes on the device."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    runner = load_causal_lm(tiny_lm("llama"), device="cuda", route=route)
    completions = generate(runner, requests(), EngineConfig(max_running=4, block_size=8))
    assert [completion.token_ids for completion in completions] == oracle("llama")
