"""`batching.machine.torch_internals`: each private operation of torch is there, and computes what its wrapper says."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel, MambaConfig, MambaForCausalLM

from batching.machine import torch_internals as internals

NUM_ROWS, INPUTS, OUTPUTS, GROUP = 5, 64, 32, 32


def rows_and_weight(top: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Small whole numbers, so that products are exact in bfloat16's inputs and float32's sums."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randint(-2, 3, (NUM_ROWS, INPUTS), generator=generator).float()
    return rows, torch.randint(-top, top + 1, (OUTPUTS, INPUTS), generator=generator)


def test_int8_product_scales_each_output() -> None:
    rows, weight = rows_and_weight(2)
    scales = torch.arange(1, OUTPUTS + 1) / 64
    product = internals.int8_product(rows.bfloat16(), weight.to(torch.int8), scales.bfloat16())
    torch.testing.assert_close(product.float(), (rows @ weight.float().T) * scales, rtol=0.02, atol=0.02)


def test_int4_product_reads_a_step_as_its_distance_from_eight() -> None:
    rows, weight = rows_and_weight(7)
    scales = torch.ones(INPUTS // GROUP, OUTPUTS, 2)
    scales[..., 1] = 0.5  # the zero of each group and output
    packed = internals.int4_packed((weight + 8).to(torch.int32))
    product = internals.int4_product(rows.bfloat16(), packed, GROUP, scales.bfloat16())
    torch.testing.assert_close(product.float(), rows @ (weight.float() + 0.5).T, rtol=0.02, atol=0.5)


def test_bytes_product_is_exact() -> None:
    rows, weight = rows_and_weight(3)
    product = internals.bytes_product(rows.to(torch.int8), weight.to(torch.int8))
    assert product.dtype == torch.int32
    assert torch.equal(product.float(), rows @ weight.float().T)


def test_an_operation_tells_whether_it_writes_in_place() -> None:
    assert internals.writes_in_place(torch.ops.aten.add_.Tensor)
    assert not internals.writes_in_place(torch.ops.aten.add.Tensor)


def test_a_model_tells_whether_it_keeps_a_recurrent_state() -> None:
    sizes = {"vocab_size": 8, "num_hidden_layers": 1}
    assert internals.has_recurrent_state(MambaForCausalLM(MambaConfig(hidden_size=8, **sizes)))
    assert not internals.has_recurrent_state(GPT2LMHeadModel(GPT2Config(n_embd=8, n_head=1, vocab_size=8, n_layer=1)))
