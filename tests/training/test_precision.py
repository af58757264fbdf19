"""Half precision is used where it is quick."""

import torch

from training.precision import has_bfloat16


def test_a_processor_without_wide_vectors_computes_in_whole_numbers(monkeypatch):
    """Imitated half precision made a step eighty times slower."""
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert not has_bfloat16("cpu")
    assert has_bfloat16("cuda")
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    assert has_bfloat16("cpu")
