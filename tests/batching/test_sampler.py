"""What is chosen: the tokens of transformers' generate where they are determined, else their distribution."""

import pytest
from transformers.generation import logits_process

from batching import EngineConfig, Request, SamplingParams, generate
from batching.models import load_causal_lm

NUM_SEEDS = 1000
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


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.7},
        {"temperature": 1.0, "top_k": 5},
        {"temperature": 1.0, "top_p": 0.6},
        {"temperature": 1.2, "min_p": 0.2},
        {"temperature": 0.8, "top_p": 0.9, "min_p": 0.05, "no_repeat_ngram_size": 2},
        {"temperature": 1.3, "top_k": 20, "top_p": 0.8, "repetition_penalty": 1.3},
    ],
)
def test_sampling_with_a_seed_equals_generate(settings, tiny_lm, continued, torch):
    """A request's output depends on its own seed alone, not on its batch mates."""
    model = tiny_lm("llama")
    completions = generate(load_causal_lm(model), requests(12, seed=7, **settings), EngineConfig(max_running=4))
    for prompt, completion in zip(prompts(), completions, strict=True):
        torch.manual_seed(7)
        options = {"top_k": 0} | settings
        assert completion.token_ids == continued(model, prompt, 12, do_sample=True, **options)


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
