"""Stop strings: ends an output and cuts its text at them."""

from __future__ import annotations

from batching.requests.detokenize import Tokenizer


class StopStrings:
    """Finds the first stop string of an output, also across tokens' borders.

    Matches are looked for in the text with special tokens, as transformers' `stop_strings` are; what is shown has none.
    """

    def __init__(self, strings: tuple[str, ...], tokenizer: Tokenizer) -> None:
        self._strings = strings
        self._tokenizer = tokenizer
        self._window: list[int] = []
        # a character may take four tokens, and the first of a window may lose a space
        self._length = 4 * max(map(len, strings)) + 4

    def push(self, token_id: int) -> bool:
        """Whether the output, with this token, holds a stop string."""
        self._window = [*self._window[-self._length :], token_id]
        text = self._tokenizer.decode(self._window, skip_special_tokens=False)
        return any(string in text for string in self._strings)

    def shown(self, output: list[int]) -> str:
        """The text of an output that ended with a stop string, before it."""
        text = self._tokenizer.decode(output, skip_special_tokens=True)
        whole = cut_at(text, self._strings)
        if whole != text:
            return whole
        return self._before_special(output)

    def _before_special(self, output: list[int]) -> str:
        """The same, for a stop string that has special tokens in it: without the tokens that it begins in."""
        length = len(cut_at(self._tokenizer.decode(output, skip_special_tokens=False), self._strings))
        count = len(output)
        while count and len(self._tokenizer.decode(output[:count], skip_special_tokens=False)) > length:
            count -= 1
        return self._tokenizer.decode(output[:count], skip_special_tokens=True) if count else ""


def cut_at(text: str, strings: tuple[str, ...]) -> str:
    """The text before the first of the strings that it holds; all of it if it holds none."""
    offsets = [index for index in map(text.find, strings) if index >= 0]
    return text[: min(offsets)] if offsets else text


def safe_prefix_length(text: str, strings: tuple[str, ...]) -> int:
    """How many characters cannot belong to a stop string that has not come to its end yet."""
    longest = max(map(len, strings), default=1) - 1
    for count in range(min(longest, len(text)), 0, -1):
        if any(string.startswith(text[-count:]) for string in strings):
            return len(text) - count
    return len(text)
