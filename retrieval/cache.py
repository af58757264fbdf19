"""Results of earlier queries, given again only while the index is what it was: a commit empties the cache."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retrieval.search import Result
from retrieval.vectors import Vectors

Tier = Literal["exact", "semantic"]
NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
NAMES = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w'-]*")  # capitals that do not open the query
NEGATIONS = re.compile(r"\b(?:not?|never|none|without|nor|neither|except|un(?:less|til)|\w+n't)\b", re.I)
CHUNKS = 20  # of a result on average: of large ones fewer are kept, so that memory is bounded too
Scope = str  # what is wanted of the text: Query.canonical


@dataclass(frozen=True, slots=True)
class Hit:
    """A result that was kept, and why it is given."""

    result: Result
    tier: Tier
    query: str  # that it was the result of
    similarity: float = 1.0  # cosine of both queries


@dataclass(slots=True)
class _Entry:
    text: str
    result: Result
    slot: int
    num_chunks: int


class RetrievalCache:
    """At most `max_entries` results of one version of the index, and CHUNKS times as many chunks in them; the least
    recently used goes first.
    """

    def __init__(self, max_entries: int = 1000, semantic_threshold: float | None = None) -> None:
        self._max_entries, self._threshold = max_entries, semantic_threshold
        self._entries: OrderedDict[tuple[Scope, str], _Entry] = OrderedDict()
        self._version, self._num_chunks = -1, 0
        self._matrix = np.zeros((0, 0), np.float32)  # a slot's row is zero where the entry has no vector
        self._keys: list[tuple[Scope, str] | None] = [None] * max_entries
        self._free = list(range(max_entries - 1, -1, -1))
        self.counts = Counter[str](exact=0, semantic=0, miss=0, evicted=0, invalidated=0)

    def __len__(self) -> int:
        return len(self._entries)

    def exact(self, version: int, scope: Scope, text: str) -> Hit | None:
        """The result of the same words, for the index of this version."""
        self._move_to(version)
        entry = self._entries.get((scope, normal(text))) if version == self._version else None
        if entry is None:
            return None
        self._entries.move_to_end((scope, normal(text)))
        self.counts["exact"] += 1
        return Hit(entry.result, "exact", entry.text)

    def semantic(self, version: int, scope: Scope, text: str, vectors: Vectors) -> Hit | None:
        """The result of the nearest query of the same scope, if it is near enough and differs in no number, name or
        negation; always None without a threshold.
        """
        self._move_to(version)
        if self._threshold is None or version != self._version or self._matrix.shape[1] != vectors.dimension:
            return None
        cosines = self._matrix @ vectors.values[0]
        for slot in np.argsort(-cosines):
            if cosines[slot] < self._threshold:
                return None
            key = self._keys[slot]
            if key is not None and key[0] == scope and same_facts(self._entries[key].text, text):
                self._entries.move_to_end(key)
                self.counts["semantic"] += 1
                return Hit(self._entries[key].result, "semantic", self._entries[key].text, float(cosines[slot]))
        return None

    def put(self, version: int, scope: Scope, text: str, vectors: Vectors | None, result: Result) -> None:
        """Keep a result that was found in the index of `version`; that of an earlier version than is kept is not, nor
        one that is larger than all of them may be.
        """
        self._move_to(version)
        num_chunks, room = _num_chunks(result), CHUNKS * self._max_entries
        if version != self._version or num_chunks > room:
            return
        key = scope, normal(text)
        if key in self._entries:
            self._drop(key)
        while len(self._entries) >= self._max_entries or self._num_chunks + num_chunks > room:
            self._drop(next(iter(self._entries)))
            self.counts["evicted"] += 1
        slot = self._free.pop()
        self._entries[key], self._keys[slot] = _Entry(text, result, slot, num_chunks), key
        self._num_chunks += num_chunks
        if vectors is not None and self._threshold is not None:
            if self._matrix.shape[1] != vectors.dimension:
                self._matrix = np.zeros((self._max_entries, vectors.dimension), np.float32)
            self._matrix[slot] = vectors.values[0]

    def _move_to(self, version: int) -> None:
        if version > self._version:
            self.counts["invalidated"] += len(self._entries)
            for key in list(self._entries):
                self._drop(key)
            self._version = version

    def _drop(self, key: tuple[Scope, str]) -> None:
        entry = self._entries.pop(key)
        self._num_chunks -= entry.num_chunks
        self._keys[entry.slot] = None
        self._free.append(entry.slot)
        if self._matrix.size:
            self._matrix[entry.slot] = 0


def normal(text: str) -> str:
    """Equal for texts that differ in case, blanks and the punctuation at the end only."""
    return " ".join(text.casefold().split()).rstrip(" ?.!")


def same_facts(one: str, other: str) -> bool:
    """Whether two queries name the same numbers, names and negations: vectors hardly tell them apart."""
    return all(_found(facts, one) == _found(facts, other) for facts in (NUMBERS, NAMES, NEGATIONS))


def _num_chunks(result: Result) -> int:
    return sum(1 + len(hit.before) + len(hit.after) for hit in result.passages)


def _found(facts: re.Pattern[str], text: str) -> list[str]:
    return sorted(each.casefold() for each in facts.findall(text.strip()))
