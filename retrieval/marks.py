"""Citation marks of a text that comes piece by piece: one that names no passage is left out of it, and remembered."""

from __future__ import annotations

import re

NUMBER = r"\d{1,4}"
MARK = re.compile(rf" ?\[\s*({NUMBER}(?:\s*[,;–-]\s*{NUMBER})*)\s*\]")
MAX_HELD = 60  # characters that may turn out to be a mark; a longer one is none
BEGUN = re.compile(rf" ?(?:\[[\d\s,;–-]{{0,{MAX_HELD}}})?\Z")  # the end of a text, where a mark may have begun


class Marks:
    """Marks such as `[1]`, `[1, 3]` and `[2-4]` in the text of an answer that was given passages 1 to `num_passages`.

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
        """What is certain with this piece; each mark that names a passage is told as `[1]`, several as `[1][3]`."""
        text = self._held + piece
        begun = BEGUN.search(text)
        assert begun is not None  # it may be empty
        self._held = text[begun.start() :]
        return MARK.sub(self._told, text[: begun.start()])

    def finish(self) -> str:
        """The rest of the text."""
        rest, self._held = self._held, ""
        return rest

    def _told(self, mark: re.Match[str]) -> str:
        numbers = _numbers(mark[1], self._num_passages)
        self._dropped |= dict.fromkeys(str(each) for each in numbers if not 1 <= each <= self._num_passages)
        kept = dict.fromkeys(each for each in numbers if 1 <= each <= self._num_passages)
        self._cited |= kept
        blank = " " if kept and mark[0].startswith(" ") else ""
        return blank + "".join(f"[{each}]" for each in kept)


def _numbers(told: str, highest: int) -> list[int]:
    """The numbers of a mark; a range names all between, as far as there are passages, and its ends in any case."""
    numbers: list[int] = []
    for part in re.split(r"[,;]", told):
        ends = [int(each) for each in re.findall(NUMBER, part)]
        first, last = ends[0], ends[-1]
        numbers += [first, *range(first + 1, min(last, highest + 1)), *([last] if last != first else [])]
    return numbers
