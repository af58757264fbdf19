"""A tokenizer that needs no vocabulary of words: a token a byte, and special ones behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

END = "<|endoftext|>"


def byte_tokenizer(special: Sequence[str] = (), **named: str) -> Any:
    """A fast tokenizer of transformers: 256 bytes, the end of a text (also the padding), and `special` tokens.

    Those `named`, as `image_token`, are its attributes, also when it is loaded again.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END, *special, *(token for token in named.values() if token not in special)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=END,
        eos_token=END,
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
        extra_special_tokens=named,
    )
