"""Linear: the same product by every way it takes."""

import pytest
import torch

from batching.linear import LEAST_WIDE, PACKED_ROWS, Linear

WIDE, NARROW = (2048, 512), (64, 512)


@pytest.mark.parametrize("shape", [WIDE, NARROW])
@pytest.mark.parametrize("num_rows", [1, *PACKED_ROWS, PACKED_ROWS[1] + 1, 300])
@pytest.mark.parametrize("biased", [False, True])
def test_each_number_of_rows_gives_the_product_of_torch(shape, num_rows, biased):
    """The packed order serves few rows, BLAS the others; a caller must not see which."""
    chance = torch.Generator().manual_seed(0)
    weight, rows = torch.randn(shape, generator=chance), torch.randn(num_rows, shape[1], generator=chance)
    bias = torch.randn(shape[0], generator=chance) if biased else None
    with torch.inference_mode():
        given = Linear(weight, bias)(rows)
    assert given.is_contiguous()
    torch.testing.assert_close(given, torch.nn.functional.linear(rows, weight, bias), rtol=1e-4, atol=1e-4)


def test_only_wide_matrices_in_float32_lie_in_memory_twice():
    """Packing costs the memory of the matrix again, and other dtypes have a blocked product of their own."""
    assert NARROW[0] * NARROW[1] < LEAST_WIDE <= WIDE[0] * WIDE[1]
    assert Linear(torch.zeros(WIDE), None).packed
    assert not Linear(torch.zeros(NARROW), None).packed
    assert not Linear(torch.zeros(WIDE, dtype=torch.bfloat16), None).packed
