"""Beam search: which continuations of a sequence are kept, and when the search ends."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field

from batching.requests.sampling_params import SamplingParams


@dataclass(slots=True, eq=False)
class Branch:
    """One line of tokens, prompt and output, with KV in `blocks` for the first `num_computed`."""

    tokens: list[int]
    num_computed: int = 0
    blocks: list[int] = field(default_factory=list[int])
    num_owned: int = 0  # tokens before which its next one has a slot to itself, as far as that is known
    names: list[bytes] = field(default_factory=list[bytes])  # of its first full blocks' contents
    num_named: int = 0  # blocks at its head that the pool knows by name, or that another one has the name of
    score: float = 0.0  # sum of log-probabilities of its output, as beam search counts them

    @property
    def num_due(self) -> int:
        """Tokens whose KV is still to be computed before the next one can be chosen."""
        return len(self.tokens) - self.num_computed


@dataclass(frozen=True, slots=True)
class Offspring:
    """A branch of the next step: a parent with one token more."""

    parent: int
    token_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Complete:
    """An output that has ended."""

    score: float  # by its length
    sum_logprob: float
    output: list[int]


class BeamSearch:
    """Keeps the best `num_beams` complete outputs; the rules are those of transformers' `generate`."""

    def __init__(
        self, params: SamplingParams, stop_token_ids: frozenset[int], num_prompt: int, max_tokens: int
    ) -> None:
        """`num_prompt`: tokens of each branch that are not output."""
        self.num_candidates = params.num_beams * max(2, 1 + len(stop_token_ids))
        self._num_beams = params.num_beams
        self._length_penalty = params.length_penalty
        self._early_stopping = params.early_stopping
        self._stop_token_ids = stop_token_ids
        self._num_prompt = num_prompt
        self._max_tokens = max_tokens
        self._complete: list[Complete] = []  # the best first

    @property
    def best(self) -> Complete:
        """The best output so far; there is one when `extend` has given no offspring."""
        return self._complete[0]

    def extend(self, branches: Items[Branch], candidates: Items[Items[tuple[int, float]]]) -> list[Offspring]:
        """The branches of the next step, the best first; none when the search is over.

        `candidates` are (token, log-probability) of each branch, the best first; an ending one counts only among the
        first `num_beams` of all.
        """
        length = len(branches[0].tokens) - self._num_prompt + 1
        scored = [
            Offspring(parent, token, branches[parent].score + logprob)
            for parent, of_branch in enumerate(candidates)
            for token, logprob in of_branch
        ]
        scored.sort(key=lambda offspring: -offspring.score)
        scored = scored[: self.num_candidates]
        ended = [length >= self._max_tokens or offspring.token_id in self._stop_token_ids for offspring in scored]
        if not (self._early_stopping is True and self._full):
            for offspring, ends in zip(scored[: self._num_beams], ended, strict=False):
                if ends:
                    self._add(offspring, branches[offspring.parent], length)
        living = [offspring for offspring, ends in zip(scored, ended, strict=True) if not ends][: self._num_beams]
        if not living or (self._full and (self._early_stopping is True or not self._may_improve(living[0], length))):
            return []
        return living

    @property
    def _full(self) -> bool:
        return len(self._complete) >= self._num_beams

    def _add(self, last: Offspring, branch: Branch, length: int) -> None:
        output = [*branch.tokens[self._num_prompt :], last.token_id]
        self._complete.append(Complete(last.score / length**self._length_penalty, last.score, output))
        self._complete.sort(key=lambda output: -output.score)  # stable: the earlier of two equals stays before
        del self._complete[self._num_beams :]

    def _may_improve(self, best: Offspring, length: int) -> bool:
        """Whether the best living branch could still beat the worst complete output."""
        if self._early_stopping == "never" and self._length_penalty > 0:
            length = self._max_tokens
        return best.score / length**self._length_penalty > self._complete[-1].score
