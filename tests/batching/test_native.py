"""The forward pass in C++, against torch and transformers."""

import copy
import dataclasses

import numpy as np
import pytest
import torch

from batching import EngineConfig, Request, SamplingParams, generate
from batching.kv.kv_pool import KvPool
from batching.loading.models import load_causal_lm
from batching.native.native_route import NativeRoute
from batching.requests.rope_positions import MAX_DELTA, Rope
from batching.sampling.sampler import pick
from batching.step_plan import PlanRow, RowOwner
from tests.batching.native_builds import BUILT, built, normal

__all__ = ["built"]  # a fixture that its own file has
pytestmark = pytest.mark.skipif(BUILT is None, reason="no compiler, or a processor without AVX2")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_tied_embedding_is_read_from_the_packed_head(dtype):
    """It lies in memory as the head alone. Tokens at both ends of panels of 48, and the last of an odd vocabulary."""
    from transformers import AutoModelForCausalLM

    torch.manual_seed(4)
    config = config_of(num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True)
    tied = AutoModelForCausalLM.from_config(config).eval().to(getattr(torch, dtype))
    apart = copy.deepcopy(tied)
    apart.get_decoder().embed_tokens.weight = torch.nn.Parameter(tied.lm_head.weight.detach().clone())
    tokens = [0, 210, 47, 48, 47, 95, 96]
    row = PlanRow(owner=RowOwner(seq_id=0), tokens=tokens, start=0, count=len(tokens), blocks=BLOCKS[0])
    logits = []
    for model in (tied, apart):
        route = NativeRoute(BUILT, model)
        route.allocate(KvPool(40, 16), 1)
        logits.append(route.logits([row], {}))
        assert (route._embedding is None) == (model is tied)
    assert torch.equal(*logits)


def test_picks_are_those_of_torch(tiny_lm):
    """The likeliest token, the first of equals; a row that is not finite is known as such."""
    route = NativeRoute(BUILT, tiny_lm("llama"))
    logits = normal(7, 211) * 9
    logits[1, [30, 60]] = 99.0
    logits[2, 210] = 99.0
    logits[3, 5] = float("nan")
    logits[4, 210] = float("nan")
    logits[5, 7] = float("inf")
    logits[6, 8] = -float("inf")
    own, torchs = route.pick(logits, wants_logprobs=True), pick(logits, wants_logprobs=True)
    short = route.pick(logits, wants_logprobs=False)
    assert short.logprobs is None
    assert torch.equal(short.tokens, own.tokens)
    assert torch.equal(short.finite, own.finite)
    assert own.finite.tolist() == torchs.finite.tolist() == [True, True, True, False, False, False, True]
    assert own.tokens[own.finite].tolist() == logits[own.finite].numpy().argmax(-1).tolist()
    torch.testing.assert_close(own.logprobs[own.finite], torchs.logprobs[own.finite])


WRONG_ROWS = {
    "fewer tokens": {"count": 4},
    "no tokens": {"start": 3, "count": 0},
    "a start before the first": {"start": -1, "count": 4},
    "fewer blocks": {"blocks": ()},
    "a block of nobody": {"blocks": (42,)},
    "a block before the first": {"blocks": (-1,)},
    "a negative token": {"tokens": [5, -1, 7]},
    "a token out of vocabulary": {"tokens": [5, 211, 7]},
    "a position without angles": {"owner": RowOwner(seq_id=0, rope=Rope(np.array([[0, 1, 640 + MAX_DELTA]]), 0))},
    "a negative position": {"owner": RowOwner(seq_id=0, rope=Rope(np.zeros((1, 0), np.int64), -1))},
}


@pytest.mark.parametrize("fault", WRONG_ROWS)
def test_a_row_that_would_read_foreign_memory_is_refused(fault, tiny_lm):
    """Of all this the C++ sees addresses alone; assertions are not there with `python -O`, and blocks had none."""
    route = NativeRoute(BUILT, tiny_lm("llama"))
    route.allocate(KvPool(40, 16), 1)
    row = PlanRow(owner=RowOwner(seq_id=0), tokens=[5, 6, 7], start=0, count=3, blocks=(1,))
    with torch.inference_mode():
        assert route.logits([row], {}).isfinite().all()
        with pytest.raises((ValueError, IndexError, RuntimeError)):
            route.logits([dataclasses.replace(row, **WRONG_ROWS[fault])], {})
        route.close()
        with pytest.raises(ValueError, match="not allocated"):
            route.logits([row], {})
        with pytest.raises(ValueError, match="fp8"):
            route.allocate(KvPool(40, 16, "fp8"), 1)


def test_logits_of_any_kind_are_picked_from(tiny_lm):
    """Every second number of a row, and numbers of two bytes."""
    route = NativeRoute(BUILT, tiny_lm("llama"))
    logits = normal(3, 422)
    for own in (logits[:, ::2], logits[:, :211].bfloat16()):
        assert torch.equal(route.pick(own, wants_logprobs=False).tokens, own.float().argmax(-1))


BLOCKS = [list(range(1 + 9 * at, 10 + 9 * at))[::-1] for at in range(4)]  # of each sequence, in no order
TOKENS = [[(at * 37 + step * step * 11) % 200 + 5 for step in range(40)] for at in range(4)]
CUTS = {
    "alone, a token at a time": [[(0, 30)], [(0, 31)], [(0, 32)], [(0, 33)]],
    "alone, as one prompt each": [[(0, 30)], [], [(0, 31)], [], [(0, 32)], [], [(0, 33)]],
    "in company, in pieces": [
        [(1, 5), (0, 7), (2, 20)],
        [(0, 16), (3, 40)],
        [(2, 21), (0, 17), (1, 6)],
        [(0, 30), (1, 7)],
        [(1, 8), (2, 22), (0, 31)],
        [(0, 32), (1, 9)],
        [(1, 20), (0, 33)],
    ],
}


def logits_of_first(route, steps, block_size):
    """By its number of tokens, of sequence 0; a step is (sequence, its tokens after it); an empty one forgets all."""
    logits, computed = {}, {}
    with torch.inference_mode():
        route.allocate(KvPool(40, block_size), 8)
        for step in steps:
            rows = [
                PlanRow(
                    owner=RowOwner(seq_id=at),
                    tokens=TOKENS[at][:end],
                    start=computed.get(at, 0),
                    count=end - computed.get(at, 0),
                    blocks=BLOCKS[at],
                )
                for at, end in step
            ]
            computed = {} if not step else computed | dict(step)
            for row, own in zip(rows, route.logits(rows, {}).clone() if rows else (), strict=True):
                if row.owner.seq_id == 0:
                    logits[row.end] = own
    return logits


@pytest.mark.parametrize("quantised", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("block_size", [5, 16, 32])
def test_a_token_gives_the_same_bits_in_any_company_and_however_its_prompt_is_cut(
    block_size, dtype, quantised, tiny_lm
):
    """So a text depends neither on what else is read, nor on chunks, nor on a preemption."""
    model = copy.deepcopy(tiny_lm("llama")).to(getattr(torch, dtype))
    route = NativeRoute(BUILT, model, quantised=quantised)
    first, *others = (logits_of_first(route, steps, block_size) for steps in CUTS.values())
    for other in others:
        for end, expected in first.items():
            assert torch.equal(other[end], expected), end


@pytest.mark.parametrize("block_size", [5, 16])
def test_drafts_give_the_bits_of_one_token_after_the_other(block_size, tiny_lm):
    """Rows of one sequence attend together, beside prompts and others' decodes: by that no bit may change."""
    route = NativeRoute(BUILT, tiny_lm("llama"))
    alone = logits_of_first(route, [[(0, end)] for end in range(20, 41)], block_size)

    def row(of, start, end, **fields):
        return PlanRow(
            owner=RowOwner(seq_id=of),
            tokens=TOKENS[of][:end],
            start=start,
            count=end - start,
            blocks=BLOCKS[of],
            **fields,
        )

    with torch.inference_mode():
        route.allocate(KvPool(40, block_size), 64)
        _ = route.logits([row(0, 0, 20), row(1, 0, 30)], {})
        drafts = [row(0, end - 1, end, drafted=end > 21) for end in range(21, 41)]
        together = [row(1, 30, 31), *drafts, row(1, 31, 32), row(2, 0, 40), row(3, 0, 9)]
        logits = route.logits(together, {}).clone()
    for end, own in zip(range(21, 41), logits[1:], strict=False):
        assert torch.equal(own, alone[end]), end


def config_of(**sizes):
    from transformers import Qwen2Config, Qwen3Config

    shape = {
        "vocab_size": 211,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.2,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    return (Qwen3Config if sizes.pop("normed", False) else Qwen2Config)(**(shape | sizes))


@pytest.mark.parametrize("block_size", [5, 16, 48])
@pytest.mark.parametrize(
    "sizes",
    [
        {"num_attention_heads": 4, "num_key_value_heads": 4},
        {"num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True},
        {"num_attention_heads": 7, "num_key_value_heads": 1, "head_dim": 32, "hidden_size": 112, "normed": True},
        {"num_attention_heads": 20, "num_key_value_heads": 2, "head_dim": 80, "normed": True, "vocab_size": 47},
        {"num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 128, "normed": True},
    ],
    ids=lambda sizes: f"{sizes['num_attention_heads']}-{sizes['num_key_value_heads']}-{sizes.get('head_dim', 16)}",
)
def test_logits_are_those_of_the_model(sizes, block_size, built):
    """Groups of queries larger and smaller than a tile, heads of any width, blocks that fit no register."""
    from transformers import AutoModelForCausalLM

    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(config_of(**sizes)).eval()
    tokens = [[token % 47 for token in sequence] for sequence in TOKENS]
    with torch.inference_mode():
        expected = [model(torch.tensor([sequence])).logits[0] for sequence in tokens]
        route = NativeRoute(built, model)
        route.allocate(KvPool(40, block_size), 8)
        computed = [0] * 4
        for ends in ([17, 1, 0, 40], [18, 2, 30, 0], [40, 3, 31, 0], [0, 40, 32, 0]):
            rows = [
                PlanRow(
                    owner=RowOwner(seq_id=at),
                    tokens=tokens[at][:end],
                    start=computed[at],
                    count=end - computed[at],
                    blocks=BLOCKS[at],
                )
                for at, end in enumerate(ends)
                if end
            ]
            for row, logits in zip(rows, route.logits(rows, {}), strict=True):
                computed[row.owner.seq_id] = row.end
                torch.testing.assert_close(logits, expected[row.owner.seq_id][row.end - 1], rtol=1e-4, atol=2e-4)


def test_a_pass_of_more_tokens_than_go_through_a_layer_at_once_ends(built):
    """Guards against a prompt of over 512 tokens that ended the process: none of its first tokens goes to the head."""
    from transformers import AutoModelForCausalLM

    torch.manual_seed(4)
    config = config_of(num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=2048)
    model = AutoModelForCausalLM.from_config(config).eval()
    tokens = [[(7 * k + at) % 211 for k in range(length)] for at, length in enumerate((1100, 3, 600))]
    blocks = [list(range(70)), [70], list(range(71, 110))]
    route = NativeRoute(built, model)
    route.allocate(KvPool(110, 16), 8)
    rows = [
        PlanRow(owner=RowOwner(seq_id=at), tokens=sequence, start=0, count=len(sequence), blocks=blocks[at])
        for at, sequence in enumerate(tokens)
    ]
    with torch.inference_mode():
        for logits, sequence in zip(route.logits(rows, {}), tokens, strict=True):
            expected = model(torch.tensor([sequence])).logits[0, -1]
            torch.testing.assert_close(logits, expected, rtol=1e-4, atol=2e-4)


def test_results_do_not_depend_on_the_number_of_threads(tiny_lm):
    """The parts of a product that threads share are cut elsewhere with each number of them."""
    route = NativeRoute(BUILT, tiny_lm("llama"))
    results = []
    before = torch.get_num_threads()
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            results.append(logits_of_first(route, CUTS["in company, in pieces"], 16))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(result[end], results[0][end]) for result in results for end in results[0])


def test_a_request_has_the_same_log_probabilities_to_the_bit_alone_and_in_company(tiny_lm):
    """Through the engine, with a pool that preempts and prompts that are cut."""
    asks = [
        Request(prompt_token_ids=sequence[: 9 + 7 * at], sampling=SamplingParams(max_tokens=20))
        for at, sequence in enumerate(TOKENS)
    ]
    runner = load_causal_lm(tiny_lm("llama"), route="native")
    steps = []
    tight = EngineConfig(num_blocks=7, max_step_tokens=16, max_running=4, on_step=steps.append)
    together = [completion.mean_logprob for completion in generate(runner, asks, tight)]
    assert sum(step.num_preempted for step in steps) > 0
    assert together == [generate(runner, [ask])[0].mean_logprob for ask in asks]
