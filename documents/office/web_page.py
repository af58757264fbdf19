"""A web page as its reader sees it: blocks with the XPaths of their elements; scripts and hidden parts say nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from documents.office.bounds import MAX_DEPTH
from documents.office.markup import Element, attribute, child, descendants, name_of, parsed_html
from documents.office.page_writer import PageWriter
from documents.office.web_names import BLOCKS, UNSEEN
from documents.office.web_tables import WebTable
from documents.office.word_styles import BULLET, written_number
from documents.office.words import Words, WordsWriter, clean, raw
from documents.values import Place

HIDDEN = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)", re.IGNORECASE)
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
        self._writer, self._place, self._picture = writer, place, picture
        self._lists: list[_List] = []
        self._marker: str | None = None  # of the item whose first words come now

    def read(self, text: str) -> None:
        """Write all that the page says. Raises TooLargeUnpacked."""
        root = parsed_html(text)
        if root is not None:
            self._block(root, f"/{name_of(root)}", 0)

    def _block(self, element: Element, path: str, depth: int) -> int:
        """Write an element with its own words and the blocks in it; how many characters of text it has."""
        here = _Container(path)
        here.words.add(element.text)
        for each in element:
            self._child(each, here, depth)
            here.words.add(each.tail)
        self._flush(here)
        return here.num_characters

    def _child(self, each: Element, here: _Container, depth: int) -> None:
        name = name_of(each)
        here.counts[name] = here.counts.get(name, 0) + 1
        if not name or name in UNSEEN or _is_hidden(each):
            return
        path = f"{here.path}/{name}[{here.counts[name]}]"
        if depth > MAX_DEPTH:
            here.words.add("".join(each.itertext()))
        elif name in BLOCKS:
            self._flush(here)
            here.num_characters += self._named(name, each, path, depth + 1) + 1
        elif _holds_blocks(each):
            self._flush(here)
            here.num_characters += self._block(each, path, depth + 1) + 1
        else:
            self._inline(name, each, path, here, depth + 1)

    def _inline(self, name: str, each: Element, path: str, here: _Container, depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        match name:
            case "br":
                here.words.add("\n")
            case "wbr":
                here.words.add("\u200b")
            case "img":
                source = attribute(each, "src") or ""
                here.pictures.append((self._picture(source), attribute(each, "alt") or "", path))
            case "input":
                here.words.add(_field_text(each))
            case "math":
                here.words.add(_math_text(each))
            case _:
                mark = len(here.words)
                here.words.add(each.text)
                counts: dict[str, int] = {}
                for inner in each:
                    kind = name_of(inner)
                    counts[kind] = counts.get(kind, 0) + 1
                    if kind and kind not in UNSEEN and not _is_hidden(inner):
                        self._inline(kind, inner, f"{path}/{kind}[{counts[kind]}]", here, depth + 1)
                    here.words.add(inner.tail)
                if name == "a":
                    here.words.note_link(here.words.text_from(mark), attribute(each, "href"))

    def _named(self, name: str, each: Element, path: str, depth: int) -> int:
        match name:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                return self._heading(each, int(name[1]), path, depth)
            case "pre":
                text = raw("".join(each.itertext()))
                self._writer.code(text, self._place(path, 0, len(text)))
                return len(text)
            case "ul" | "ol" | "menu" | "dir":
                return self._list(each, name, path, depth)
            case "li":
                return self._item(each, path, depth)
            case "table":
                return self._table(each, path, depth)
            case "figcaption":
                words = self._words(each, path, depth)
                self._writer.caption(words.on_one_line, "figure_caption", self._place(path, 0, len(words.text)))
                return len(words.text)
            case "hr":
                return 0
            case _:
                return self._block(each, path, depth)

    def _heading(self, each: Element, level: int, path: str, depth: int) -> int:
        words = self._words(each, path, depth)
        self._writer.heading(words, level, self._place(path, 0, len(words.text)))
        return len(words.text)

    def _words(self, each: Element, path: str, depth: int) -> Words:
        """All words in an element, its blocks a line each; its pictures are written."""
        here = _Container(path)
        self._inline("span", each, path, here, depth)
        self._pictures(here)
        return here.words.words()

    def _list(self, each: Element, name: str, path: str, depth: int) -> int:
        start = attribute(each, "start") or "1"
        number = int(start) if start.isdecimal() and len(start) < 7 else 1
        self._lists.append(_List(name == "ol", FORMS.get(attribute(each, "type") or "", "decimal"), number))
        marker, self._marker = self._marker, None
        length = self._block(each, path, depth)
        self._lists.pop()
        self._marker = marker
        return length

    def _item(self, each: Element, path: str, depth: int) -> int:
        series = self._lists[-1] if self._lists else _List(is_ordered=False, form="decimal", number=1)
        value = attribute(each, "value") or ""
        series.number = int(value) if value.isdecimal() and len(value) < 7 else series.number
        before, self._marker = self._marker, BULLET
        if series.is_ordered:
            self._marker = f"{written_number(series.number, series.form)}."
        series.number += 1
        length = self._block(each, path, depth)
        self._marker = before
        return length

    def _table(self, each: Element, path: str, depth: int) -> int:
        table = WebTable.of(each)
        if table is None:
            return self._block(each, path, depth)
        here = _Container(path)
        written = table.table(lambda cell: self._cell(cell, path, here))
        for caption in table.captions:
            words = self._words(caption, f"{path}/caption[1]", depth)
            self._writer.caption(words.on_one_line, "table_caption", self._place(f"{path}/caption[1]", 0, 0))
        length = sum(len(cell.text) + 1 for cell in written.cells) if written is not None else 0
        self._writer.table(written, self._place(path, 0, length))
        self._pictures(here)
        return length

    def _cell(self, cell: Element, path: str, here: _Container) -> str:
        """The text of a cell, its blocks a line each."""
        inner = _Container(path)
        _add_lines(cell, inner.words, 0)
        for picture in cell.iter("{*}img", "img"):
            here.pictures.append(
                (self._picture(attribute(picture, "src") or ""), attribute(picture, "alt") or "", path)
            )
        lines = inner.words.words().text.split("\n")
        return "\n".join(line for line in lines if line)

    def _flush(self, here: _Container) -> None:
        """Write the words that were gathered: a paragraph, or the first of a list's item."""
        words = here.words.words()
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

    def _pictures(self, here: _Container) -> None:
        for picture, alt, path in here.pictures:
            self._writer.figure(picture, clean(alt), self._place(path, 0, 0))
        here.pictures = []


def title_of(text: str) -> str:
    """The title in the head of a page."""
    root = parsed_html(text[:200_000])
    title = next(descendants(root, "title"), None)
    return clean("".join(title.itertext())) if title is not None else ""


def _add_lines(element: Element, words: WordsWriter, depth: int) -> None:
    """The words of an element, each block in it on a line of its own."""
    words.add(element.text)
    for each in element if depth < MAX_DEPTH else ():
        name = name_of(each)
        if name and name not in UNSEEN and not _is_hidden(each):
            if name == "br" or name in BLOCKS:
                words.add("\n")
            if name == "input":
                words.add(_field_text(each))
            elif name == "math":
                words.add(_math_text(each))
            else:
                _add_lines(each, words, depth + 1)
            if name in BLOCKS:
                words.add(" " if name in ("td", "th") else "\n")
        words.add(each.tail)


def _holds_blocks(element: Element) -> bool:
    return next(element.iter(*BLOCKS), None) is not None


def _is_hidden(element: Element) -> bool:
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    style = element.get("style")
    return style is not None and HIDDEN.search(style) is not None


def _field_text(element: Element) -> str:
    match (attribute(element, "type") or "text").lower():
        case "checkbox" | "radio":
            return "☒ " if element.get("checked") is not None else "☐ "
        case "hidden" | "password" | "image" | "file" | "color" | "range":
            return ""
        case _:
            return attribute(element, "value") or ""


def _math_text(element: Element) -> str:
    """The TeX that a formula comes from, where its author left it there; else its characters."""
    for each in element.iter("{*}annotation", "annotation"):
        if "tex" in (attribute(each, "encoding") or "").lower():
            return f" {(each.text or '').strip()} "
    shown = child(element, "semantics")
    shown = element if shown is None else next(iter(shown), element)
    return "".join(shown.itertext())
