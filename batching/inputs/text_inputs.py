"""Prepares text prompts for a model: tokenizing, length check."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Protocol

import torch

from batching.errors import InvalidPrompt, ModeUnavailable, RequestFailed
from batching.forward_route import Overlay
from batching.inputs.context_length import rope_switch
from batching.requests.detokenize import Tokenizer
from batching.requests.request import Prompt, Request
from batching.runner import Inputs
from batching.step_plan import PlanRow, StepPlan


class ModelInputs(Inputs, Protocol):
    """Also what the model thread needs of them."""

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:
        """Image features by sequence, those made before included, and the images that could not be encoded."""
        ...

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:
        """What lies over the embeddings of a row's new tokens, if anything does."""
        ...


class TextInputs:
    """Prompts of tokens alone."""

    last_pass = 0.0
    prepare_image = None

    def __init__(self, model: Any, *, tokenizer: Tokenizer | None, stop_token_ids: frozenset[int]) -> None:
        """`model`: a causal LM; `stop_token_ids`: what ends its outputs unless a request ignores them."""
        self._name = type(model).__name__
        self._device = torch.device(model.device)
        self._config = model.config.get_text_config(decoder=True)
        self._stop_token_ids = stop_token_ids
        self.tokenizer = tokenizer

    def max_patches(self, budget_mb: int | None) -> int:  # noqa: ARG002 # it sees nothing
        """See `Inputs.max_patches`."""
        return 1

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        if request.image is not None or request.inputs is not None or len(request.images):
            raise ModeUnavailable(f"{self._name} reads no images")
        if request.prompt_token_ids is None:
            raise InvalidPrompt(f"{self._name} takes prompt_token_ids: chat templates are those of image-text models")
        return self.prompt([int(token) for token in request.prompt_token_ids], request)

    def prompt(self, token_ids: list[int], request: Request) -> Prompt:
        """A prompt of tokens, or of none that are known yet, with the sampling and continuation of `request`.

        Raises:
            InvalidPrompt: a token is out of vocabulary.
        """
        params = request.sampling
        continuation = [int(token) for token in request.continuation]
        if token_ids or continuation:
            self.check([*token_ids, *continuation])
        generator = None
        if not params.greedy:
            generator = torch.Generator(self._device)  # numbers of the host would cost more than the step of a GPU
            _ = generator.seed() if params.seed is None else generator.manual_seed(params.seed)
        own = frozenset[int]() if params.ignore_eos else self._stop_token_ids
        switch = rope_switch(self._config)
        return Prompt(
            token_ids=token_ids,
            max_tokens=params.max_tokens,
            stop_token_ids=own | set(params.stop_token_ids),
            continuation=tuple(continuation),
            generator=generator,
            recompute_beyond=None if switch is None else switch.length,
        )

    def check(self, token_ids: list[int]) -> None:
        """Refuse what the model cannot embed.

        Raises:
            InvalidPrompt: a token is out of vocabulary.
        """
        vocabulary = int(self._config.vocab_size)
        for token in (min(token_ids), max(token_ids)):
            if not 0 <= token < vocabulary:
                raise InvalidPrompt(f"token {token} is out of the vocabulary of {vocabulary}")

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:  # noqa: ARG002 # it sees nothing
        """See `ModelInputs.encode`."""
        return {}, {}

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:  # noqa: ARG002 # it sees nothing
        """See `ModelInputs.overlay`."""
        return None


def parameters_of(method: Any) -> frozenset[str]:
    """The names of what a method takes, without those of `**kwargs`."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = inspect.signature(method).parameters
    return frozenset(name for name, parameter in parameters.items() if parameter.kind not in kinds)
