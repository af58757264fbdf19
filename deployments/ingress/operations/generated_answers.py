"""Writes the answer of `/v1/query` with a language model, if one is set."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

from configs.model_settings import AnswerSettings
from deployments.calls.cancellable_calls import stream
from deployments.calls.handles import LmHandle
from deployments.errors import Busy, ReplicaDied
from deployments.writers.chat_writer import ChatWriter
from retrieval.answers.answer import Answerer, AnswerError, WrittenAnswer
from retrieval.search.passage import Passage

logger = logging.getLogger("ray.serve")


class Answers(Protocol):
    """As `retrieval.answers.answer.Answerer`: pieces of the text, and the answer as the last item."""

    def stream(self, question: str, passages: Sequence[Passage]) -> AsyncGenerator[str | WrittenAnswer, None]: ...


class LmAnswers:
    """Answers by the deployment of the language model; leaving the stream frees the decode slot."""

    def __init__(self, lm: LmHandle, model: str) -> None:
        self._lm = lm
        self._model = model

    async def stream(self, question: str, passages: Sequence[Passage]) -> AsyncGenerator[str | WrittenAnswer, None]:
        text = ""
        try:
            async with stream(self._lm.options(stream=True).answer.remote(question, passages)) as pieces:
                async for piece in pieces:
                    text += piece if isinstance(piece, str) else ""
                    yield piece
        except (Busy, ReplicaDied) as error:
            logger.warning("no answer by %s: %s", self._model, error)
            error_reply = AnswerError(
                code="writer_busy", message="the language model is full or unavailable", retryable=True
            )
            yield WrittenAnswer(outcome="failed", text=text, model=self._model, error=error_reply)


def answers_by(settings: AnswerSettings, lm: LmHandle | None, variables: Mapping[str, str]) -> Answers | None:
    """The server that `answers.url` names, else our own model, else nobody.

    Raises ValueError where the variable that should hold the key is not set.
    """
    if settings.url is not None:
        return Answerer(
            ChatWriter(settings, variables),
            max_tokens=settings.max_tokens,
            prompt_tokens=settings.prompt_tokens,
            least_cosine=settings.least_cosine,
        )
    return None if lm is None else LmAnswers(lm, "lm.model")
