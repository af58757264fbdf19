"""Keys and values of one layer, in the model's numbers and in eight bits."""

import numpy as np
import pytest
import torch

from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KV_ROWS_TYPES
from tests.batching.fp8_cache import EIGHT_BITS, rounded

CPU = torch.device("cpu")
every_kind = pytest.mark.parametrize("kind", KV_ROWS_TYPES)


def rows_of(kind, num_blocks=6, block_size=4, heads=(3, 8), dtype=torch.float32):
    return KV_ROWS_TYPES[kind](num_blocks, block_size, heads, dtype, CPU)


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_eight_bits_are_the_numbers_of_the_format():
    """Of the oracle itself, against torch's own table."""
    table = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).double()
    assert np.array_equal(np.unique(table[~table.isnan()]), EIGHT_BITS)


@pytest.mark.parametrize("scale", [1e-20, 1e-3, 1.0, 448.0, 3e4, 1e30])
def test_what_is_read_is_the_nearest_number_of_eight_bits_under_a_power_of_two(scale):
    """Guards against a largest number that does not fit, and against scales that round once more."""
    heads = normal(64, 3, 8) * scale
    heads[0] = 0
    heads[1, :, 1:] = 0
    heads[2] = torch.tensor([448, -448, 224, 232, 2.0**-9, 2.0**-10, 3 * 2.0**-10, 17.0]) * scale
    expected = torch.from_numpy(rounded(heads.numpy())).float()
    read = rows_of("fp8").rounded(heads)
    assert torch.equal(read, expected)
    assert ((read - heads).abs().amax(-1) <= heads.abs().amax(-1) / 16).all()


@every_kind
def test_what_is_read_of_blocks_and_slots_is_what_was_written(kind):
    """Guards against a head with the scale of another."""
    rows, new = rows_of(kind), normal(10, 24) * torch.logspace(-3, 3, 10)[:, None]
    slots = torch.randperm(24, generator=torch.Generator().manual_seed(1))[:10]
    rows.write(slots, new)
    expected = torch.zeros(24, 3, 8)
    expected[slots] = rows.rounded(new.view(10, 3, 8))
    assert torch.equal(rows.read_slots(torch.arange(24)).view(24, 3, 8), expected)
    assert torch.equal(rows.read_blocks(torch.tensor([5, 0])), expected.view(6, -1)[[5, 0]])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_rounding_what_was_read_changes_nothing(dtype):
    """A prompt attends to what it reads, rounded once; what is stored is rounded from the same numbers."""
    rows = rows_of("fp8", dtype=dtype)
    once = rows.rounded(normal(500, 3, 8).to(dtype))
    assert once.dtype is dtype
    assert torch.equal(rows.rounded(once), once)


def test_the_bytes_of_a_token_do_not_depend_on_its_block_mates():
    """One scale a block would change with every token that joins it."""
    alone, together = rows_of("fp8"), rows_of("fp8")
    new = normal(4, 24)
    together.write(torch.arange(4), torch.cat([new[:1], 1000 * new[1:]]))
    alone.write(torch.arange(1), new[:1])
    for own, others in zip(alone.tensors, together.tensors, strict=True):
        assert torch.equal(own[0, 0], others[0, 0])


@every_kind
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_seen_and_can_be_wiped(kind, number):
    """A NaN that eight bits round to a number would make wrong text without a word."""
    rows, new = rows_of(kind), normal(4, 24)
    new[2, 9] = number
    rows.write(torch.arange(8, 12), new)
    read = rows.read_blocks(torch.tensor([2])).view(4, 3, 8)
    assert not read[2, 1].isfinite().all()
    assert read[[0, 1, 3]].isfinite().all()
    rows.make_finite([2])
    wiped = rows.read_blocks(torch.tensor([2])).view(4, 3, 8)
    assert wiped.isfinite().all()
    assert torch.equal(wiped[[0, 1, 3]], read[[0, 1, 3]])


def test_eight_bits_take_little_more_than_a_quarter_of_float32():
    """The blocks that fit into a memory are calculated from it."""
    sizes = {}
    for kind in KV_ROWS_TYPES:
        pool = KvPool(5, 16, kind)
        for _ in range(2):
            pool.add_layer((2, 64), (2, 64), torch.float32, CPU)
        sizes[kind] = pool.bytes_per_block
    assert sizes == {"model": 2 * 2 * 16 * 2 * 64 * 4, "fp8": 2 * 2 * 16 * 2 * (64 + 1)}
