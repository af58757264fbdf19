"""A document as Markdown: what the pages print can never become markup or a tag; links are those that the file sets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from documents.flow import Block, blocks
from documents.tables.markup import is_plain, pipes, to_html
from documents.values import Document, Link, ListItem

_SPECIAL = re.compile(r"([\\`*_\[\]<>|$~])")
_LINE_START = re.compile(r"^(\s*)([#+-])(?=\s|$|-|#)", re.MULTILINE)
_NUMBER_START = re.compile(r"^(\s*\d{1,9})([.)])(?=\s)", re.MULTILINE)
_SETEXT = re.compile(r"^(\s*)(=+)(?=\s*$)", re.MULTILINE)
_FENCE = re.compile(r"`{3,}")
_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_SAFE = ":/?#@!$&'+,;=%~-._"  # signs that may stand in an address of Markdown as they are
_NUMBER = re.compile(r"\d{1,9}[.)]")  # a mark that Markdown has too


def markdown(document: Document, pictures: Mapping[str, str] | None = None) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text.

    With `pictures`, figures stand in their places: as a picture from the address that `pictures` has under the figure's
    name (`documents.flow.figures`), else as a comment.
    """
    found = blocks(document, with_figures=pictures is not None)
    writer = _Writer(pictures or {})
    text = "\n\n".join(writer.written(block) for block in found)
    return text + "\n" if text else ""


def in_line(text: str) -> str:
    """Text that shows as it stands where no line begins with it."""
    return _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;"))


def escaped(text: str) -> str:
    """Text that shows as it stands, whatever signs it holds."""
    text = in_line(text)
    text = _LINE_START.sub(r"\1\\\2", text)
    text = _SETEXT.sub(r"\1\\\2", text)
    return _NUMBER_START.sub(r"\1\\\2", text)


def linked(text: str, links: Sequence[Link]) -> str:
    """Escaped text, the words of each link leading to its address; one whose words were mended is left out."""
    found, rest = "", text
    for link in links:
        before, words, after = rest.partition(in_line(link.text))
        if words and _ADDRESS.match(link.uri):
            found, rest = f"{found}{before}[{words}]({quote(link.uri, safe=_SAFE)})", after
    return found + rest


def _figure(name: str, pictures: Mapping[str, str]) -> str:
    return f"![Image]({pictures[name]})" if name in pictures else "<!-- image -->"


class _Writer:
    """Writes block after block; knows the levels of the list items that are open, and where the text of each begins."""

    def __init__(self, pictures: Mapping[str, str]) -> None:
        self._pictures = pictures
        self._open: list[tuple[int, int]] = []  # level, column

    def written(self, block: Block) -> str:
        if block.kind == "plain text" and not block.code and block.note is None:
            return linked(self._text(block), block.links)
        self._open.clear()
        return _block(block) if block.figure is None else _figure(block.figure, self._pictures)

    def _text(self, block: Block) -> str:
        items = {item.line: item for item in block.items}
        found: list[str] = []
        for k, line in enumerate(block.text.split("\n")):
            item = items.get(k)
            if item is not None:
                found += self._item(item, line.removeprefix(item.marker).lstrip(), bool(found and found[-1]))
                continue
            if line and (k - 1) not in items:  # a line below an item is its own
                self._open.clear()
            found.append(escaped(line))
        return "\n".join(found)

    def _item(self, item: ListItem, text: str, follows: bool) -> list[str]:
        """The item's line, indented to the text of the one that it is under; `follows`: text stands right above it."""
        goes_on = any(level == item.level for level, _ in self._open)
        self._open = [one for one in self._open if one[0] < item.level]
        column = self._open[-1][1] if self._open else 0
        numbered = bool(_NUMBER.fullmatch(item.marker))
        if not numbered and item.marker[-1] in ".)":
            text = f"{item.marker} {text}"
        mark = item.marker if numbered else "-"
        self._open.append((item.level, column + len(mark) + 1))
        blank = [""] if follows and numbered and not goes_on and int(mark[:-1]) != 1 else []  # else it is text
        return [*blank, f"{' ' * column}{mark} {escaped(text)}"]


def _block(block: Block) -> str:
    if block.kind == "title":
        return f"{'#' * (block.level or 2)} {linked(in_line(' '.join(block.text.split())), block.links)}"
    if block.code:
        fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(block.text))])
        return f"{fence}\n{block.text}\n{fence}"
    if block.latex is not None:
        return f"$${block.latex}$$"
    if block.table is not None:
        return pipes(block.table, in_line) if is_plain(block.table) else to_html(block.table)
    if block.kind == "table":
        return "\n".join(escaped(line) + "  " for line in block.text.splitlines()).rstrip()
    text = linked("\n".join(escaped(line) for line in block.text.split("\n")), block.links)
    return "\n".join(f"> {line}" for line in text.split("\n")) if block.note == "side" else text
