"""`batching.routes.torch.linear`: each kind alone, and quantised in a decoder through the engine's own loader."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import Qwen2Config, Qwen2ForCausalLM

from batching import EngineConfig, Request, SamplingParams, UnsupportedModel, generate
from batching.loading.models import load_causal_lm
from batching.native.matrix import rounded
from batching.routes.torch.linear import LINEAR_TYPES, DynamicInt8Linear, Int4Linear, saturates

BOUNDS = {"int8": 0.012, "int4": 0.11, "dynamic_int8": 0.03}
"""Norm of the error in parts of the product's, for normal weights and rows: a step of the grid, and bfloat16's."""
every_kind = pytest.mark.parametrize("kind", BOUNDS)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def model() -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=211,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.05,
        bos_token_id=None,
        eos_token_id=None,
    )
    return Qwen2ForCausalLM(config).eval()


@every_kind
@pytest.mark.parametrize("shape", [(96, 64), (288, 192), (512, 1024)])
@pytest.mark.parametrize("num_rows", [1, 3, 32, 100])
def test_a_product_is_near_that_of_the_whole_matrix(kind, shape, num_rows) -> None:
    """Guards against a scale of the wrong axis, and against byte products that overflow on an older processor."""
    weight, rows, bias = normal(*shape), normal(num_rows, shape[1], seed=1), normal(shape[0], seed=2)
    expected = rows @ weight.T + bias
    product = LINEAR_TYPES[kind](weight, bias)(rows)
    assert product.dtype == rows.dtype
    assert float((product - expected).norm() / expected.norm()) < BOUNDS[kind]


@every_kind
@given(at=st.integers(0, 40), more=st.integers(0, 60), seed=st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_a_row_gives_the_same_bits_whatever_its_mates(kind, at, more, seed) -> None:
    """Guards against one scale for a batch, by which a page's text would depend on what else is read."""
    linear = LINEAR_TYPES[kind](normal(96, 64), None)
    rows = normal(at + 1 + more, 64, seed=seed)
    rows[: at // 2] *= 1000
    assert torch.equal(linear(rows)[at], linear(rows[at : at + 1])[0])


def test_sums_of_bytes_are_exact_at_their_largest() -> None:
    """Guards against sums in 16 bits, which end at 32767 without a word."""
    weight, rows = torch.full((32, 512), 3.0), torch.full((5, 512), 7.0)
    torch.testing.assert_close(DynamicInt8Linear(weight, None)(rows), rows @ weight.T, rtol=1e-5, atol=0)
    assert isinstance(saturates(), bool)


@every_kind
def test_zeros_stay_zeros(kind) -> None:
    """Guards against a scale of nothing, which makes NaN."""
    assert torch.equal(LINEAR_TYPES[kind](torch.zeros(32, 64), None)(normal(3, 64)), torch.zeros(3, 32))
    assert bool(LINEAR_TYPES[kind](normal(32, 64), None)(torch.zeros(3, 64)).abs().max() == 0) or kind == "int4"


def test_rounding_keeps_within_its_bits() -> None:
    """Guards against -128, which the byte product does not negate."""
    whole, scales = rounded(normal(64, 64) * 9, 63)
    assert int(whole.max()) <= 63
    assert int(whole.min()) >= -63
    assert bool((scales > 0).all())


@every_kind
def test_a_decoder_takes_less_memory_and_gives_near_logits(kind, model, tmp_path: Path) -> None:
    """Guards against a quantised copy beside the whole matrices, and against one that is not in use."""
    model.save_pretrained(tmp_path)
    whole, small = load_causal_lm(tmp_path), load_causal_lm(tmp_path, quantisation=kind)
    assert small.num_bytes < whole.num_bytes / (6 if kind == "int4" else 3.5)
    assert load_causal_lm(tmp_path, route="transformers").num_bytes is None
    left = [
        module.weight.numel() for module in small.model.get_decoder().layers.modules() if hasattr(module, "in_features")
    ]
    assert sum(left) == 0, "an owned model keeps no matrix that nobody reads"
    asks = [Request(prompt_token_ids=[7 * at % 211, at, 3], sampling=SamplingParams(max_tokens=8)) for at in range(5)]
    alone = [generate(small, [ask], EngineConfig(num_blocks=64))[0].token_ids for ask in asks]
    together = generate(small, asks, EngineConfig(num_blocks=64))
    assert [completion.token_ids for completion in together] == alone


@every_kind
def test_a_given_model_is_not_changed(kind, model) -> None:
    """Guards against weights that vanish from under the caller."""
    before = {name: values.clone() for name, values in model.state_dict().items()}
    load_causal_lm(model, quantisation=kind)
    assert all(torch.equal(values, before[name]) for name, values in model.state_dict().items())


def test_what_cannot_be_quantised_says_so(model) -> None:
    """Guards against a setting that is taken and does nothing."""
    with pytest.raises(UnsupportedModel, match="only the native and the torch route"):
        load_causal_lm(model, route="transformers", quantisation="int8")
    with pytest.raises(ValueError, match="quantisation must be one of"):
        load_causal_lm(model, quantisation="int3")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedModel, match="int4 takes matrices of"):
        Int4Linear(normal(30, 64), None)
    with pytest.raises(UnsupportedModel, match="int4 takes matrices of"):
        Int4Linear(normal(32, 50), None)
