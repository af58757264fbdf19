"""Runner: what executes steps on a device."""

from __future__ import annotations

from typing import Any, Protocol

from batching.plan import StepPlan, StepResult
from batching.request import Prompt, Request


class Tokenizer(Protocol):
    """As much of a transformers tokenizer as the engine uses."""

    def decode(self, token_ids: list[int], *, skip_special_tokens: bool) -> str:
        """The text of the tokens."""
        ...


class Ahead(Protocol):
    """A device that takes a step before the one before it is over; both run in the engine's model thread."""

    def launch(self, plan: StepPlan) -> Any:
        """Begin a step, without waiting for it; one other may be in flight, and `plan` is then planned on top of it."""
        ...

    def collect(self, flight: Any) -> StepResult:
        """Wait for the oldest step in flight, and what came of it; `flight` is what `launch` gave. See `Runner.run`."""
        ...


class Runner(Protocol):
    """Knows the model and nothing of scheduling; one engine at a time uses it.

    `prepare` runs on the event loop, so it must be cheap; `allocate`, `run` and `close` run in the engine's model
    thread. An error that one row alone met is in that row's result; whatever `run` raises ends the engine.
    """

    @property
    def ahead(self) -> Ahead | None:
        """Runs steps without waiting for them; None: `run` is all there is."""
        ...

    @property
    def max_length(self) -> int:
        """The model's context: prompt and output, in tokens."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Makes text of tokens; None: completions have no text."""
        ...

    @property
    def num_passes(self) -> int:
        """Passes of the vision encoder so far; it grows also while a step runs, which may have many of them."""
        ...

    def max_tiles(self, budget_mb: int | None) -> int:
        """Tiles of one pass of the vision encoder whose scratch stays within `budget_mb`; None: the runner's default.

        At least one.
        """
        ...

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms.

        Raises:
            RequestRefused: it can never be served.
        """
        ...

    def allocate(self, num_blocks: int, block_size: int, max_rows: int) -> None:
        """Make room for the KV of `num_blocks` usable blocks and the padding block, all zeros.

        No step has more than `max_rows` rows.
        """
        ...

    def run(self, plan: StepPlan) -> StepResult:
        """Compute one step; the blocks of a row that failed are zeroed."""
        ...

    def close(self) -> None:
        """Drop the KV."""
        ...
