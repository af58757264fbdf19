"""Collects a paragraph's text run by run: spaces, line breaks, links, what is struck out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from documents.text.placed_text import STRUCK, Mark, Place, PlacedText, concatenated

CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
SPACES = re.compile(r"[ \t\xa0\u2000-\u200a\u202f\u3000\r\f\v]+")
EMPTY_LINES = re.compile(r"\n{2,}")
AROUND_BREAK = re.compile(r" *\n *")
SURROGATES = re.compile(r"[\ud800-\udfff]")
ADDRESS = re.compile(r"(?:https?://|mailto:|ftp://)\S", re.IGNORECASE)
MAX_URI = 2000  # characters
_CLEAN = (SURROGATES, "\ufffd"), (CONTROLS, ""), (SPACES, " "), (AROUND_BREAK, "\n")
_RAW = (SURROGATES, "\ufffd"), (re.compile("\r\n?"), "\n"), (CONTROLS, ""), (re.compile("\t"), "    ")

Words = PlacedText  # of a paragraph, with its links and what is struck out of it


class WordsWriter:
    """Runs of one paragraph; white space is one space, line breaks stay."""

    def __init__(self, *, keep_spaces: bool = False) -> None:
        self._texts: list[str] = []
        self._places: list[Place] = []
        self._keep_spaces = keep_spaces
        self.num_characters = 0

    def add(self, text: str | None, *, struck: bool = False) -> None:
        if text:
            self._texts.append(text)
            self.num_characters += len(text)
            if struck:
                self.strike(self.num_characters - len(text))

    def link(self, start: int, uri: str | None) -> None:
        """Words from character `start` on lead to an address; others than of the web and of mail lead nowhere."""
        if uri and len(uri) <= MAX_URI and ADDRESS.match(uri.strip()):
            self.mark(start, Mark(SURROGATES.sub("", CONTROLS.sub("", uri.strip()))))

    def strike(self, start: int) -> None:
        """Words from character `start` on are struck out."""
        self.mark(start, STRUCK)

    def mark(self, start: int, mark: Mark | None) -> None:
        """Words from character `start` on have this mark, or are known to have none."""
        if start < self.num_characters:
            self._places.append(Place(0, start, self.num_characters, mark))

    def __bool__(self) -> bool:
        return any(text.strip() for text in self._texts)

    def words(self) -> Words:
        """All of it."""
        text = "".join(self._texts)
        if not self._places:
            return Words(raw(text) if self._keep_spaces else clean(text))
        words = Words(text, tuple(self._places))
        for pattern, replacement in _RAW if self._keep_spaces else _CLEAN:
            words = words.replaced(pattern, replacement)
        return words.stripped("\n" if self._keep_spaces else None)


def clean(text: str) -> str:
    """Text without characters that nobody sees, and with single spaces; lines stay."""
    for pattern, replacement in _CLEAN:
        text = pattern.sub(replacement, text)
    return text.strip()


def joined_words(texts: Iterable[Words], between: str = "\n") -> Words:
    """Those that say something."""
    return concatenated((words for words in texts if words.text), between)


def without_empty_lines(words: Words) -> Words:
    return words.replaced(EMPTY_LINES, "\n")


def raw(text: str) -> str:
    """Text as it stands, lines ended by `\\n`; without characters that nobody sees."""
    text = CONTROLS.sub("", SURROGATES.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))
    return text.expandtabs(4).strip("\n")
