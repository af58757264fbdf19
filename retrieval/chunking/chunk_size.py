"""Decides the maximum size of a chunk in tokens (from the embedder's tokenizer and limit), and counts tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from retrieval.embedding.embedder_weights import prompts_of, read
from retrieval.errors import WrongWeights

DEFAULT_MAX_TOKENS = 256  # the limit of all-MiniLM-L6-v2
MAX_TOKEN_CHARACTERS = 40  # longer texts (per token of the budget) do not fit and are not counted
MAX_PLAUSIBLE_TOKENS = 1_000_000  # a tokenizer without a limit writes a number far above this


class TokenCounter(Protocol):
    """Counts what a text costs of the embedder's budget; special tokens are not part of either number."""

    @property
    def max_tokens(self) -> int: ...

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """What a chunk may cost together with its headings."""

    counter: TokenCounter
    max_tokens: int
    prefix: str

    @property
    def max_characters(self) -> int:
        return self.max_tokens * MAX_TOKEN_CHARACTERS

    def cost(self, text: str) -> int:
        """Tokens of the headings and the text; of a text that is too long to be counted, one more than fit."""
        if len(text) > self.max_characters:
            return self.max_tokens + 1
        return self.counter.count(self.prefix + text)

    def holds(self, text: str) -> bool:
        return self.cost(text) <= self.max_tokens

    def cheap(self, text: str, share: int) -> bool:
        """Whether a text takes at most one part in `share` of what the headings leave."""
        if share * len(text) > self.max_characters:
            return False
        remaining_tokens = self.max_tokens - self.counter.count(self.prefix)
        return share * self.counter.count(text) <= remaining_tokens

    def after(self, text: str) -> Budget:
        """What is left once a chunk begins with `text`."""
        return Budget(self.counter, self.max_tokens, self.prefix + text)


class TokenizerCounter:
    """Counts with the tokenizer that lies beside the embedder's weights; the weights are not loaded."""

    def __init__(self, folder: Path) -> None:
        """Raises WrongWeights where there is none."""
        if not (folder / "tokenizer.json").is_file():
            raise WrongWeights(f"{folder} holds no tokenizer.json: what its model sees of a text cannot be counted")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        num_reserved = self._tokenizer.num_special_tokens_to_add(is_pair=False) + self.count(
            prompts_of(folder).document
        )
        self.max_tokens = limit_of(folder) - num_reserved

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0])  # without Python's lock


class ByteCounter:
    """A token for three bytes of UTF-8, rounded up: the budget of chunks that are never embedded."""

    max_tokens = DEFAULT_MAX_TOKENS - 2  # as with all-MiniLM-L6-v2 and its special tokens

    def count(self, text: str) -> int:
        return -(-len(text.encode()) // 3)


def counter_for(embedder: Path | None) -> TokenCounter:
    """The counter that fits the embedder of that folder, or full text alone."""
    return TokenizerCounter(embedder) if embedder else ByteCounter()


def limit_of(folder: Path) -> int:
    """Tokens that the model of `folder` sees, prompt and special ones among them; what is longer it cuts silently.

    As sentence-transformers does: what the folder says of itself, else the least that model and tokenizer allow.
    """
    stated_limit = read(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    if stated_limit is not None:
        return stated_limit
    tokenizer, model = read(folder / "tokenizer_config.json", {}), read(folder / "config.json", {})
    limits = tokenizer.get("model_max_length"), model.get("max_position_embeddings")
    return min(
        (int(limit) for limit in limits if limit is not None and limit < MAX_PLAUSIBLE_TOKENS),
        default=DEFAULT_MAX_TOKENS,
    )
