"""Reads the words of an OpenDocument paragraph, with notes and comments."""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.inspection import Rise
from documents.office.opendocument.opendocument_styles import OpenStyles
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, descendants, name_of
from documents.office.paragraph_text import Words, WordsWriter, joined_words, with_rise
from documents.text.symbol_fonts import in_symbols

MAX_SPACES = 100
INVISIBLE_ELEMENTS = ("tracked-changes", "bookmark", "sequence-decls", "ruby-text")
DRAWING_ELEMENTS = ("frame", "custom-shape", "g")


@dataclass(slots=True)
class OpenText:
    """One paragraph."""

    styles: OpenStyles
    is_struck: bool = False  # what is read now
    words: WordsWriter = field(default_factory=WordsWriter)
    notes: list[Words] = field(default_factory=list[Words])
    comments: list[Words] = field(default_factory=list[Words])
    frames: list[Element] = field(default_factory=list[Element])
    _font: str | None = None  # of the words that are read
    _rise: Rise | None = None

    @classmethod
    def of(cls, paragraph: Element, styles: OpenStyles, cell_style: str | None = None) -> OpenText:
        """`cell_style` is that of the cell around it, where its own does not say more."""
        text = cls(styles, is_struck=styles.strike(cell_style) or False)
        text._font = styles.font(cell_style)
        text._read(paragraph, 0)
        return text

    def _read(self, element: Element, depth: int) -> None:
        style = attribute(element, "style-name")
        if self.styles.hides_text(style):
            self.styles.num_hidden += any(text.strip() for text in element.itertext())
            return
        font, rise, is_struck = self._font, self._rise, self.is_struck
        strike = self.styles.strike(style)
        self._font = self.styles.font(style) or self._font
        self._rise = self.styles.rise(style) or self._rise
        self.is_struck = self.is_struck if strike is None else strike
        self._add(element.text)
        for node in element if depth <= MAX_DEPTH else ():
            self._one(node, depth + 1)
            self._add(node.tail)
        self._font = font
        self._rise = rise
        self.is_struck = is_struck

    def _add(self, text: str | None) -> None:
        self.words.add(with_rise(in_symbols(text or "", self._font), self._rise), struck=self.is_struck)

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
                self.words.add(f"[{sign}]", struck=self.is_struck)
                self.notes.append(joined(child(node, "note-body"), self.styles, f"[{sign}] "))
            case "annotation":
                author = child(node, "creator")
                name = (author.text or "").strip() if author is not None else ""
                self.comments.append(joined(node, self.styles, f"{name}: " if name else ""))
            case name if name in DRAWING_ELEMENTS:
                self.frames.append(node)
            case name if name in INVISIBLE_ELEMENTS:
                return
            case _:
                self._read(node, depth)


def joined(element: Element | None, styles: OpenStyles, before: str = "") -> Words:
    """All paragraphs within, a line each, behind the words `before`."""
    words = joined_words(OpenText.of(paragraph, styles).words.words() for paragraph in descendants(element, "p"))
    return words.after(before) if words.text else words
