"""What is chosen: the tokens of transformers' generate where they are determined, else their distribution."""

import copy

import numpy as np
import pytest
from transformers.generation import logits_process

from batching import EngineConfig, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.sampling import sampler
from batching.sampling.sampler import MAX_ROWS, pick, sample
from batching.step_plan import PlanRow, RowOwner

NUM_SEEDS = 1000
SEEDED = [
    {"temperature": 0.7},
    {"temperature": 1.0, "top_k": 5},
    {"temperature": 1.0, "top_p": 0.6},
    {"temperature": 1.2, "min_p": 0.2},
    {"temperature": 0.8, "top_p": 0.9, "min_p": 0.05, "no_repeat_ngram_size": 2},
    {"temperature": 1.3, "top_k": 20, "top_p": 0.8, "repetition_penalty": 1.3},
]
PROMPT = [9, 8, 7, 8, 9]
WAYS = {
    "temperature": ({"temperature": 0.7}, [("TemperatureLogitsWarper", 0.7)]),
    "top-k": ({"temperature": 1.5, "top_k": 8}, [("TemperatureLogitsWarper", 1.5), ("TopKLogitsWarper", 8)]),
    "top-p": ({"temperature": 1.0, "top_p": 0.6}, [("TopPLogitsWarper", 0.6)]),
    "min-p": ({"temperature": 1.0, "min_p": 0.2}, [("MinPLogitsWarper", 0.2)]),
    "penalty": (
        {"temperature": 1.0, "repetition_penalty": 3.0, "top_k": 20},
        [("RepetitionPenaltyLogitsProcessor", 3.0), ("TopKLogitsWarper", 20)],
    ),
    "n-grams": (
        {"temperature": 1.0, "no_repeat_ngram_size": 2, "top_k": 20},
        [("NoRepeatNGramLogitsProcessor", 2), ("TopKLogitsWarper", 20)],
    ),
    "together": (
        {"temperature": 0.8, "top_k": 30, "top_p": 0.8, "min_p": 0.05},
        [
            ("TemperatureLogitsWarper", 0.8),
            ("TopKLogitsWarper", 30),
            ("TopPLogitsWarper", 0.8),
            ("MinPLogitsWarper", 0.05),
        ],
    ),
}


def prompts():
    return [
        [(at * 37 + step * step * 11) % 200 + 5 for step in range(length)] for at, length in enumerate((1, 8, 17, 40))
    ]


def requests(count, **settings):
    params = SamplingParams(max_tokens=count, **settings)
    return [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts()]


@pytest.fixture(scope="module")
def model(tiny_lm):
    return tiny_lm("llama")


@pytest.mark.parametrize("way", WAYS)
def test_sampled_tokens_are_distributed_as_transformers_processors_say(model, torch, way):
    """The same seed gives the same tokens in both even if both draw wrongly; a thousand seeds do not."""
    sampling, processors = WAYS[way]
    sampled = [
        Request(prompt_token_ids=PROMPT, sampling=SamplingParams(max_tokens=1, seed=seed, **sampling))
        for seed in range(NUM_SEEDS)
    ]
    tokens = torch.tensor([completion.token_ids[0] for completion in generate(load_causal_lm(model), sampled)])
    ids = torch.tensor([PROMPT])
    with torch.inference_mode():
        scores = model(ids).logits[:, -1].float()
        for name, value in processors:
            scores = getattr(logits_process, name)(value)(ids, scores)
    expected = scores.softmax(-1)[0] * NUM_SEEDS
    counts = torch.bincount(tokens, minlength=len(expected))
    assert not counts[expected == 0].any()
    assert _too_far_apart(counts, expected, torch) is False


@pytest.mark.parametrize("settings", SEEDED)
def test_sampling_with_a_seed_equals_generate(settings, tiny_lm, continued, torch):
    """A request's output depends on its own seed alone, not on its batch mates."""
    model = tiny_lm("llama")
    completions = generate(load_causal_lm(model), requests(12, seed=7, **settings), EngineConfig(max_running=4))
    for prompt, completion in zip(prompts(), completions, strict=True):
        torch.manual_seed(7)
        options = {"top_k": 0} | settings
        assert completion.token_ids == continued(model, prompt, 12, do_sample=True, **options)


def test_sampling_beside_other_settings_equals_generate(tiny_lm, continued, torch):
    """A row computed with rows of other settings would be narrowed by theirs, or draw another row's number."""
    model = tiny_lm("llama")
    mixed = [request for settings in SEEDED for request in requests(12, seed=7, **settings)]
    mixed = [*mixed[::2], *requests(12), *mixed[1::2]]
    completions = generate(load_causal_lm(model), mixed, EngineConfig(max_running=len(mixed)))
    for request, completion in zip(mixed, completions, strict=True):
        params = request.sampling
        options = {"temperature": params.temperature, "do_sample": True} if not params.greedy else {}
        options |= {name: getattr(params, name) for name in ("top_k", "top_p", "min_p")} if options else {}
        options |= {
            "repetition_penalty": params.repetition_penalty,
            "no_repeat_ngram_size": params.no_repeat_ngram_size,
        }
        assert request.prompt_token_ids is not None
        torch.manual_seed(7)
        assert completion.token_ids == continued(model, list(request.prompt_token_ids), 12, **options), params


@pytest.mark.gpu
@pytest.mark.parametrize("settings", SEEDED)
def test_sampling_with_a_seed_on_a_gpu_equals_generate_there(settings, tiny_lm, torch):
    """Numbers drawn on the host made a step of 32 rows eight times as long as a greedy one."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    model = copy.deepcopy(tiny_lm("llama")).to("cuda")
    runner = load_causal_lm(model, device="cuda", route="transformers")
    completions = generate(runner, requests(12, seed=7, **settings), EngineConfig(max_running=4))
    for prompt, completion in zip(prompts(), completions, strict=True):
        torch.manual_seed(7)
        ids = torch.tensor([prompt], device="cuda")
        options = {"do_sample": True, "pad_token_id": 0, "top_k": 0, "max_new_tokens": 12} | settings
        with torch.inference_mode():
            output = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
        assert completion.token_ids == output[0, len(prompt) :].tolist()


def drawing_row(torch, seed, **settings):
    generator = torch.Generator().manual_seed(seed)
    params = SamplingParams(temperature=1.0, seed=seed, **settings)
    owner = RowOwner(seq_id=seed, params=params, generator=generator)
    return PlanRow(owner=owner, tokens=[1, 2], start=1, count=1, blocks=(1,), decodes=True)


def test_rows_that_draw_take_one_pass_whatever_their_settings(torch, monkeypatch):
    """Row by row, a vocabulary of 150,000 is read from the device 32 times a step."""
    sizes = []
    narrowed = sampler._narrowed
    monkeypatch.setattr(sampler, "_narrowed", lambda scores, rows: sizes.append(len(rows)) or narrowed(scores, rows))
    settings = [{}, {"top_k": 40}, {"top_p": 0.5}, {"min_p": 0.01, "top_k": 7}]
    rows = [drawing_row(torch, seed, **settings[seed % 4]) for seed in range(MAX_ROWS)]
    logits = torch.randn(len(rows), 500, generator=torch.Generator().manual_seed(1))
    results = sample(rows, logits, pick(logits, False), {})
    assert sizes == [MAX_ROWS]
    for seed, (row, result) in enumerate(zip(rows, results, strict=True)):
        weights = narrowed(logits[seed : seed + 1], [row]).softmax(-1)
        expected = torch.multinomial(weights, 1, generator=torch.Generator().manual_seed(seed))
        assert result is not None
        assert result.token_id == int(expected)
        assert result.logprob == pytest.approx(float(logits[seed].log_softmax(-1)[result.token_id]))
    sizes.clear()
    many = [drawing_row(torch, seed) for seed in range(2 * MAX_ROWS + 1)]
    logits = torch.randn(len(many), 50, generator=torch.Generator().manual_seed(1))
    assert len(sample(many, logits, pick(logits, False), {})) == len(many)
    assert sizes == [MAX_ROWS, MAX_ROWS, 1], "memory grows with the rows"


def test_a_row_without_an_allowed_token_fails_alone(torch):
    """Its weights are no numbers, which failed the step of all rows."""
    rows = [drawing_row(torch, seed) for seed in range(3)]
    logits = torch.randn(3, 50, generator=torch.Generator().manual_seed(1))
    masks = {0: np.arange(50) == 7, 1: np.zeros(50, dtype=bool)}
    first, second, third = sample(rows, logits, pick(logits, False), masks)
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.token_id == 7
    assert "no token is allowed" in str(second.error)
    assert third.error is None


def test_the_repetition_penalty_equals_generate(tiny_lm, continued):
    """It counts the prompt, too."""
    model = tiny_lm("gpt2")
    completions = generate(load_causal_lm(model), requests(16, repetition_penalty=1.5))
    expected = [continued(model, prompt, 16, repetition_penalty=1.5) for prompt in prompts()]
    assert [completion.token_ids for completion in completions] == expected


@pytest.mark.parametrize("size", [1, 2, 3])
def test_n_grams_are_not_repeated_as_in_generate(size, tiny_lm, continued):
    """It counts the prompt, too, and the token before the first."""
    model = tiny_lm("llama-narrow")
    completions = generate(load_causal_lm(model), requests(30, no_repeat_ngram_size=size))
    expected = [continued(model, prompt, 30, no_repeat_ngram_size=size) for prompt in prompts()]
    assert [completion.token_ids for completion in completions] == expected
    assert expected != [continued(model, prompt, 30) for prompt in prompts()], "nothing would have been repeated"


@pytest.mark.parametrize("window", [6, 12, 40])
def test_n_grams_are_not_repeated_within_a_window_as_in_generate(window, tiny_lm, continued):
    """Over a whole page of a table, a ban without a window forbids every second cell."""
    unlimited_ocr = pytest.importorskip("transformers.models.unlimited_ocr.generation_unlimited_ocr")
    window_processor = unlimited_ocr.UnlimitedOcrSlidingWindowNoRepeatNgramLogitsProcessor
    model = tiny_lm("llama-narrow")
    params = {"no_repeat_ngram_size": 2, "no_repeat_ngram_window_size": window}
    completions = generate(load_causal_lm(model), requests(30, **params))
    expected = [continued(model, prompt, 30, logits_processor=[window_processor(2, window)]) for prompt in prompts()]
    assert [completion.token_ids for completion in completions] == expected
    assert (expected != [continued(model, prompt, 30, no_repeat_ngram_size=2) for prompt in prompts()]) == (window < 40)


def test_tokens_that_may_be_repeated_end_n_grams_that_occurred(tiny_lm, continued):
    """The tags of cells come again and again, however long the window."""
    model = tiny_lm("llama-narrow")
    free = [continued(model, prompt, 30) for prompt in prompts()]
    every = tuple({token for tokens in free for token in tokens})
    completions = generate(load_causal_lm(model), requests(30, no_repeat_ngram_size=2, repeatable_token_ids=every))
    assert [completion.token_ids for completion in completions] == free


def _too_far_apart(counts, expected, torch):
    """Whether a chi-squared test rejects at 1 in 10,000; bins that are hardly ever expected are taken together."""
    many = expected >= 5
    pairs = [(counts[many], expected[many])]
    if expected[~many].sum() >= 5:
        pairs.append((counts[~many].sum()[None], expected[~many].sum()[None]))
    actual, likely = (torch.cat(parts).double() for parts in zip(*pairs, strict=True))
    freedom = len(likely) - 1
    assert freedom > 0
    squares = float(((actual - likely) ** 2 / likely).sum())
    return float(torch.special.gammaincc(torch.tensor(freedom / 2), torch.tensor(squares / 2))) < 1e-4
