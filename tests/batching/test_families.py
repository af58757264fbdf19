"""Every family of docs/engine.md against transformers' generate, over paged KV that is too small for all at once."""

import re
from pathlib import Path

import pytest

from batching import EngineConfig, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.native.library import library
from batching.native.native_route import native_reason
from tests.batching.families import FAMILIES
from tests.batching.more_families import MORE

ROOT = Path(__file__).parents[2]
LENGTHS = (1, 2, 5, 8, 9, 15, 16, 17, 24, 31, 40, 50)
COUNT = 26


def prompts():
    return [[(at * 37 + step * step * 11) % 490 + 5 for step in range(length)] for at, length in enumerate(LENGTHS)]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_says_what_generate_says(name, torch, continued):
    """A mask, a window or a bias that depends on what the engine hides is wrong text and no error."""
    compare(*FAMILIES[name], torch, continued)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", MORE)
def test_further_families_say_what_generate_says(model_type, torch, continued):
    """Those without a row of their own in the table."""
    compare(model_type, MORE[model_type], "transformers", torch, continued)


def compare(model_type, settings, route, torch, continued):
    """Token for token, in a pool that preempts."""
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[model_type](**settings)).eval()
    expected = [continued(model, prompt, COUNT, repetition_penalty=1.5) for prompt in prompts()]
    assert len({token for tokens in expected for token in tokens}) >= 80, "output loops and would hide errors"
    for name in routes_of(model, route):
        assert outputs_of(load_causal_lm(model, route=name)) == expected, name


def routes_of(model, route):
    """Of a family that has the torch route, the native one, too, where this machine and the model's widths allow it."""
    if route == "transformers":
        assert load_causal_lm(model).route == "transformers"
        return ["transformers"]
    return ["torch"] if library() is None or native_reason(model) else ["native", "torch"]


def outputs_of(runner):
    steps = []
    limits = EngineConfig(max_running=5, block_size=8, num_blocks=21, max_step_tokens=40, on_step=steps.append)
    # the penalty keeps random models from repeating themselves
    params = SamplingParams(max_tokens=COUNT, repetition_penalty=1.5)
    requests = [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts()]
    outputs = [completion.token_ids for completion in generate(runner, requests, limits)]
    assert sum(step.num_preempted for step in steps), "nothing was preempted"
    return outputs


def test_the_table_of_families_is_the_tested_one():
    """A family in the docs that no test runs is a promise."""
    page = (ROOT / "docs" / "engine.md").read_text("utf-8")
    documented = {
        (name, route)
        for name, route in re.findall(r"^\| `([^`]+)` \|.*\| (torch|transformers) \|$", page, re.MULTILINE)
    }
    assert documented == {(name, route) for name, (_, _, route) in FAMILIES.items()}
    also = page[page.index("Also compared") :]
    assert set(re.findall(r"`([^`]+)`", also[also.index(":") : also.index("\n\n")])) == set(MORE)
