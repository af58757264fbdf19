"""`batching.machine.device`: a pool of KV blocks takes memory as it is used, not as it is made."""

import resource
from pathlib import Path

import pytest

NUM_BYTES = 400_000_000


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
def test_a_large_pool_takes_no_memory_before_it_is_written(name, torch):
    """Guards against 3.2 GB of zeros that a reader of one page holds from its start."""
    from batching.machine.device import untouched_zeros

    dtype = getattr(torch, name)
    before = resident()
    pool = untouched_zeros((NUM_BYTES // dtype.itemsize // 100, 100), dtype, torch.device("cpu"))
    assert resident() - before < NUM_BYTES / 10
    assert (pool.dtype, pool.nbytes) == (dtype, NUM_BYTES)
    assert not pool[:: len(pool) // 10].any()
    pool[7] = 2.5
    assert pool[7].tolist() == [2.5] * 100
    assert not pool[6].any()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
