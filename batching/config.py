"""EngineConfig: limits of one engine; StepStats and EngineStats: what it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Mode = Literal["none", "static", "continuous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStats:
    """One step, as it was run."""

    num_decodes: int  # sequences that got one token more
    num_prefill_tokens: int
    num_running: int  # after the step, as are the next two
    num_waiting: int
    num_free_blocks: int
    labels: frozenset[str]  # Request.label of the sequences in the step


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStats:
    """Where an engine stands; the last five only grow. Blocks are usable blocks."""

    num_waiting: int
    num_running: int
    num_blocks: int
    num_free_blocks: int
    num_steps: int
    num_preempted: int
    num_aborted: int
    num_failed: int
    num_finished: int  # by stop or length


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
    max_step_images: int = 16  # images encoded in one step
    mode: Mode = "continuous"  # "static": a batch is drained before the next; "none": one at a time
    on_step: Callable[[StepStats], None] | None = None  # called on the event loop after each step

    def __post_init__(self) -> None:
        for field in ("num_blocks", "block_size", "max_running", "max_waiting", "max_step_images"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be at least 1, not {getattr(self, field)!r}")
        if self.max_step_tokens < self.max_running:
            raise ValueError(f"max_step_tokens must be at least max_running, not {self.max_step_tokens!r}")
        if self.mode not in ("none", "static", "continuous"):
            raise ValueError(f"mode must be none, static or continuous, not {self.mode!r}")
