"""Detokenizer: turns tokens into text as they arrive, without broken characters."""

from __future__ import annotations

from typing import Protocol

REPLACEMENT_CHARACTER = "\ufffd"  # decoders show it for a character whose bytes are not all there yet


class Tokenizer(Protocol):
    """As much of a transformers tokenizer as the engine uses."""

    def decode(self, token_ids: list[int], *, skip_special_tokens: bool) -> str:
        """The text of the tokens."""
        ...


class Detokenizer:
    """The texts handed out, joined, equal the decoding of all tokens at once; no character is ever cut.

    Tokens are decoded together with those since the last whole character, so that spaces which a tokenizer drops at the
    beginning of a text stay in the middle of it (the scheme of Hugging Face's text-generation-inference).
    """

    def __init__(self, tokenizer: Tokenizer | None) -> None:
        self._tokenizer = tokenizer
        self._window: list[int] = []  # tokens of the last text handed out, then those not handed out yet
        self._num_out = 0  # how many of them were handed out

    def push(self, token_ids: list[int]) -> str:
        """The text that is certain with these tokens."""
        if self._tokenizer is None or not token_ids:
            return ""
        self._window += token_ids
        before = self._decode(self._window[: self._num_out])
        text = self._decode(self._window)
        if len(text) <= len(before) or text.endswith(REPLACEMENT_CHARACTER):
            return ""
        self._window = self._window[self._num_out :]
        self._num_out = len(self._window)
        return text[len(before) :]

    def whole(self, token_ids: list[int]) -> str:
        """The text of all tokens at once."""
        return "" if self._tokenizer is None else self._decode(token_ids)

    def _decode(self, token_ids: list[int]) -> str:
        assert self._tokenizer is not None
        return self._tokenizer.decode(token_ids, skip_special_tokens=True) if token_ids else ""
