"""Cache of query results, emptied by every commit to the index."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass

from retrieval.search.query import Result

MEAN_CHUNKS = 20  # average chunks per result; fewer large results are kept, so that memory is bounded too
Scope = str  # what is wanted of the text: Query.canonical


@dataclass(frozen=True, slots=True)
class Hit:
    """A result that was kept, and the query that it was the result of."""

    result: Result
    query: str


@dataclass(slots=True)
class _Entry:
    text: str
    result: Result
    num_chunks: int


class RetrievalCache:
    """At most `max_entries` results of one version of the index, and MEAN_CHUNKS times as many chunks in them; the
    least recently used goes first.
    """

    def __init__(self, max_entries: int = 1000) -> None:
        self._max_entries = max_entries
        self._entries: OrderedDict[tuple[Scope, str], _Entry] = OrderedDict()
        self._version = -1
        self._num_chunks = 0
        self.counts = Counter[str](exact=0, miss=0, evicted=0, invalidated=0)

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
        return Hit(entry.result, entry.text)

    def put(self, version: int, scope: Scope, text: str, result: Result) -> None:
        """Keep a result that was found in the index of `version`; that of an earlier version than is kept is not, nor
        one that is larger than all of them may be.
        """
        self._move_to(version)
        num_chunks, room = _num_chunks(result), MEAN_CHUNKS * self._max_entries
        if version != self._version or num_chunks > room:
            return
        key = scope, normal(text)
        if key in self._entries:
            self._drop(key)
        while len(self._entries) >= self._max_entries or self._num_chunks + num_chunks > room:
            self._drop(next(iter(self._entries)))
            self.counts["evicted"] += 1
        self._entries[key] = _Entry(text, result, num_chunks)
        self._num_chunks += num_chunks

    def _move_to(self, version: int) -> None:
        if version > self._version:
            self.counts["invalidated"] += len(self._entries)
            for key in list(self._entries):
                self._drop(key)
            self._version = version

    def _drop(self, key: tuple[Scope, str]) -> None:
        self._num_chunks -= self._entries.pop(key).num_chunks


def normal(text: str) -> str:
    """Equal for texts that differ in case, spaces and the punctuation at the end only."""
    return " ".join(text.casefold().split()).rstrip(" ?.!")


def _num_chunks(result: Result) -> int:
    return sum(1 + len(hit.before) + len(hit.after) for hit in result.passages)
