"""Generates answers with a local engine; answers to concurrent queries share a batch."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from batching import BatchingError, Engine, EngineFull, FinishReason, Request, RequestRefused, SamplingParams
from retrieval.answer import Piece
from retrieval.errors import WriterFailed
from retrieval.prompt import Message

NEXT_QUESTION = "\nQuestion:"  # where a model without a chat template goes on to invent


class EngineWriter:
    """A causal language model with its tokenizer; no text of a prompt becomes a special token."""

    def __init__(self, engine: Engine, tokenizer: Any, name: str) -> None:
        self._engine, self._tokenizer, self.name = engine, tokenizer, name
        self._special = [token for token in tokenizer.get_added_vocab() if len(token) > 1]
        self._numbers = itertools.count()

    def count(self, text: str) -> int:
        return len(self._tokenizer(self._plain(text), add_special_tokens=False)["input_ids"])

    async def stream(self, messages: Sequence[Message], max_tokens: int) -> AsyncGenerator[Piece, None]:
        """What the model writes; closing the generator frees its decode slot. Raises WriterFailed."""
        request = Request(
            prompt_token_ids=self._token_ids(messages),
            sampling=SamplingParams(max_tokens=max_tokens, stop=(NEXT_QUESTION,), mean_logprob=False),
            label=f"answer {next(self._numbers)}",
        )
        try:
            async with contextlib.aclosing(self._engine.submit(request)) as deltas:
                async for delta in deltas:
                    if delta.finish_reason is None:
                        yield Piece(text=delta.text)
                    else:
                        ended = "length" if delta.finish_reason is FinishReason.LENGTH else "stop"
                        yield Piece(text=delta.text, finish_reason=ended)
        except EngineFull:
            raise WriterFailed("writer_busy", f"too many answers of {self.name} wait already", retryable=True) from None
        except RequestRefused as error:
            raise WriterFailed("writer_refused", f"{self.name}: {error}") from None
        except BatchingError as error:
            raise WriterFailed(
                "writer_broken", f"{self.name} failed: {type(error).__name__}", retryable=True
            ) from error

    def _token_ids(self, messages: Sequence[Message]) -> list[int]:
        """By the chat template if there is one; instructions and question in one message, which every template has."""
        prompt = self._plain("\n\n".join(message.content for message in messages))
        if self._tokenizer.chat_template is None:
            return list(self._tokenizer(prompt)["input_ids"])
        chat = [{"role": "user", "content": prompt}]
        text = self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _plain(self, text: str) -> str:
        """Without what the tokenizer would take for a special token, such as the end of a turn."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text
