"""Reads the words of an OpenDocument paragraph, with notes and comments."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.office.paragraph_text import Words, WordsWriter, joined_lines
from documents.office.unpack_limits import MAX_DEPTH
from documents.office.xml_parsing import Element, attribute, child, descendants, name_of

MAX_SPACES = 100
UNSEEN = ("tracked-changes", "bookmark", "sequence-decls", "ruby-text")
DRAWN = ("frame", "custom-shape", "g")


@dataclass(slots=True)
class OpenText:
    """One paragraph."""

    words: WordsWriter = field(default_factory=WordsWriter)
    notes: list[Words] = field(default_factory=list[Words])
    comments: list[Words] = field(default_factory=list[Words])
    frames: list[Element] = field(default_factory=list[Element])

    @classmethod
    def of(cls, paragraph: Element) -> OpenText:
        text = cls()
        text._read(paragraph, 0)
        return text

    def _read(self, element: Element, depth: int) -> None:
        self.words.add(element.text)
        for node in element if depth <= MAX_DEPTH else ():
            self._one(node, depth + 1)
            self.words.add(node.tail)

    def _one(self, node: Element, depth: int) -> None:
        match name_of(node):
            case "s":
                count = attribute(node, "c") or "1"
                self.words.add(" " * min(MAX_SPACES, int(count) if count.isdecimal() and len(count) < 5 else 1))
            case "tab":
                self.words.add("\t")
            case "line-break":
                self.words.add("\n")
            case "a":
                start = self.words.num_characters
                self._read(node, depth)
                self.words.link(start, attribute(node, "href"))
            case "note":
                citation = child(node, "note-citation")
                sign = "".join(citation.itertext()) if citation is not None else ""
                self.words.add(f"[{sign}]")
                self.notes.append(joined(child(node, "note-body"), f"[{sign}] "))
            case "annotation":
                author = child(node, "creator")
                name = (author.text or "").strip() if author is not None else ""
                self.comments.append(joined(node, f"{name}: " if name else ""))
            case name if name in DRAWN:
                self.frames.append(node)
            case name if name in UNSEEN:
                return
            case _:
                self._read(node, depth)


def joined(element: Element | None, before: str = "") -> Words:
    """All paragraphs within, a line each, behind the words `before`."""
    words = joined_lines(OpenText.of(paragraph).words.words() for paragraph in descendants(element, "p"))
    return words.after(before) if words.text else words
