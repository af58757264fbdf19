"""Reads the comments of a DOCX: who wrote them and when, the words that they mark, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from documents.office.packages.xml_parsing import Element, attribute, descendants, name_of
from documents.office.packages.zip_package import Package
from documents.office.paragraph_text import clean

MAX_OPEN = 50  # comments that mark words at the same time
MAX_MARKED_CHARACTERS = 2000  # maximum length of the text that a comment marks


class MarkedWords:
    """What comments mark, by their ids; several may mark the same words."""

    def __init__(self) -> None:
        self._open: dict[str, None] = {}
        self._texts: dict[str, list[str]] = {}
        self._lengths: dict[str, int] = {}

    def turn(self, node: Element) -> None:
        """Begin or end what a comment marks, as the element says."""
        name = attribute(node, "id") or ""
        if name_of(node) == "commentRangeStart":
            self._begin(name)
        else:
            self._end(name)

    def _begin(self, name: str) -> None:
        if len(self._open) < MAX_OPEN and name not in self._texts:
            self._open[name] = None
            self._texts[name] = []

    def _end(self, name: str) -> None:
        self._open.pop(name, None)

    def add(self, text: str) -> None:
        """Words that follow in the text, for all comments that are open; a line's end parts words as a space does."""
        for name in list(self._open):
            length = self._lengths.get(name, 0)
            self._texts[name].append(text[: MAX_MARKED_CHARACTERS - length])
            self._lengths[name] = length + len(text)
            if length + len(text) >= MAX_MARKED_CHARACTERS:
                self._end(name)

    def words(self, name: str) -> str:
        return " ".join(clean("".join(self._texts.get(name, ()))).split())


class Answers:
    """Which comment answers which, by the ids of their last paragraphs."""

    def __init__(self, package: Package, related: Mapping[str, str]) -> None:
        """`related` are the parts of the document by the kind of their relation."""
        root = package.soft_xml(related.get("commentsExtended"))
        self._above = {
            attribute(one, "paraId") or "": attribute(one, "paraIdParent") for one in descendants(root, "commentEx")
        }

    def keys(self, comment: Element) -> tuple[str, str | None]:
        """What a comment is known by, and the same of the comment that it answers."""
        paragraphs = list(descendants(comment, "p"))
        key = (attribute(paragraphs[-1], "paraId") or "") if paragraphs else ""
        return key, self._above.get(key) if key else None


def date_of(comment: Element) -> str | None:
    """When it was written, in ISO 8601; None if the file tells no such time."""
    date = attribute(comment, "date") or ""
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return None
    return date
