"""Where the time of a step goes: what the C++ notes of itself."""

import pytest
import torch

from batching.native.library import library
from batching.native.structures import PARTS
from benchmarks import step_profile


@pytest.mark.skipif(library() is None, reason="no compiler, or a processor without AVX2")
def test_the_parts_of_a_step_make_up_the_step():
    """Guards against parts that the C++ counts in another order than Python reads, and against time counted twice."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        row = step_profile.measured("small", "float32", 1, 1, step_profile.SHORT + 20)
    finally:
        torch.set_num_threads(threads)
    shares = [row[part] for part in (*PARTS, "outside")]
    assert sum(shares) == pytest.approx(1)
    assert row["products"] > max(row["attention"], row["small"]) > 0
    assert abs(row["waiting"]) < 0.1, "a thread that is alone waits for nobody"
    assert row["outside"] > 0
