"""The folder of a language model of random weights, with a token a byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.batching.byte_tokenizer import END, byte_tokenizer

TEMPLATE = "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}<|im_start|>"


def save_lm(folder: Path, *, context: int = 4096) -> Path:
    """A LLaMA of two layers; what it says is printable noise, and the same each time."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    tokenizer: Any = byte_tokenizer(["<|im_start|>", "<|im_end|>"])
    tokenizer.chat_template = TEMPLATE
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        initializer_range=0.2,
        bos_token_id=None,
        eos_token_id=tokenizer.convert_tokens_to_ids(END),
    )
    model: Any = LlamaForCausalLM(config).eval()
    with torch.no_grad():  # it says printable ASCII alone: bytes that are no text would be held back to the end
        model.lm_head.weight[:32] = 0
        model.lm_head.weight[127:] = 0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
