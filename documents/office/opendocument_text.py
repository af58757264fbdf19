"""Reads the words of an OpenDocument paragraph, with notes and comments."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.office.opendocument_styles import OpenStyles
from documents.office.paragraph_text import Words, WordsWriter, joined_words
from documents.office.unpack_limits import MAX_DEPTH
from documents.office.xml_parsing import Element, attribute, child, descendants, name_of

MAX_SPACES = 100
UNSEEN = ("tracked-changes", "bookmark", "sequence-decls", "ruby-text")
DRAWN = ("frame", "custom-shape", "g")


@dataclass(slots=True)
class OpenText:
    """One paragraph."""

    styles: OpenStyles
    is_struck: bool = False  # what is read now
    words: WordsWriter = field(default_factory=WordsWriter)
    notes: list[Words] = field(default_factory=list[Words])
    comments: list[Words] = field(default_factory=list[Words])
    frames: list[Element] = field(default_factory=list[Element])

    @classmethod
    def of(cls, paragraph: Element, styles: OpenStyles, cell_style: str | None = None) -> OpenText:
        """`cell_style` is that of the cell around it, where its own does not say more."""
        text = cls(styles, is_struck=styles.strike(cell_style) or False)
        text._read(paragraph, 0)
        return text

    def _read(self, element: Element, depth: int) -> None:
        strike = self.styles.strike(attribute(element, "style-name"))
        outer, self.is_struck = self.is_struck, self.is_struck if strike is None else strike
        self._add(element.text)
        for node in element if depth <= MAX_DEPTH else ():
            self._one(node, depth + 1)
            self._add(node.tail)
        self.is_struck = outer

    def _add(self, text: str | None) -> None:
        self.words.add(text, struck=self.is_struck)

    def _one(self, node: Element, depth: int) -> None:
        match name_of(node):
            case "s":
                count = attribute(node, "c") or "1"
                self._add(" " * min(MAX_SPACES, int(count) if count.isdecimal() and len(count) < 5 else 1))
            case "tab":
                self._add("\t")
            case "line-break":
                self._add("\n")
            case "a":
                start = self.words.num_characters
                self._read(node, depth)
                self.words.link(start, attribute(node, "href"))
            case "note":
                citation = child(node, "note-citation")
                sign = "".join(citation.itertext()) if citation is not None else ""
                self._add(f"[{sign}]")
                self.notes.append(joined(child(node, "note-body"), self.styles, f"[{sign}] "))
            case "annotation":
                author = child(node, "creator")
                name = (author.text or "").strip() if author is not None else ""
                self.comments.append(joined(node, self.styles, f"{name}: " if name else ""))
            case name if name in DRAWN:
                self.frames.append(node)
            case name if name in UNSEEN:
                return
            case _:
                self._read(node, depth)


def joined(element: Element | None, styles: OpenStyles, before: str = "") -> Words:
    """All paragraphs within, a line each, behind the words `before`."""
    words = joined_words(OpenText.of(paragraph, styles).words.words() for paragraph in descendants(element, "p"))
    return words.after(before) if words.text else words
