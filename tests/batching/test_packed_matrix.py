"""Products with packed matrices in C++, against torch."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from hypothesis import given, settings
from hypothesis import strategies as st

from batching.native.matrix import PackedMatrix
from tests.batching.native_builds import BUILT, built, normal

__all__ = ["built"]  # a fixture that its own file has
pytestmark = pytest.mark.skipif(BUILT is None, reason="no compiler, or a processor without AVX2")

KINDS = ("float32", "bfloat16", "int8")
BOUNDS = {"float32": 1e-6, "bfloat16": 0.006, "int8": 0.02}
"""Norm of the error in parts of the product's, for normal numbers."""
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@pytest.mark.parametrize(("outputs", "inputs"), [(48, 16), (97, 64), (130, 2080), (7, 32)])
@pytest.mark.parametrize("num_rows", [1, 3, 8, 21])
def test_a_product_is_near_that_of_torch(kind, outputs, inputs, num_rows, built):
    """Guards against panels that are cut or padded wrongly, and against sums that stop at the end of a part."""
    weight, rows, bias = normal(outputs, inputs), normal(num_rows, inputs, seed=1), normal(outputs, seed=2)
    expected = F.linear(rows.double(), weight.double(), bias.double())
    product = PackedMatrix(built, [(weight, bias)], kind)(rows)
    assert product.shape == expected.shape
    assert float((product - expected).norm() / expected.norm()) < BOUNDS[kind]


@every_kind
def test_parts_lie_one_above_the_other_or_panel_by_panel(kind):
    """Guards against queries taken for keys, and gates for values."""
    parts = [(normal(96, 32, seed=at), normal(96, seed=at + 5)) for at in range(2)]
    rows = normal(4, 32, seed=9)
    width = int(BUILT.pagemill_width())
    stacked = PackedMatrix(BUILT, parts, kind)(rows)
    interleaved = PackedMatrix(BUILT, parts, kind, interleaved=True)(rows).view(4, -1, 2, width)
    assert torch.equal(stacked[:, :96], interleaved[:, :, 0].flatten(1)[:, :96])
    assert torch.equal(stacked[:, 96:], interleaved[:, :, 1].flatten(1)[:, :96])


@every_kind
@given(at=st.integers(0, 40), more=st.integers(0, 60), seed=st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_a_row_gives_the_same_bits_whatever_its_mates(kind, at, more, seed):
    """Guards against a text that depends on what else is read."""
    matrix = PackedMatrix(BUILT, [(normal(97, 2080), None)], kind)
    rows = normal(at + 1 + more, 2080, seed=seed)
    rows[: at // 2] *= 1000
    assert torch.equal(matrix(rows)[at], matrix(rows[at : at + 1])[0])


def test_sums_of_bytes_are_exact_at_their_largest(built):
    """Guards against sums in 16 bits, which end at 32767 without a word."""
    weight, rows = torch.full((32, 512), 3.0), torch.full((5, 512), 7.0)
    product = PackedMatrix(built, [(weight, None)], "int8")(rows)
    torch.testing.assert_close(product, rows @ weight.T, rtol=1e-5, atol=0)


def test_a_matrix_refuses_what_would_be_read_beyond_its_end():
    """So do rows."""
    with pytest.raises(ValueError, match="multiple of 16"):
        PackedMatrix(BUILT, [(normal(48, 8), None)], "float32")
    with pytest.raises(ValueError, match="numbers by a matrix of 64 inputs"):
        PackedMatrix(BUILT, [(normal(48, 64), None)], "float32")(normal(3, 32))
