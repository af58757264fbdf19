"""EngineConfig: the limits of one engine (blocks, running sequences, step tokens); and its statistics."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

from batching.requests.completion import FinishReason, Timings
from batching.sampling.prompt_lookup import Drafter, PromptLookup

log = logging.getLogger(__name__)

Mode = Literal["none", "static", "continuous"]
"""Which sequences share a step; all but "continuous" are for comparison.

none: one at a time. static: nobody joins a batch until its longest is done. continuous: any, joining at any step.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStats:
    """One step, as it was run."""

    num_decodes: int  # sequences that gained one token
    num_prefill_tokens: int
    num_running: int  # after the step, as are the next two
    num_waiting: int
    num_free_blocks: int
    num_preempted: int  # in this step
    num_reused: int  # tokens that those admitted to it did not have to compute
    num_drafts: int  # tokens proposed and verified in this step
    num_accepted: int  # of these, each one more token for its sequence
    num_guided: int  # sequences whose next token a guide chose from
    guide_s: float  # time that their guides took, beside the model
    guide_wait_s: float  # part of it that the step was longer for
    step_s: float  # wall time from its launch, or from the end of the step before if that was later
    labels: frozenset[str]  # Request.label of the sequences in the step


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestStats:
    """One request, when it has ended."""

    label: str
    finish_reason: FinishReason
    num_prompt: int
    num_output: int
    num_preempted: int
    num_steps: int  # that gave it tokens: fewer than tokens where drafts were accepted
    gave_up_drafts: bool  # for they were wrong again and again
    timings: Timings


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStats:
    """Where an engine stands; the last eight only grow. Blocks are usable blocks."""

    num_waiting: int
    num_running: int
    num_blocks: int
    num_free_blocks: int
    step_running_s: float  # since a step or a vision pass ended, or work came to an idle engine; 0.0 without work
    num_steps: int
    num_preempted: int
    num_aborted: int
    num_failed: int
    num_finished: int  # by stop, repetition or length
    num_reused: int  # tokens of prompts that were not computed: an earlier sequence had left their keys and values
    num_drafts: int  # see StepStats
    num_accepted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """Limits of one engine; every field has exactly one reader.

    Raises:
        ValueError: names the field that is out of range.
    """

    num_blocks: int = 1024  # usable KV blocks
    block_size: int = 16  # tokens per KV block
    max_running: int = 32
    max_waiting: int = 1024
    max_step_tokens: int = 2048  # new tokens in one step, prefill and decode together
    steady_decoding: bool = False  # prompts in small parts beside what decodes: even gaps, fewer tokens per second
    vision_budget_mb: int | None = None  # scratch of one pass of the vision encoder; None: the runner's default
    mode: Mode = "continuous"
    reuse_prefixes: bool = False  # keys and values of a prompt's head are those of an earlier sequence that had it, too
    max_drafts: int = 0  # tokens of one sequence that are guessed and verified in one step
    drafter: Callable[[], Drafter] = PromptLookup  # makes one for each sequence that takes the likeliest token
    check_idle: bool = True  # whenever nothing runs, see that no block is lost; else the engine ends
    on_step: Callable[[StepStats], None] | None = None  # called on the event loop after each step
    on_finish: Callable[[RequestStats], None] | None = None  # called on the event loop when a request has ended

    def __post_init__(self) -> None:
        for field in (
            "num_blocks",
            "block_size",
            "max_running",
            "max_waiting",
            "vision_budget_mb",
        ):
            if (value := getattr(self, field)) is not None and value < 1:
                raise ValueError(f"{field} must be at least 1, not {value!r}")
        if self.max_step_tokens < self.max_running:
            raise ValueError(f"max_step_tokens must be at least max_running, not {self.max_step_tokens!r}")
        if self.max_drafts < 0:
            raise ValueError(f"max_drafts must be at least 0, not {self.max_drafts!r}")
        if self.mode not in get_args(Mode):
            raise ValueError(f"mode must be one of {', '.join(get_args(Mode))}, not {self.mode!r}")

    def fitted(self, keeps_state: bool) -> EngineConfig:
        """With recurrent layers, without what needs their state before some token: it is overwritten in its slot."""
        if not keeps_state:
            return self
        if self.reuse_prefixes:
            log.warning("reuse_prefixes is off: the state of the model's recurrent layers is not kept at each block")
        if self.max_drafts:
            log.warning("max_drafts is 0: a rejected draft would stay in the state of the model's recurrent layers")
        return replace(self, reuse_prefixes=False, max_drafts=0)
