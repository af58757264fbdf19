"""Speculative decoding: proposes a text that something else has read already, from where the output stands in it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence as Items

from batching.requests.ctc_columns import Draft

MIN_LIKELIHOOD = 0.8  # of a proposal, that all of it is right; a lower one saves more steps and costs more rows
MAX_DISTANCE = 4  # tokens before and behind the last match, among which the text is picked up again after a difference
NUM_EQUAL_TOKENS = 3  # tokens in a row that agree: the place is sure again
MAX_MISSES = 8  # proposals in a row of which nothing was right: no more are made


class TextDraft:
    """A `Drafter` of one sequence, whose output begins behind its first `num_prompt` tokens.

    Output and draft are aligned by edit distance: a token that the draft lacks, has too much or has otherwise costs one
    step, and what follows is proposed again.
    """

    def __init__(self, draft: Draft, num_prompt: int) -> None:
        self._draft = draft
        self._num_aligned = num_prompt  # tokens of the sequence
        self._place = 0  # in the draft, of the next token
        self._costs: dict[int, int] = {}  # edits by place, while that is not sure
        self._num_equal = 0  # tokens since the last difference
        self._num_misses = 0
        self._first = -1  # token that the last proposal began with

    @property
    def given_up(self) -> bool:
        """Whether it makes no more proposals."""
        return self._num_misses >= MAX_MISSES

    def propose(self, tokens: Items[int], count: int) -> list[int]:
        """See `Drafter.propose`."""
        if self._first >= 0 and len(tokens) > self._num_aligned:
            hit = tokens[self._num_aligned] == self._first
            self._num_misses = 0 if hit else self._num_misses + 1
        self._first = -1
        for token in tokens[self._num_aligned :]:
            self._align(token)
        self._num_aligned = len(tokens)
        if self.given_up:
            return []
        likely = itertools.accumulate(self._draft.probabilities[self._place : self._place + count], float.__mul__)
        num_likely = sum(1 for _ in itertools.takewhile(lambda chance: chance >= MIN_LIKELIHOOD, likely))
        proposed = list(self._draft.token_ids[self._place : self._place + num_likely])
        if proposed:
            self._first = proposed[0]
        return proposed

    def _align(self, token: int) -> None:
        """Take one token of the output in."""
        draft = self._draft.token_ids
        agrees = self._place < len(draft) and draft[self._place] == token
        if agrees and not self._costs:
            self._place += 1
            return
        if not self._costs:
            low, high = max(0, self._place - MAX_DISTANCE), min(len(draft), self._place + MAX_DISTANCE)
            self._costs = {place: abs(place - self._place) for place in range(low, high + 1)}
        self._num_equal = self._num_equal + 1 if agrees else 0
        self._costs = self._costs_after(token)
        self._place = min(self._costs, key=lambda place: (self._costs[place], abs(place - self._place - 1)))
        if self._num_equal >= NUM_EQUAL_TOKENS:
            self._costs = {}

    def _costs_after(self, token: int) -> dict[int, int]:
        """Edits between the output with `token` and the draft up to each place near the best one."""
        draft, before = self._draft.token_ids, self._costs
        far = len(draft) + len(before) + 1
        costs: dict[int, int] = {}
        for place in range(min(before), min(max(before) + 1, len(draft)) + 1):
            replaced = before.get(place - 1, far) + (place == 0 or draft[place - 1] != token)
            costs[place] = min(replaced, before.get(place, far) + 1, costs.get(place - 1, far) + 1)
        best = min(costs, key=costs.__getitem__)
        return {place: cost for place, cost in costs.items() if abs(place - best) <= MAX_DISTANCE}
