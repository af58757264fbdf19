"""Token budgets are counted by the embedder's own tokenizer, or else by a rule that never counts too few by much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

DEFAULT_MAX_TOKENS = 254  # of all-MiniLM-L6-v2: 256 less its two special tokens
NUM_SPECIAL_TOKENS = 2


class TokenCounter(Protocol):
    """Counts what a text costs of the embedder's budget; special tokens are not part of either number."""

    @property
    def max_tokens(self) -> int: ...

    def count(self, text: str) -> int: ...


class TokenizerCounter:
    """Counts with the tokenizer that lies beside the embedder's weights; the weights are not loaded."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.max_tokens = max_tokens_of(folder)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


class ByteCounter:
    """A token for three bytes of UTF-8, rounded up: the budget of chunks that are never embedded."""

    max_tokens = DEFAULT_MAX_TOKENS

    def count(self, text: str) -> int:
        return -(-len(text.encode()) // 3)


def counter_for(embedder: Path | None) -> TokenCounter:
    """The counter that fits the embedder of that folder, or full text alone."""
    return TokenizerCounter(embedder) if embedder else ByteCounter()


def max_tokens_of(folder: Path) -> int:
    """Tokens of a text that the embedder of `folder` sees; what is longer it would cut without a word."""
    limits = folder / "sentence_bert_config.json"
    if not limits.exists():
        return DEFAULT_MAX_TOKENS
    return json.loads(limits.read_text())["max_seq_length"] - NUM_SPECIAL_TOKENS
