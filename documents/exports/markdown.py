"""Writes a document as Markdown: headings, lists, tables, formulas, figures, footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from documents.exports.linked_text import Run, lines_of, marked, struck_text, without_marker
from documents.exports.markdown_text import escaped, escaped_line, in_heading, in_html, in_line
from documents.exports.text_blocks import Block, blocks, body_pages
from documents.region_values import FormulaRegion, ListItem, Region, Table, TableRegion, TextRegion, TitleRegion
from documents.tables.written.table_markup import is_plain, pipes, to_html
from documents.text.latex import inert
from documents.text.list_markers import CHECKBOXES, is_number
from documents.values import Document

MAX_HEADING_LEVEL = 6
_FENCE = re.compile(r"`{3,}")
_NUMBER = re.compile(r"[0-9]{1,9}[.)]")  # a mark that Markdown has too


def markdown(document: Document, pictures: Mapping[str, str] | None = None, *, page_break: str | None = None) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text.

    With `pictures`, figures stand in their places: as a picture from the address that `pictures` has under the figure's
    name (`documents.exports.text_blocks.figures`), else as a comment.

    With `page_break`, that text stands between the blocks of two pages; a page without items, or whose items have no
    place on it, has none. What goes on over the end of a page is then parted there.
    """
    document_blocks = blocks(document, with_figures=pictures is not None, over_pages=page_break is None)
    writer = _Writer(pictures or {})
    if page_break is None:
        texts = [writer.written(block) for block in document_blocks]
    else:
        texts = _paged(document, document_blocks, writer, page_break)
    text = "\n\n".join(texts)
    return text + "\n" if text else ""


def _paged(document: Document, document_blocks: Iterable[Block], writer: _Writer, page_break: str) -> list[str]:
    """The texts of the blocks, with the break before each page with items but the first."""
    breaks = body_pages(document)[1:]
    texts: list[str] = []
    for block in document_blocks:
        while breaks and breaks[0] <= block.parts[0].page:
            texts.append(page_break)
            writer.close_lists()
            breaks.pop(0)
        texts.append(writer.written(block))
    return texts + [page_break] * len(breaks)  # before pages whose items have no text


def _figure(block: Block, pictures: Mapping[str, str]) -> str:
    """Its picture with its words, which never stand first: some programs take `![^` for a footnote."""
    address = pictures.get(block.figure or "")
    words = f"Image: {in_line(block.text)}" if block.text.strip() else "Image"
    return "<!-- image -->" if address is None else f"![{words}]({address})"


class _Writer:
    """Writes block after block; knows the levels of the list items that are open, and where the text of each begins."""

    def __init__(self, pictures: Mapping[str, str]) -> None:
        self._pictures = pictures
        self._open: list[tuple[int, int]] = []  # level, column

    def close_lists(self) -> None:
        """What follows is an item of no list before it."""
        self._open.clear()

    def written(self, block: Block) -> str:
        region = block.region
        if isinstance(region, TextRegion) and not region.code and region.note is None:
            return self._text(region)
        self._open.clear()
        return _written(region) if block.figure is None else _figure(block, self._pictures)

    def _text(self, region: TextRegion) -> str:
        items = {item.line: item for item in region.items}
        text_lines: list[str] = []
        for k, line in enumerate(lines_of(*marked(region))):
            item = items.get(k)
            if item is not None:
                text_lines += self._item(item, without_marker(line, item.marker), bool(text_lines and text_lines[-1]))
                continue
            if line and (k - 1) not in items:  # a line below an item is its own
                self._open.clear()
            text_lines.append(escaped_line(line))
        return "\n".join(text_lines)

    def _item(self, item: ListItem, line: Sequence[Run], follows: bool) -> list[str]:
        """The item's line, indented to the text of the one that it is under; `follows`: text stands right above it."""
        goes_on = any(level == item.level for level, _ in self._open)
        self._open = [one for one in self._open if one[0] < item.level]
        column = self._open[-1][1] if self._open else 0
        numbered = bool(_NUMBER.fullmatch(item.marker))
        if not numbered and (is_number(item.marker) or item.marker in CHECKBOXES):
            line = [Run(f"{item.marker} "), *line]
        mark = item.marker if numbered else "-"
        self._open.append((item.level, column + len(mark) + 1))
        text = escaped_line(line)
        begins_none = numbered and not goes_on and int(mark[:-1]) != 1  # below text, without an empty line between
        blank = [""] if follows and (begins_none or not text) else []
        return [*blank, f"{' ' * column}{mark} {text}"]


def _written(region: Region) -> str:
    match region:
        case TitleRegion():
            return f"{'#' * min(region.level or 2, MAX_HEADING_LEVEL)} {in_heading(*marked(region))}"
        case TextRegion(code=True):
            fence = "`" * max([3, *(len(backticks) + 1 for backticks in _FENCE.findall(region.text))])
            return f"{fence}\n{struck_text(region.text, region.struck)}\n{fence}"
        case FormulaRegion(latex=str() as latex) if (harmless := inert(latex)) is not None:
            return f"$${harmless}$$"
        case TableRegion(table=Table() as table):
            if is_plain(table):
                return pipes(table, lambda cell: in_line(cell.text, (), cell.struck, cell.formulas, cell.scripts))
            return to_html(table, lambda cell: in_html(cell.text, cell.struck))
        case TableRegion():
            return "\n".join(line + "  " for line in _escaped(region).split("\n")).rstrip()
        case TextRegion(note="side"):
            return "\n".join(f"> {line}" for line in _escaped(region).split("\n"))
        case _:
            return _escaped(region)


def _escaped(region: Region) -> str:
    return escaped(*marked(region))
