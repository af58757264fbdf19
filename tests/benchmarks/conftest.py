"""A model that is small enough to be asked for thousands of tokens."""

import pytest


@pytest.fixture(scope="session")
def runner():
    """Vocabulary of the workloads, one layer."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    from batching.models import load_causal_lm

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=8192,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        bos_token_id=None,
        eos_token_id=None,
        initializer_range=0.2,
    )
    return load_causal_lm(Qwen2ForCausalLM(config).eval())
