"""`benchmarks.harness.inference_client`: what it asks, of whom."""

from benchmarks.harness.inference_client import figures_of, prompts, saved_decoder


def test_every_policy_is_prompts_the_same():
    """Guards against a policy that is prompts for less."""
    asks = prompts(100)
    assert asks == prompts(100)
    assert all(prompt and num_tokens >= 1 for prompt, num_tokens, _ in asks)
    assert 35 < sum(num_tokens for _, num_tokens, _ in asks) / 100 < 90
    assert [number % 5 for number, (_, _, pause) in enumerate(asks) if pause] == [4] * 20


def test_its_model_is_loaded_with_a_tokenizer(tmp_path):
    from batching.loading.models import load_causal_lm

    runner = load_causal_lm(saved_decoder(tmp_path))
    assert runner.inputs.tokenizer is not None
    assert runner.inputs.tokenizer.decode([72, 68], skip_special_tokens=True)


def test_a_ratio_above_one_is_better():
    names = ("tokens_per_s", "p50_s", "p99_s", "stats_latency_per_token_s")
    rows = [
        {"mode": mode} | dict.fromkeys(names, value)
        for mode, value in (("none", 4.0), ("static", 2.0), ("continuous", 1.0))
    ]
    figures = figures_of(rows)
    assert figures["none_over_continuous_p99_s"] == 4
    assert figures["continuous_over_static_tokens_per_s"] == 0.5
