"""The interface between engine and model: Runner executes steps, Inputs prepares requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import PreparedPictures
from batching.requests.request import Prompt, Request
from batching.step_plan import StepPlan, StepResult


class Inputs(Protocol):
    """Cheap enough for the event loop, but for `prepare_image`."""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Makes text of tokens; None: completions have no text."""
        ...

    @property
    def last_pass(self) -> float:
        """When the vision encoder last ended a pass, by `time.perf_counter`; a step may have many. 0.0: never."""
        ...

    def max_patches(self, budget_mb: int | None) -> int:
        """Patches of one pass of the vision encoder whose scratch stays within `budget_mb`; None: the device's default.

        At least one.
        """
        ...

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms.

        Raises:
            RequestRefused: it can never be served.
        """
        ...

    @property
    def prepare_image(self) -> Callable[[Any], PreparedPictures] | None:
        """The pictures of a prompt, `Prompt.image`, as the vision encoder takes them; None: no prompt has any.

        Called in threads of its own, before the request is scheduled; whatever it raises fails that request alone.
        """
        ...


class Runner(Protocol):
    """Knows the model and nothing of scheduling; one engine at a time uses it, all methods in its model thread.

    An error that one row alone met is in that row's result; whatever else is raised ends the engine.
    """

    @property
    def inputs(self) -> Inputs:
        """What requests are to the model."""
        ...

    @property
    def max_length(self) -> int:
        """The model's context: prompt and output, in tokens."""
        ...

    @property
    def max_in_flight(self) -> int:
        """Steps that may be launched and not collected yet: 1 where `launch` itself computes, else 2."""
        ...

    @property
    def keeps_state(self) -> bool:
        """Whether recurrent layers keep a state of each sequence, which no block holds and nothing takes back."""
        ...

    def allocate(self, num_blocks: int, block_size: int, max_rows: int, max_running: int) -> None:
        """Make room for the KV of `num_blocks` usable blocks, all zeros, and for the states of `max_running` sequences.

        No step has more than `max_rows` rows.
        """
        ...

    def launch(self, plan: StepPlan) -> Any:
        """Begin a step; if another is in flight, `plan` was scheduled on top of it."""
        ...

    def collect(self, flight: Any) -> StepResult:
        """Wait for the oldest step in flight, which `launch` gave; the blocks of a row that failed are finite again."""
        ...

    def close(self) -> None:
        """Drop the KV."""
        ...
