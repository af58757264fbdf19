"""Speculative decoding: proposes draft tokens from what followed the same tokens earlier (prompt lookup)."""

from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Protocol

RUN_LENGTHS = (3, 2)
"""Lengths in tokens of the runs that are looked up, the longest first."""


class Drafter(Protocol):
    """Of one sequence; a wrong draft costs time and changes nothing, for the model verifies each."""

    def propose(self, tokens: Items[int], count: int) -> list[int]:
        """At most `count` tokens that may follow `tokens`, which begin with those of the call before."""
        ...


class PromptLookup:
    """Goes on as the text did when its last tokens occurred before, in the prompt or the output.

    The method of https://github.com/apoorvumang/prompt-lookup-decoding.
    """

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], int] = {}  # by run of tokens: what follows its latest occurrence
        self._num_indexed = 0

    def propose(self, tokens: Items[int], count: int) -> list[int]:
        """See `Drafter.propose`."""
        self._index(tokens)
        for size in RUN_LENGTHS:
            index = self._places.get(tuple(tokens[-size:]))
            if index is not None:
                period = len(tokens) - index  # a text that repeats itself goes on beyond its end
                return [tokens[index + offset % period] for offset in range(count)]
        return []

    def _index(self, tokens: Items[int]) -> None:
        for index in range(self._num_indexed, len(tokens)):
            for size in RUN_LENGTHS:
                if index >= size:
                    self._places[tuple(tokens[index - size : index])] = index
        self._num_indexed = len(tokens)
