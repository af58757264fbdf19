"""The values of one scheduled step: its rows (plan) and their tokens (result)."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

from batching.errors import RequestFailed
from batching.requests.ctc_columns import Draft
from batching.requests.rope_positions import Rope
from batching.requests.sampling_params import GREEDY_PARAMS, SamplingParams
from batching.sampling.guide_matcher import GuideMatcher


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowOwner:
    """What the runner knows of a sequence: the same in each of its steps."""

    seq_id: int
    params: SamplingParams = GREEDY_PARAMS
    label: str = ""
    generator: Any = None  # torch.Generator of the request alone; None when greedy
    rope: Rope | None = None  # None: a token's position is its place
    matcher: GuideMatcher | None = None  # of the output's guide


# not frozen: made for every row of every step, and freezing triples the cost; read-only all the same
@dataclass(slots=True, kw_only=True, eq=False)
class PlanRow:
    """The tokens `start` to `start + count` of one sequence, whose KV goes to its `blocks`.

    `tokens` is the sequence's own list (prompt and output); it does not change while a step runs;
    that of a row which is `fed_by` another may gain that token meanwhile.
    """

    owner: RowOwner
    tokens: Items[int]
    start: int
    count: int
    blocks: Items[int]
    slot: int | None = None  # of the states of recurrent layers, which a row from token 0 begins; None: for nobody
    decodes: bool = False  # one token of its own output, rather than prefill
    pixels: Any = None  # as `Inputs.prepare_image` gave it; to be encoded in this step, if `features` is None
    features: Any = None
    drafted: bool = False  # its token is a draft, the last of `tokens`; the row of the token before it comes first
    fed_by: int | None = None  # its token is what this row of the step before samples; not in `tokens` yet

    @property
    def end(self) -> int:
        """Tokens with KV after the step."""
        return self.start + self.count

    @property
    def samples(self) -> bool:
        """Whether the step gives a new token: all tokens before it then have KV."""
        return self.fed_by is not None or self.start + self.count == len(self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepPlan:
    """At least one row; no two of one sequence, but for its drafts, which follow its row."""

    rows: tuple[PlanRow, ...]
    max_patches: int = 1  # of one pass of the vision encoder


@dataclass(slots=True, kw_only=True, eq=False)  # not frozen; see PlanRow
class RowResult:
    """`token_id` for a row that samples, or the `error` that it alone met."""

    token_id: int | None = None
    logprob: float = 0.0
    top: tuple[tuple[int, float], ...] = ()  # the likeliest tokens and their log-probabilities, if asked for
    features: Any = None  # to be kept for the rest of the prefill
    draft: Draft | None = None  # of its output, where its pictures were encoded in this step
    error: RequestFailed | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepResult:
    """One result a row, in the order of the plan."""

    rows: tuple[RowResult, ...]
    num_guided: int = 0  # rows whose token a guide chose from
    guide_s: float = 0.0  # time that the guides of the step took, in a thread of their own
    guide_wait_s: float = 0.0  # part of it that was waited for when the logits were there
