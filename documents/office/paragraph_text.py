"""Collects a paragraph's text run by run: spaces, line breaks, links, superscripts."""

from __future__ import annotations

import re
from typing import NamedTuple

from documents.inspection import Rise
from documents.text.typography import risen, with_fractions
from documents.values import Link

CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff]")
SPACES = re.compile(r"[ \t\xa0\u2000-\u200a\u202f\u3000\r\f\v]+")
AROUND_BREAK = re.compile(r" *\n *")
SURROGATES = re.compile(r"[\ud800-\udfff]")
ADDRESS = re.compile(r"(?:https?://|mailto:|ftp://)\S", re.IGNORECASE)
MAX_URI = 2000  # characters
RAISED, LOWERED, LEVEL = "\ufdd0", "\ufdd1", "\ufdd2"  # marks within a text (no characters), up to `clean` or `raw`
RISEN = re.compile(f"([{RAISED}{LOWERED}])((?:[^{RAISED}-{LEVEL}]|{LEVEL}\\1)*){LEVEL}")


class Words(NamedTuple):
    """A text on lines of its own, and its links in their order."""

    text: str
    links: tuple[Link, ...] = ()

    @property
    def on_one_line(self) -> Words:
        return Words(" ".join(self.text.split()), tuple(_flat(link) for link in self.links))


class WordsWriter:
    """Runs of one paragraph; white space is one space, line breaks stay."""

    def __init__(self, *, keep_spaces: bool = False) -> None:
        self._texts: list[str] = []
        self._links: list[Link] = []
        self._keep_spaces = keep_spaces
        self.num_characters = 0

    def add(self, text: str | None) -> None:
        if text:
            self._texts.append(text)
            self.num_characters += len(text)

    def link(self, text: str, uri: str | None) -> None:
        """Words that lead to an address; others than of the web and of mail lead nowhere."""
        self.add(text)
        self.note_link(text, uri)

    def note_link(self, text: str, uri: str | None) -> None:
        """That words which were added lead there."""
        words = clean(text)
        if words and uri and len(uri) <= MAX_URI and ADDRESS.match(uri.strip()):
            self._links.append(Link(text=words, uri=SURROGATES.sub("", CONTROLS.sub("", uri.strip()))))

    def text_from(self, mark: int) -> str:
        """What was added since `len(writer)` was `mark`."""
        return "".join(self._texts[mark:])

    def __len__(self) -> int:
        return len(self._texts)

    def __bool__(self) -> bool:
        return any(text.strip() for text in self._texts)

    def words(self) -> Words:
        """All of it."""
        text = "".join(self._texts)
        return Words(raw(text) if self._keep_spaces else clean(text), tuple(self._links))


def with_rise(text: str, rise: Rise | None) -> str:
    """A text that is raised or lowered, marked so for `clean`; what follows with the same rise belongs to it."""
    if rise is None or not text:
        return text
    return f"{RAISED if rise == 'super' else LOWERED}{CONTROLS.sub('', text)}{LEVEL}"


def clean(text: str) -> str:
    """Text without characters that nobody sees, and with single spaces; lines stay."""
    text = SPACES.sub(" ", CONTROLS.sub("", SURROGATES.sub("\ufffd", _with_scripts(text))))
    return AROUND_BREAK.sub("\n", text).strip()


def raw(text: str) -> str:
    """Text as it stands, lines ended by `\\n`; without characters that nobody sees."""
    text = CONTROLS.sub("", SURROGATES.sub("\ufffd", _with_scripts(text).replace("\r\n", "\n").replace("\r", "\n")))
    return text.expandtabs(4).strip("\n")


def _with_scripts(text: str) -> str:
    """The text with what is raised or lowered in characters that show it; not where nothing stands on the line."""
    if LEVEL not in text:
        return text
    if RISEN.fullmatch(text.strip()):
        return text
    return with_fractions(RISEN.sub(_script, text))


def _script(marked: re.Match[str]) -> str:
    return risen(CONTROLS.sub("", marked[2]), "super" if marked[1] == RAISED else "sub")


def _flat(link: Link) -> Link:
    return link.model_copy(update={"text": " ".join(link.text.split())})
