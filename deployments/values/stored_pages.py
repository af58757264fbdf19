"""Pages of a job as stored JSON, parsed one by one only when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from documents.values import Page


class Pages(Sequence[Page]):
    """Pages as they lie in the database, as JSON: who wants one reads it, not the store, nor whoever hands them on."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._texts = dict(texts)  # by page number, in order
        self.numbers = tuple(self._texts)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Pages: ...
    def __getitem__(self, index: int | slice) -> Page | Pages:
        numbers = self.numbers[index]
        if isinstance(numbers, tuple):
            return Pages({number: self._texts[number] for number in numbers})
        return Page.model_validate_json(self._texts[numbers])

    def __iter__(self) -> Iterator[Page]:
        return map(Page.model_validate_json, self._texts.values())

    def __len__(self) -> int:
        return len(self._texts)
