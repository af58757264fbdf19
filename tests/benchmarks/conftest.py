"""A model that is small enough to be asked for thousands of tokens."""

import pytest

from benchmarks.loads.workloads import random_qwen2


@pytest.fixture(scope="session")
def runner():
    """Vocabulary of the workloads, one layer."""
    import torch

    from batching.loading.models import load_causal_lm

    torch.set_num_threads(1)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    return load_causal_lm(random_qwen2(**sizes, num_key_value_heads=1, initializer_range=0.2))
