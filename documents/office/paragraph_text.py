"""Collects a paragraph's text run by run: spaces, line breaks, links, superscripts, what is struck out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import attrgetter

from documents.inspection import Rise
from documents.text.placed_text import STRIKE_MARK, Mark, Place, PlacedText, Replacement, concatenated
from documents.text.typography import FRACTION, is_of_fraction, plain_fraction, risen

CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff]")
SPACES = re.compile(r"[ \t\xa0\u2000-\u200a\u202f\u3000\r\f\v]+")
EMPTY_LINES = re.compile(r"\n{2,}")
SPACED_BREAK = re.compile(r" *\n *")
SURROGATES = re.compile(r"[\ud800-\udfff]")
ADDRESS = re.compile(r"(?:https?://|mailto:|ftp://)\S", re.IGNORECASE)
MAX_URI_CHARACTERS = 2000
RAISED_MARK = "\ufdd0"  # marks within a text (no characters), until `clean` or `raw` replaces them
LOWERED_MARK = "\ufdd1"
LEVEL_MARK = "\ufdd2"
_SCRIPT_PATTERN = f"([{RAISED_MARK}{LOWERED_MARK}])((?:[^{RAISED_MARK}-{LEVEL_MARK}]|{LEVEL_MARK}\\1)*){LEVEL_MARK}"
SCRIPT = re.compile(_SCRIPT_PATTERN)
_CLEAN_EDITS = (SURROGATES, "\ufffd"), (CONTROLS, ""), (SPACES, " "), (SPACED_BREAK, "\n")
_RAW_EDITS = (SURROGATES, "\ufffd"), (re.compile("\r\n?"), "\n"), (CONTROLS, ""), (re.compile("\t"), "    ")

Edit = tuple[re.Pattern[str], Replacement]
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
        if uri and len(uri) <= MAX_URI_CHARACTERS and ADDRESS.match(uri.strip()):
            self.mark(start, Mark(SURROGATES.sub("", CONTROLS.sub("", uri.strip()))))

    def formula(self, latex: str, text: str) -> None:
        """A formula within the line, and what says it in plain characters."""
        self.add(text)
        self.mark(self.num_characters - len(text), Mark(latex=latex) if latex else None)

    def strike(self, start: int) -> None:
        """Words from character `start` on are struck out."""
        self.mark(start, STRIKE_MARK)

    def mark(self, start: int, mark: Mark | None) -> None:
        """Words from character `start` on have this mark, or are known to have none."""
        if start < self.num_characters:
            self._places.append(Place(0, start, self.num_characters, mark))

    def __bool__(self) -> bool:
        return any(text.strip() for text in self._texts)

    def words(self) -> Words:
        """All of it."""
        text = "".join(self._texts)
        if not self._places and LEVEL_MARK not in text:
            return Words(raw(text) if self._keep_spaces else clean(text))
        raised = (Place(0, one.start(), one.end(), Mark(rise=_rise(one))) for one in SCRIPT.finditer(text))
        words = Words(text, tuple(sorted((*self._places, *raised), key=attrgetter("end"))))
        for pattern, replacement in _edits(text, _RAW_EDITS if self._keep_spaces else _CLEAN_EDITS):
            words = words.replaced(pattern, replacement)
        return _without_level_scripts(words.stripped("\n" if self._keep_spaces else None))


def with_rise(text: str, rise: Rise | None) -> str:
    """A text that is raised or lowered, marked so for `clean`; what follows with the same rise belongs to it."""
    if rise is None or not text:
        return text
    return f"{RAISED_MARK if rise == 'super' else LOWERED_MARK}{CONTROLS.sub('', text)}{LEVEL_MARK}"


def clean(text: str) -> str:
    """Text without characters that nobody sees, and with single spaces; lines stay."""
    for pattern, replacement in _edits(text, _CLEAN_EDITS):
        text = pattern.sub(replacement, text)
    return text.strip()


def joined_words(texts: Iterable[Words], between: str = "\n") -> Words:
    """Those that say something."""
    return concatenated((words for words in texts if words.text), between)


def without_empty_lines(words: Words) -> Words:
    return words.replaced(EMPTY_LINES, "\n")


def raw(text: str) -> str:
    """Text as it stands, lines ended by `\\n`; without characters that nobody sees."""
    for pattern, replacement in _edits(text, _RAW_EDITS[:-1]):
        text = pattern.sub(replacement, text)
    return text.expandtabs(4).strip("\n")


def _without_level_scripts(words: Words) -> Words:
    """Without the rise of all of a text, which is over nothing, and of the figures of a fraction."""
    places = tuple(
        place
        for place in words.places
        if place.mark is None
        or place.mark.rise is None
        or not (is_of_fraction(place, words.text) or place.end - place.start == len(words.text))
    )
    return words if len(places) == len(words.places) else Words(words.text, places)


def _edits(text: str, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits of a text, with those that write what is raised or lowered if anything is."""
    return (*_SCRIPT_EDITS, *edits) if LEVEL_MARK in text else edits


def _script(marked: re.Match[str]) -> str:
    return risen(CONTROLS.sub("", marked[2]), _rise(marked))


def _rise(marked: re.Match[str]) -> Rise:
    return "super" if marked[1] == RAISED_MARK else "sub"


_SCRIPT_EDITS: tuple[Edit, ...] = (
    (re.compile(rf"\A\s*{_SCRIPT_PATTERN}\s*\Z"), lambda whole: whole[2]),  # raised over nothing
    (SCRIPT, _script),
    (FRACTION, plain_fraction),
)
