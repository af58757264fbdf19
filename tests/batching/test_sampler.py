"""What is drawn, over many seeds."""

from batching import Request, SamplingParams, generate
from batching.models import load_causal_lm


def test_sampled_tokens_are_distributed_as_the_model_says(tiny_lm, torch):
    """The same seed gives the same tokens in both even if both draw wrongly; 2,000 seeds do not."""
    model = tiny_lm("llama")
    prompt = [9, 8, 7]
    asked = [
        Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=1, temperature=1.5, top_k=8, seed=seed))
        for seed in range(2000)
    ]
    got = torch.tensor([each.token_ids[0] for each in generate(load_causal_lm(model), asked)])
    with torch.inference_mode():
        logits = model(torch.tensor([prompt])).logits[0, -1] / 1.5
    values, tokens = logits.topk(8)
    counts = torch.tensor([(got == token).sum() for token in tokens])
    assert counts.sum() == 2000
    expected = values.softmax(-1) * 2000
    assert ((counts - expected) ** 2 / expected).sum() < 24.3  # chi-squared, 7 degrees of freedom: 1 in 1,000
