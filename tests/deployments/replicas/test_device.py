"""Where a replica's model runs, and how precisely."""

import psutil
import torch

from deployments.replicas.device import choose_device, choose_dtype, give_back_freed_memory


def test_auto_leaves_precision_to_the_loader_and_a_name_is_torch_s():
    """A setting that nobody translates would be silently ignored."""
    assert choose_dtype("auto") is None
    assert choose_dtype("bfloat16") is torch.bfloat16


def test_a_named_device_is_taken_as_it_is():
    assert choose_device("cpu") == "cpu"
    assert choose_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")


def test_memory_that_was_freed_goes_back_to_the_system() -> None:
    """What loading takes for a moment stayed with the replica for good: 0.9 GB of a full-size GOT-OCR2."""
    blocks = [bytes([1]) * 100_000 for _ in range(2000)]  # below what the allocator takes from the system one by one
    last = bytes([1]) * 100_000  # above them: the heap cannot shrink by itself
    del blocks
    before = psutil.Process().memory_info().rss
    give_back_freed_memory()
    assert before - psutil.Process().memory_info().rss > 100_000_000
    assert last
