"""The Lm deployment: the optional local language model (`lm.model`); all callers share the decode steps of its
engine.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import numpy as np

from batching import EngineFull, FinishReason, PromptTooLong, Request, SamplingParams
from configs import Settings
from configs.settings import checkpoint_path
from deployments.calls.remote_method import Forwardable
from deployments.errors import Busy
from deployments.replicas.served_engine import ServedEngine
from deployments.values.completions import LmPiece, LmRequest
from deployments.writers.engine_writer import EngineWriter
from deployments.writers.lm_writer import ChatInputs, LmWriter
from retrieval.answers.answer import Answerer, WrittenAnswer
from retrieval.search.passage import Passage


class Lm:
    """Public to Ray jobs: `complete`, `answer`, `write`, `stats`."""

    def __init__(self, settings: Settings) -> None:
        from deployments.replicas.device import (  # here: whoever builds the graph need not load torch
            choose_device,
            choose_dtype,
        )

        lm, device = settings.lm, choose_device(settings.device)
        assert lm.model is not None
        runner, chat_inputs = _loaded(
            checkpoint_path(lm.model),
            device=device,
            dtype=choose_dtype(lm.precision),
            route=lm.route_on(device),
            quantisation=lm.quantisation,
            kv_dtype=lm.kv_dtype,
        )
        if runner.inputs.tokenizer is None:
            raise ValueError(f"lm.model {lm.model} has no tokenizer")
        steady = lm.steady_decoding and device == "cpu"
        self._served = ServedEngine(runner, lm, "lm", mode=lm.mode, steady_decoding=steady)
        self._name = lm.model.rstrip("/").rsplit("/", 1)[-1]
        self._mode = lm.mode
        self._capacity = min(lm.num_blocks * lm.block_size, runner.max_length)
        self._max_tokens = lm.max_tokens
        self._numbers = itertools.count()
        self._num_requests = 0
        self._num_tokens = 0
        self._busy_s = 0.0
        self._seconds_a_token = 0.0
        self._writer = LmWriter(
            self._served.engine,
            runner.inputs.tokenizer,
            self._max_tokens,
            chat_inputs,
            max_prompt_tokens=self._capacity,
        )
        answers = settings.answers
        self._answerer = Answerer(
            EngineWriter(self._writer, self._name),
            max_tokens=min(answers.max_tokens, self._capacity // 2),
            prompt_tokens=min(answers.prompt_tokens, self._capacity - min(answers.max_tokens, self._capacity // 2)),
            least_cosine=answers.least_cosine,
        )

    async def complete(self, prompt: str, num_tokens: int) -> str:
        """What follows on `prompt`: exactly so many tokens, no stop token ends it sooner.

        Raises:
            Busy: the engine's waiting list is full.
            PromptTooLong: prompt and completion have no room in the model's context, or in the KV pool.
        """
        token_ids = await self._writer.token_ids(prompt)
        longest = min(self._capacity - len(token_ids), self._max_tokens)
        if num_tokens > longest:
            raise PromptTooLong(f"after a prompt of {len(token_ids)} tokens {max(longest, 0)} can be generated at most")
        sampling = SamplingParams(max_tokens=num_tokens, ignore_eos=True, mean_logprob=False)
        label = str(next(self._numbers))
        try:
            stream = self._served.engine.submit(Request(prompt_token_ids=token_ids, sampling=sampling, label=label))
        except EngineFull as error:
            raise Busy(str(error)) from None
        completion = await stream.result()  # a caller that leaves aborts it
        assert completion.finish_reason is FinishReason.LENGTH
        self._count(len(completion.token_ids), completion.timings.total_s)
        return completion.text

    async def answer(self, question: str, passages: Sequence[Passage]) -> AsyncGenerator[str | WrittenAnswer, None]:
        """See Answerer.stream; leaving it frees the decode slot."""
        async with contextlib.aclosing(self._answerer.stream(question, passages)) as pieces:
            async for piece in pieces:
                yield piece

    async def write(self, request: LmRequest, *pictures: Forwardable[np.ndarray]) -> AsyncGenerator[LmPiece, None]:
        """See LmWriter.stream; leaving it frees the decode slot."""
        async with contextlib.aclosing(self._writer.stream(request, pictures)) as pieces:
            async for piece in pieces:
                yield piece

    async def stats(self) -> dict[str, float]:
        """Of `complete`: the mean over its requests of seconds per token, and tokens over the sum of their seconds."""
        return {
            "latency-per-token": self._seconds_a_token / self._num_requests if self._num_requests else 0.0,
            "throughput": self._num_tokens / self._busy_s if self._busy_s else 0.0,
        }

    async def about(self) -> dict[str, Any]:
        """The model's name, the engine's mode and state, and what was done so far."""
        return {"model": self._name, "mode": self._mode, **self._served.about()}

    async def check_health(self) -> None:
        """Start the engine in the first check; raises when it is of no use any more: Serve replaces the replica."""
        await self._served.check_health()

    def _count(self, num_tokens: int, seconds: float) -> None:
        self._num_requests += 1
        self._num_tokens += num_tokens
        self._busy_s += seconds
        self._seconds_a_token += seconds / max(1, num_tokens)


def _loaded(path: str, **options: Any) -> tuple[Any, ChatInputs | None]:
    """The model's runner, and its processor for chats with pictures; None: it takes none."""
    from batching.inputs.any_model.processor_reader import Chat, ProcessorReader
    from batching.loading.models import is_image_text, load_causal_lm, load_image_text

    if not is_image_text(path):
        return load_causal_lm(path, **options), None
    runner = load_image_text(path, **options)
    reader = runner.inputs.reader
    if not isinstance(reader, ProcessorReader) or not reader.has_processor:
        return runner, None
    return runner, lambda messages, pictures: reader.inputs_of(Chat(messages, pictures))
