"""Heads of prompts that were computed before: what is shared, what is not, and that no token changes."""

import dataclasses

import numpy as np
import pytest

from batching import Engine, EngineConfig, Request, SamplingParams
from batching.loading.models import load_causal_lm
from batching.requests.pictures import PreparedPictures
from batching.requests.rope_positions import Rope
from batching.scheduler import Scheduler
from batching.sequence import Sequence
from batching.step_plan import RowResult, StepResult
from tests.batching.native_route_here import NATIVE
from tests.batching.torch_graphs import load

HEAD = [(step * step * 11) % 200 + 5 for step in range(36)]
PARAMS = SamplingParams(max_tokens=16)
ROUTES = [("llama", "torch"), pytest.param("llama", "native", marks=NATIVE.marks), ("llama", "graphs"),
          ("gpt2", "transformers"), ("mistral", "transformers")]  # fmt: skip


@pytest.mark.parametrize(("family", "route"), ROUTES)
@pytest.mark.parametrize("limits", [{}, {"num_blocks": 16}, {"max_step_tokens": 32, "max_drafts": 3}])
def test_prompts_with_one_head_go_on_as_generate_does(family, route, limits, tiny_lm, continued, run_async):
    """In company, preempted, in chunks, with drafts, and over blocks that were freed long ago."""
    model = tiny_lm(family)
    prompts = [HEAD, HEAD[:32], [*HEAD, 7, 8, 9], [*HEAD[:20], 9, 9], [*HEAD, 7, 8, 9, 10, 11], [4, *HEAD]]
    expected = [continued(model, prompt, 16) for prompt in prompts]

    async def main():
        config = EngineConfig(block_size=8, reuse_prefixes=True, **limits)
        async with Engine(load(load_causal_lm, model, route=route), config) as engine:
            for _ in range(2):
                streams = [engine.submit(Request(prompt_token_ids=prompt, sampling=PARAMS)) for prompt in prompts]
                assert [(await stream.result()).token_ids for stream in streams] == expected
            assert engine.stats().num_free_blocks == engine.stats().num_blocks
            return engine.stats().num_reused

    assert run_async(main) >= (160 if not limits else 8)


def test_what_was_computed_is_counted_and_not_computed_again(counting, run_async):
    """Whole blocks alone, never the last token, and what was generated as well as what was asked."""
    steps = []

    async def main():
        config = EngineConfig(block_size=8, reuse_prefixes=True, on_step=steps.append)
        async with Engine(counting, config) as engine:
            first = await engine.submit(Request(prompt_token_ids=HEAD, sampling=PARAMS)).result()
            sums = [(sum(step.num_prefill_tokens for step in steps), engine.stats().num_reused)]
            for prompt in (HEAD, HEAD[:32], [*HEAD, *first.token_ids, 3], [4, *HEAD[1:]]):
                await engine.submit(Request(prompt_token_ids=prompt, sampling=SamplingParams(max_tokens=1))).result()
                sums.append((sum(step.num_prefill_tokens for step in steps), engine.stats().num_reused))
        return [(b[0] - a[0], b[1] - a[1]) for a, b in zip([(0, 0), *sums], sums, strict=False)]

    assert run_async(main) == [(36, 0), (4, 32), (8, 24), (5, 48), (36, 0)]
    assert sum(step.num_reused for step in steps) == 104


@pytest.mark.parametrize("kind", ["image", "recomputed", "off"])
def test_what_depends_on_more_than_its_tokens_is_not_shared(kind, new_sequence):
    """Tokens of two images without a digest are alike, angles may depend on the length; and it is off by default."""
    config = EngineConfig(block_size=4, reuse_prefixes=kind != "off")
    scheduler = Scheduler(config)
    for _ in range(2):
        seq = new_sequence(12, 2, image=object() if kind == "image" else None)
        prompt = dataclasses.replace(seq.prompt, recompute_beyond=100 if kind == "recomputed" else None)
        seq = Sequence(seq.seq_id, prompt, SamplingParams(), capacity=99)
        seq.prompt.token_ids[:] = [1] * 12
        seq.pixels = seq.prompt.image
        scheduler.add(seq)
        plan = scheduler.schedule()
        assert [(row.start, row.count) for row in plan.rows] == [(0, 12)]
        scheduler.commit(plan, StepResult(rows=(RowResult(token_id=1),)))
        scheduler.abort(seq)
    assert scheduler.tables.num_reused == 0


def test_the_same_picture_is_neither_encoded_nor_prefilled_twice(new_sequence):
    """Ten requests for one page read it ten times; another picture is another page."""
    scheduler = Scheduler(EngineConfig(block_size=4, reuse_prefixes=True))
    starts = []
    for pixels in (np.zeros((2, 2)), np.zeros((2, 2)), np.ones((2, 2))):
        seq = new_sequence(12, 2, image="image")
        seq.tokens[:] = [1] * 12
        pictures = PreparedPictures(inputs={"pixel_values": pixels}, places=np.arange(1, 7), num_patches=1)
        seq.take_pictures(pictures.with_digest())
        scheduler.add(seq)
        plan = scheduler.schedule()
        starts.append([row.start for row in plan.rows])
        scheduler.commit(plan, StepResult(rows=(RowResult(token_id=1),)))
        scheduler.abort(seq)
    assert starts == [[0], [8], [0]]


@pytest.mark.parametrize("kind", ["bfloat16", "ragged", "gradient"])
def test_pictures_of_any_numbers_are_compared_or_left_apart(kind, torch):
    """A picture that NumPy cannot hold failed its request."""
    values = {
        "bfloat16": torch.zeros(2, dtype=torch.bfloat16),
        "ragged": [[1], [2, 3]],
        "gradient": torch.zeros(2, requires_grad=True),
    }
    pictures = PreparedPictures(inputs={"pixel_values": values[kind]}, places=np.arange(1, 3), num_patches=1)
    assert (pictures.with_digest().digest == b"") == (kind == "ragged")


def test_pictures_at_other_positions_are_other_pictures():
    """Of equal pixels, positions that a processor chose otherwise give other keys."""
    digests = set()
    for delta in (0, 1):
        rope = Rope(np.zeros((3, 4), np.int64), delta)
        pictures = PreparedPictures(inputs={"pixels": np.zeros(2)}, places=np.arange(2), num_patches=1, rope=rope)
        digests.add(pictures.with_digest().digest)
    assert len(digests) == 2
