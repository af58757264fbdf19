"""Generates text with the local language model: chat templates, sampling, stop strings, streaming."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from jinja2 import TemplateError

from batching import BatchingError, Engine, Request, RequestFailed, RequestRefused
from batching.errors import InvalidPrompt, PromptTooLong
from deployments.errors import Busy
from deployments.replicas.model_thread import ModelThread
from deployments.values.completions import LmPiece, LmRequest
from retrieval.errors import WriterFailed

T = TypeVar("T")
NO_TOKEN_LIMIT = 1 << 40
PIECE_CHARACTERS = 1 << 16
MAX_TOKENS_PER_CUT = 128  # more tokens that two pieces may have than their text has: those of a word that is cut
MIN_TOKEN_CHARACTERS = 40  # minimum length of the longest token, whatever the vocabulary says: runs of spaces
ChatInputs = Callable[[Sequence[Mapping[str, Any]], Sequence[Any]], dict[str, Any]]
"""What a model's processor makes of messages and their pictures."""


logger = logging.getLogger("ray.serve")


class LmWriter:
    """A causal language model with its tokenizer; no text of a conversation becomes a special token."""

    def __init__(
        self,
        engine: Engine,
        tokenizer: Any,
        max_tokens: int,
        chat_inputs: ChatInputs | None = None,
        *,
        max_prompt_tokens: int = NO_TOKEN_LIMIT,
    ) -> None:
        """`max_tokens`: of one output, whatever a request says; without `chat_inputs` no pictures are taken."""
        self._chat_inputs = chat_inputs
        self._engine = engine
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._special = [token for token in tokenizer.get_added_vocab() if len(token) > 1]
        self._numbers = itertools.count()
        self._thread = ModelThread("tokenizer")
        self._picture_thread = ModelThread("processor")  # pictures take longer, and texts need not wait for them
        self._max_prompt_tokens = max_prompt_tokens
        self._max_characters = max_prompt_tokens * max(MIN_TOKEN_CHARACTERS, *map(len, tokenizer.get_vocab()))

    async def stream(self, request: LmRequest, pictures: Sequence[Any] = ()) -> AsyncGenerator[LmPiece, None]:
        """What the model writes; closing the generator frees its decode slot.

        `pictures` are those of all turns, in order: np.uint8, height x width x 3 (RGB).

        Raises:
            Busy: too many requests wait already, or the engine has ended and Serve is about to replace its replica.
            WriterFailed: this request broke while it ran.
            RequestRefused: it can never be served: `PromptTooLong` has both numbers, `InvalidGuide` and
                `InvalidPrompt` the reason.
        """
        source = await self._source(request, pictures)
        num_prompt = len(source.get("prompt_token_ids") or source["inputs"]["input_ids"][0])
        max_tokens = request.sampling.max_tokens
        most = self._max_tokens if max_tokens is None else min(max_tokens, self._max_tokens)
        sampling = replace(request.sampling, max_tokens=most, mean_logprob=False)
        engine_request = Request(**source, sampling=sampling, label=f"text {next(self._numbers)}")
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
                        num_prompt=num_prompt,
                        num_output=num_output,
                    )
        except RequestRefused:
            raise
        except RequestFailed as error:  # the next one may go well, and so may this one
            raise WriterFailed(f"the language model failed: {error}", code="writer_broken", retryable=True) from error
        except BatchingError as error:
            logger.warning("no text: %s: %s", type(error).__name__, error)
            raise Busy("the language model takes no text now") from error

    async def count(self, text: str) -> int:
        """Tokens of a text. Raises PromptTooLong."""
        return await self._tokenized(lambda: len(self._encoded(self._plain(text), special=False)), len(text))

    async def token_ids(self, prompt: str) -> list[int]:
        """Those of a prompt as it is, special tokens in its text included. Raises PromptTooLong."""
        return await self._tokenized(lambda: self._encoded(prompt) or [self._begin()], len(prompt))

    async def _tokenized(self, tokenize: Callable[[], T], num_characters: int) -> T:
        """What `tokenize` makes of a text, in the one thread that uses the tokenizer.

        Raises:
            PromptTooLong: no prompt of the context's tokens has so many characters; nothing was tokenised.
        """
        self._check_length(num_characters)
        return await self._thread.run(tokenize)

    def _check_length(self, num_characters: int) -> None:
        if num_characters > self._max_characters:
            raise PromptTooLong(
                f"the prompt has {num_characters} characters; the model's context holds {self._max_characters} at most"
            )

    async def _source(self, request: LmRequest, pictures: Sequence[Any]) -> dict[str, Any]:
        """The prompt as tokens, or with its pictures as the processor's inputs. Raises InvalidPrompt, PromptTooLong."""
        num_characters = len(request.prompt) + sum(len(turn.content) for turn in request.turns)
        if not pictures:
            return {"prompt_token_ids": await self._tokenized(lambda: self._prompt(request), num_characters)}
        self._check_length(num_characters)
        if self._chat_inputs is None:
            raise InvalidPrompt("this model takes no pictures; set lm.model to an image-text model")
        try:
            return {"inputs": await self._picture_thread.run(self._inputs_of, request, self._chat_inputs, pictures)}
        except Exception as error:  # processors raise what they like at pictures that are too small, or odd
            logger.warning("a chat with pictures was refused by its processor", exc_info=error)
            raise InvalidPrompt(f"the model's processor refuses this chat: {type(error).__name__}") from None

    def _inputs_of(self, request: LmRequest, chat_inputs: ChatInputs, pictures: Sequence[Any]) -> dict[str, Any]:
        messages = [
            {
                "role": turn.role,
                "content": [
                    *({"type": "image"} for _ in range(turn.num_pictures)),
                    {"type": "text", "text": self._plain(turn.content)},
                ],
            }
            for turn in request.turns
        ]
        return chat_inputs(messages, pictures)

    def _prompt(self, request: LmRequest) -> list[int]:
        """The tokens of a prompt; too many are refused in this thread, as the event loop would copy them before."""
        token_ids = self._token_ids(request)
        if len(token_ids) > self._max_prompt_tokens:
            raise PromptTooLong(
                f"the prompt has {len(token_ids)} tokens, the model's context holds {self._max_prompt_tokens}"
            )
        return token_ids

    def _token_ids(self, request: LmRequest) -> list[int]:
        if not request.turns:
            return self._encoded(self._plain(request.prompt)) or [self._begin()]
        if self._tokenizer.chat_template is None:
            text = "\n\n".join(self._plain(turn.content) for turn in request.turns)
            return self._encoded(text) or [self._begin()]
        chat = [{"role": turn.role, "content": self._plain(turn.content)} for turn in request.turns]
        try:
            text = self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        except TemplateError as error:  # such as roles that do not take turns
            raise InvalidPrompt(f"the model's chat template refuses the messages: {error}") from error
        return self._encoded(text, special=False)

    def _encoded(self, text: str, *, special: bool = True) -> list[int]:
        """The tokens of a text, between the special ones of a whole text if it is to have them.

        A long text is counted in pieces first: to free the tokens of megabytes keeps the interpreter's lock for 0.2 s.

        Raises:
            PromptTooLong: of the text's first pieces alone.
        """
        num_tokens = 0
        pieces = range(0, len(text), PIECE_CHARACTERS) if len(text) > PIECE_CHARACTERS else ()
        for start in pieces:
            piece = text[start : start + PIECE_CHARACTERS]
            num_tokens += len(self._tokenizer(piece, add_special_tokens=False)["input_ids"]) - MAX_TOKENS_PER_CUT
            if num_tokens > self._max_prompt_tokens:
                raise PromptTooLong(
                    f"the prompt has over {num_tokens} tokens, the model's context holds {self._max_prompt_tokens}"
                )
        return list(self._tokenizer(text, add_special_tokens=special)["input_ids"])

    def _begin(self) -> int:
        tokenizer = self._tokenizer
        return next(
            (token_id for token_id in (tokenizer.bos_token_id, tokenizer.eos_token_id) if token_id is not None), 0
        )

    def _plain(self, text: str) -> str:
        """Without what the tokenizer would take for a special token, such as the end of a turn."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text
