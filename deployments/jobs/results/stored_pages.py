"""Pages of a job as they lie in the database; a few at a time are read, and parsed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from documents.values import Page

PAGES_READ_AT_ONCE = 16


class StoredPages:
    """Whoever walks through them holds no more than what they keep; walking blocks, as the database does."""

    def __init__(self, read: Callable[[Sequence[int]], list[str]], numbers: Sequence[int]) -> None:
        """`read` gives the JSON of the pages of these numbers."""
        self._read = read
        self.numbers = tuple(numbers)

    def __iter__(self) -> Iterator[Page]:
        for numbers in batches_of(self.numbers):
            yield from map(Page.model_validate_json, self._read(numbers))


def batches_of(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """As many as are read at once, in order."""
    for start in range(0, len(numbers), PAGES_READ_AT_ONCE):
        yield numbers[start : start + PAGES_READ_AT_ONCE]
