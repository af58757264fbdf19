"""Pages of a job as they lie in the database; a few at a time are read, and parsed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from documents.values import Page

PAGES_READ_AT_ONCE = 16
ReadTexts = Callable[[Sequence[int]], list[str]]  # the JSON of the pages of these numbers


class StoredPages(Sequence[Page]):
    """Whoever walks through them holds no more than what they keep; walking blocks, as the database does."""

    def __init__(self, read: ReadTexts, numbers: Sequence[int]) -> None:
        self._read = read
        self.numbers = tuple(numbers)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> StoredPages: ...
    def __getitem__(self, index: int | slice) -> Page | StoredPages:
        numbers = self.numbers[index]
        if isinstance(numbers, tuple):
            return StoredPages(self._read, numbers)
        return Page.model_validate_json(self._read([numbers])[0])

    def __iter__(self) -> Iterator[Page]:
        for batch in self.batches():
            yield from map(Page.model_validate_json, batch())

    def __len__(self) -> int:
        return len(self.numbers)

    def batches(self) -> Iterator[Callable[[], list[str]]]:
        """Calls that read the JSON of a few pages each, in order."""
        for start in range(0, len(self.numbers), PAGES_READ_AT_ONCE):
            numbers = self.numbers[start : start + PAGES_READ_AT_ONCE]
            yield lambda numbers=numbers: self._read(numbers)
