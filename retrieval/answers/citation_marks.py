"""Finds citation marks such as [1] in a streamed answer; marks that name no passage are removed."""

from __future__ import annotations

import re

NUMBER = r"\d{1,4}"
MARK = re.compile(rf" ?\[\s*({NUMBER}(?:\s*[,;–-]\s*{NUMBER})*)\s*\]")
MAX_MARK_CHARACTERS = 60  # a longer text in brackets is no citation mark
# the end of a text, if a mark may have started there
MARK_START = re.compile(rf" ?(?:\[[\d\s,;–-]{{0,{MAX_MARK_CHARACTERS}}})?\Z")


class CitationMarks:
    """Marks such as `[1]`, `[1, 3]` and `[2-4]` in an answer that is written from passages 1 to `num_passages`.

    The texts handed out, joined, do not depend on how the text was cut into pieces.
    """

    def __init__(self, num_passages: int) -> None:
        self._num_passages = num_passages
        self._held = ""  # what may be the beginning of a mark
        self._cited: dict[int, None] = {}
        self._dropped: dict[str, None] = {}

    @property
    def cited(self) -> tuple[int, ...]:
        """The passages that were named, in the order of their first mention."""
        return tuple(self._cited)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The numbers that named no passage."""
        return tuple(self._dropped)

    def push(self, piece: str) -> str:
        """What is certain with this piece; a mark that names a passage becomes `[1]`, several as `[1][3]`."""
        text = self._held + piece
        partial_mark = MARK_START.search(text)
        assert partial_mark is not None  # it may be empty
        self._held = text[partial_mark.start() :]
        return MARK.sub(self._kept_mark, text[: partial_mark.start()])

    def finish(self) -> str:
        """The rest of the text."""
        rest, self._held = self._held, ""
        return rest

    def _kept_mark(self, mark: re.Match[str]) -> str:
        numbers = _numbers(mark[1], self._num_passages)
        self._dropped |= dict.fromkeys(str(number) for number in numbers if not 1 <= number <= self._num_passages)
        cited = dict.fromkeys(number for number in numbers if 1 <= number <= self._num_passages)
        self._cited |= cited
        space = " " if cited and mark[0].startswith(" ") else ""
        return space + "".join(f"[{number}]" for number in cited)


def _numbers(mark: str, highest: int) -> list[int]:
    """The numbers of a mark; a range names all between, as far as there are passages, and its ends in any case."""
    numbers: list[int] = []
    for part in re.split(r"[,;]", mark):
        ends = [int(digits) for digits in re.findall(NUMBER, part)]
        first, last = ends[0], ends[-1]
        numbers += [first, *range(first + 1, min(last, highest + 1)), *([last] if last != first else [])]
    return numbers
