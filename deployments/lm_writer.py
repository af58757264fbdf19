"""LmWriter: texts by an engine of ours for whoever asks, in the terms of chat models; LmRequest, LmPiece."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any, Literal

from batching import BatchingError, Engine, EngineFull, FinishReason, Request, RequestRefused, SamplingParams
from batching.sampling import GREEDY
from deployments.errors import Busy

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side of a conversation said."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LmRequest:
    """Asks for what follows on `turns`, as the model's chat template writes them, or else on `prompt`, as it is."""

    turns: tuple[Turn, ...] = ()
    prompt: str = ""
    sampling: SamplingParams = GREEDY


@dataclass(frozen=True, slots=True, kw_only=True)
class LmPiece:
    """Text that is added; the last piece says how it ended, and the counts are of the whole."""

    text: str = ""
    finish_reason: FinishReason | None = None
    num_prompt: int = 0
    num_output: int = 0


class LmWriter:
    """A causal language model with its tokenizer; no text of a conversation becomes a special token."""

    def __init__(self, engine: Engine, tokenizer: Any, max_tokens: int) -> None:
        """`max_tokens`: of one output, whatever a request says."""
        self._engine, self._tokenizer, self._max_tokens = engine, tokenizer, max_tokens
        self._special = [each for each in tokenizer.get_added_vocab() if len(each) > 1]
        self._numbers = itertools.count()

    async def stream(self, request: LmRequest) -> AsyncGenerator[LmPiece, None]:
        """What the model writes; closing the generator frees its decode slot.

        Raises:
            Busy: too many requests wait already, or the engine has ended.
            RequestRefused: it can never be served: `PromptTooLong` has both numbers, `InvalidGuide` the reason.
        """
        token_ids = self._token_ids(request)
        max_tokens = request.sampling.max_tokens
        most = self._max_tokens if max_tokens is None else min(max_tokens, self._max_tokens)
        sampling = replace(request.sampling, max_tokens=most, mean_logprob=False)
        engine_request = Request(prompt_token_ids=token_ids, sampling=sampling, label=f"text {next(self._numbers)}")
        num_output = 0
        try:
            if sampling.guide is not None:
                await self._engine.compile(engine_request)
            async with contextlib.aclosing(self._engine.submit(engine_request)) as deltas:
                async for delta in deltas:
                    num_output += len(delta.token_ids)
                    yield LmPiece(
                        text=delta.text,
                        finish_reason=delta.finish_reason,
                        num_prompt=len(token_ids),
                        num_output=num_output,
                    )
        except RequestRefused:
            raise
        except EngineFull as error:
            raise Busy(str(error)) from None
        except BatchingError as error:
            raise Busy(f"the language model broke off: {type(error).__name__}: {error}") from error

    def _token_ids(self, request: LmRequest) -> list[int]:
        if not request.turns:
            return list(self._tokenizer(self._plain(request.prompt))["input_ids"]) or [self._begin()]
        if self._tokenizer.chat_template is None:
            text = "\n\n".join(self._plain(turn.content) for turn in request.turns)
            return list(self._tokenizer(text)["input_ids"]) or [self._begin()]
        chat = [{"role": turn.role, "content": self._plain(turn.content)} for turn in request.turns]
        text = self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _begin(self) -> int:
        tokenizer = self._tokenizer
        return next((each for each in (tokenizer.bos_token_id, tokenizer.eos_token_id) if each is not None), 0)

    def _plain(self, text: str) -> str:
        """Without what the tokenizer would take for a special token, such as the end of a turn."""
        for each in self._special:
            text = text.replace(each, f"{each[0]} {each[1:]}")
        return text
