"""Reads an HTML page: visible blocks with their XPaths; scripts and hidden parts are left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, descendants, name_of
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, WordsWriter, clean, without_empty_lines
from documents.office.web.html_parsing import parsed_html
from documents.office.web.web_names import BLOCK_ELEMENTS, INVISIBLE_ELEMENTS
from documents.office.web.web_tables import WebTable
from documents.office.web.web_text import is_hidden, is_struck, replaced_text, write_text, write_type
from documents.office.word.word_styles import BULLET, written_number
from documents.places import Place

FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
MAX_LIST_LEVEL = 9
NamePlace = Callable[[str, int, int], Place]  # of an element's path and characters of its text
NamePicture = Callable[[str], str | None]  # of an address in the page to a picture inside the file


@dataclass(slots=True)
class _Container:
    """An element whose own words are gathered, up to its next block."""

    path: str
    words: WordsWriter = field(default_factory=WordsWriter)
    counts: dict[str, int] = field(default_factory=dict[str, int])
    num_characters: int = 0  # of its text so far, blocks parted by one
    pictures: list[tuple[str | None, str, str]] = field(default_factory=list[tuple[str | None, str, str]])


@dataclass(slots=True)
class _List:
    is_ordered: bool
    form: str
    number: int


class WebPage:
    """Writes the blocks of one page."""

    def __init__(self, writer: PageWriter, place: NamePlace, picture: NamePicture) -> None:
        self._writer = writer
        self._place = place
        self._picture = picture
        self._lists: list[_List] = []
        self._marker: str | None = None  # of the item whose first words come now
        self._num_struck = 0  # open blocks that are struck out

    def read(self, text: str) -> None:
        """Write all that the page says. Raises TooLargeUnpacked."""
        root = parsed_html(text)
        if root is not None:
            write_type(root)
            self._block(root, f"/{name_of(root)}", 0)

    def _block(self, element: Element, path: str, depth: int) -> int:
        """Write an element with its own words and the blocks in it; how many characters of text it has."""
        here = _Container(path)
        here.words.add(element.text)
        for node in element:
            self._child(node, here, depth)
            here.words.add(node.tail)
        self._flush(here)
        return here.num_characters

    def _child(self, element: Element, here: _Container, depth: int) -> None:
        name = name_of(element)
        here.counts[name] = here.counts.get(name, 0) + 1
        if not name or name in INVISIBLE_ELEMENTS or is_hidden(element):
            return
        path = f"{here.path}/{name}[{here.counts[name]}]"
        if depth > MAX_DEPTH:
            here.words.add("\n")
            write_text(element, here.words)
            here.words.add("\n")
        elif name in BLOCK_ELEMENTS or _holds_blocks(element):
            self._flush(here)
            self._num_struck += is_struck(element)
            here.num_characters += self._named(name, element, path, depth + 1) + 1
            self._num_struck -= is_struck(element)
        else:
            self._inline(name, element, path, here, depth + 1)

    def _inline(self, name: str, element: Element, path: str, here: _Container, depth: int) -> None:
        if depth > MAX_DEPTH:
            write_text(element, here.words)
            return
        match name:
            case "br":
                here.words.add("\n")
            case "wbr":
                here.words.add("\u200b")
            case "img":
                source = attribute(element, "src") or ""
                here.pictures.append((self._picture(source), attribute(element, "alt") or "", path))
            case "input" | "math":
                here.words.add(replaced_text(element, name))
            case _:
                start = here.words.num_characters
                edge = "\n" if name in BLOCK_ELEMENTS else " " if name == "button" else ""
                here.words.add(edge + (element.text or ""))
                counts: dict[str, int] = {}
                for inner in element:
                    kind = name_of(inner)
                    counts[kind] = counts.get(kind, 0) + 1
                    if kind and kind not in INVISIBLE_ELEMENTS and not is_hidden(inner):
                        self._inline(kind, inner, f"{path}/{kind}[{counts[kind]}]", here, depth + 1)
                    here.words.add(inner.tail)
                here.words.add(edge)
                if is_struck(element):
                    here.words.strike(start)
                if name == "a":
                    here.words.link(start, attribute(element, "href"))

    def _named(self, name: str, element: Element, path: str, depth: int) -> int:
        match name:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                return self._heading(element, int(name[1]), path, depth)
            case "pre":
                listing = WordsWriter(keep_spaces=True)
                write_text(element, listing)
                words = self._finished(listing)
                self._writer.code(words, self._place(path, 0, len(words.text)))
                return len(words.text)
            case "ul" | "ol" | "menu" | "dir":
                return self._list(element, name, path, depth)
            case "li":
                return self._item(element, path, depth)
            case "table":
                return self._table(element, path, depth)
            case "figcaption":
                words = self._words(element, path, depth)
                self._writer.caption(words.on_one_line, "figure_caption", self._place(path, 0, len(words.text)))
                return len(words.text)
            case "hr":
                return 0
            case _:
                return self._block(element, path, depth)

    def _heading(self, element: Element, level: int, path: str, depth: int) -> int:
        words = self._words(element, path, depth)
        self._writer.heading(words, level, self._place(path, 0, len(words.text)))
        return len(words.text)

    def _words(self, element: Element, path: str, depth: int) -> Words:
        """All words in an element, one line per block; its pictures are written."""
        here = _Container(path)
        self._inline("span", element, path, here, depth)
        self._pictures(here)
        return self._finished(here.words)

    def _list(self, element: Element, name: str, path: str, depth: int) -> int:
        start = attribute(element, "start") or "1"
        number = int(start) if start.isdecimal() and len(start) < 7 else 1
        self._lists.append(_List(name == "ol", FORMS.get(attribute(element, "type") or "", "decimal"), number))
        marker, self._marker = self._marker, None
        length = self._block(element, path, depth)
        self._lists.pop()
        self._marker = marker
        return length

    def _item(self, element: Element, path: str, depth: int) -> int:
        series = self._lists[-1] if self._lists else _List(is_ordered=False, form="decimal", number=1)
        value = attribute(element, "value") or ""
        series.number = int(value) if value.isdecimal() and len(value) < 7 else series.number
        before, self._marker = self._marker, BULLET
        if series.is_ordered:
            self._marker = f"{written_number(series.number, series.form)}."
        series.number += 1
        length = self._block(element, path, depth)
        self._marker = before
        return length

    def _table(self, element: Element, path: str, depth: int) -> int:
        table = WebTable.of(element)
        if table is None:
            return self._block(element, path, depth)
        here = _Container(path)
        grid = table.table(lambda cell: self._cell(cell, path, here))
        for caption in table.captions:
            words = self._words(caption, f"{path}/caption[1]", depth)
            self._writer.caption(words.on_one_line, "table_caption", self._place(f"{path}/caption[1]", 0, 0))
        length = sum(len(cell.text) + 1 for cell in grid.cells) if grid is not None else 0
        self._writer.table(grid, self._place(path, 0, length))
        self._pictures(here)
        return length

    def _cell(self, cell: Element, path: str, here: _Container) -> Words:
        """The text of a cell, one line per block."""
        for picture in cell.iter("{*}img", "img"):
            here.pictures.append(
                (self._picture(attribute(picture, "src") or ""), attribute(picture, "alt") or "", path)
            )
        words = WordsWriter()
        write_text(cell, words)
        if any(map(is_struck, cell.iterancestors("tr", "thead", "tbody", "tfoot"))):
            words.strike(0)
        return without_empty_lines(self._finished(words))

    def _flush(self, here: _Container) -> None:
        """Write the words that were gathered: a paragraph, or the first of a list's item."""
        words = self._finished(here.words)
        here.words = WordsWriter()
        if words.text:
            length = len(words.text)
            place = self._place(here.path, here.num_characters, here.num_characters + length)
            here.num_characters += length + 1
            if self._marker is not None:
                level = max(1, min(MAX_LIST_LEVEL, len(self._lists)))
                self._writer.item(words, self._marker, level, place)
                self._marker = None
            else:
                self._writer.paragraph(words, place)
        self._pictures(here)

    def _finished(self, words: WordsWriter) -> Words:
        """All of it, struck out if its block is."""
        if self._num_struck:
            words.strike(0)
        return words.words()

    def _pictures(self, here: _Container) -> None:
        for picture, alt, path in here.pictures:
            self._writer.figure(picture, clean(alt), self._place(path, 0, 0))
        here.pictures = []


def title_of(text: str) -> str:
    """The title in the head of a page."""
    root = parsed_html(text[:200_000])
    title = next(descendants(root, "title"), None)
    return clean("".join(title.itertext())) if title is not None else ""


def _holds_blocks(element: Element) -> bool:
    return next(element.iter(*BLOCK_ELEMENTS), None) is not None
