"""Linear: the same product in every layout."""

import pytest
import torch

from batching.routes.torch.linear import Linear
from batching.routes.torch.matrix_layouts import layout_times, layouts

SHAPES = [(2048, 512), (64, 512), (97, 48)]
BOUNDS = {torch.float32: 1e-4, torch.bfloat16: 3e-2}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("num_rows", [1, 8, 65, 300])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("layout", ["plain", "blocked"])
@pytest.mark.parametrize("dtype", BOUNDS, ids=str)
def test_each_layout_gives_the_product_of_torch(dtype, layout, biased, num_rows, shape):
    """Guards against a packed order that is read wrongly, and against a bias that is left out."""
    if layout not in layouts(dtype):
        pytest.skip(f"this processor has no {layout} layout of {dtype}")  # test_probe has that it is not used
    chance = torch.Generator().manual_seed(0)
    weight, rows = torch.randn(shape, generator=chance), torch.randn(num_rows, shape[1], generator=chance)
    bias = torch.randn(shape[0], generator=chance) if biased else None
    expected = torch.nn.functional.linear(rows.double(), weight.double(), None if bias is None else bias.double())
    with torch.inference_mode():
        linear = Linear(weight.to(dtype), None if bias is None else bias.to(dtype), layout)
        product = linear(rows.to(dtype))
    assert product.is_contiguous()
    bound = BOUNDS[dtype] * float(expected.abs().max())
    torch.testing.assert_close(product.double(), expected, rtol=0, atol=bound)


def test_a_matrix_lies_in_the_layout_that_is_measured_as_the_fastest():
    """Constants of one processor are wrong on the next."""
    linear = Linear(torch.zeros(2048, 512), None)
    times = layout_times(2048, 512, torch.float32)
    assert linear.layout == min(times, key=times.__getitem__)
    assert set(times) == set(layouts(torch.float32)) >= {"plain"}
