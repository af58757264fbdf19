"""Where the time of a step goes: what the C++ notes of itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from batching.native.library import library
from batching.native.structures import PARTS
from benchmarks import step_profile

pytestmark = pytest.mark.skipif(library() is None, reason="no compiler, or a processor without AVX2")


@pytest.fixture
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_no_time_is_counted_twice(one_thread: None) -> None:
    """Guards against parts that overlap: the parts of one thread can't take longer than the run that they are of."""
    runner, times = step_profile.profiled_runner("small", "float32", num_threads=1)
    seconds, parts = step_profile.decoded(runner, times, step_profile.SHORT)
    noted = dict(zip(PARTS, parts.tolist(), strict=True))
    assert 0 < sum(noted.values()) <= seconds
    assert min(noted["products"], noted["attention"], noted["small"]) > 0


def test_a_row_tells_every_part_of_a_step(one_thread: None) -> None:
    """Guards against parts that are left out of the results; their sizes depend on what else runs on the machine."""
    row = step_profile.measured("small", "float32", 1, 1, step_profile.SHORT + 2)
    assert row.keys() == {"size", "precision", "step_ms", *PARTS, "outside"}
