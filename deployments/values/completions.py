"""The values of a call to a language model: turns, request, pieces of its output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from batching import FinishReason, SamplingParams
from batching.requests.sampling_params import GREEDY_PARAMS

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of one side of a conversation; its pictures, which go beside the request, stand before the text."""

    role: Role
    content: str
    num_pictures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LmRequest:
    """Asks for what follows on `turns`, as the model's chat template writes them, or else on `prompt`, as it is."""

    turns: tuple[Turn, ...] = ()
    prompt: str = ""
    sampling: SamplingParams = GREEDY_PARAMS


@dataclass(frozen=True, slots=True, kw_only=True)
class LmPiece:
    """Text that is added; the last piece says how it ended, and the counts are of the whole."""

    text: str = ""
    finish_reason: FinishReason | None = None
    num_prompt: int = 0
    num_output: int = 0
