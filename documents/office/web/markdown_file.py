"""Reads a Markdown file: headings, lists, tables, code, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.office.packages.text_budget import TextBudget
from documents.office.packages.text_decoding import decoded
from documents.office.packages.unpack_limits import MAX_TEXT_BYTES
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, WordsWriter, clean
from documents.office.parsed_file import Authored
from documents.office.table_grid import GridCell, table_of
from documents.office.web.web_page import WebPage
from documents.office.word.word_styles import BULLET
from documents.places import LinePlace

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
FIELD = re.compile(r"^(title|author|date|description|language)[ \t]*:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
CHECKBOX = re.compile(r"\A\[([ xX])\] ")
STRIKE, STRIKE_END = (re.compile(rf"<{slash}(?:s|strike|del)\b", re.IGNORECASE) for slash in ("", "/"))
MAX_NESTING = 60
Pictures = Callable[[str], str | None]


def parse_marked(content: bytes, budget: TextBudget) -> Authored:
    """Raises FileTooLarge."""
    writer = PageWriter(budget)
    text = writer.read_as(decoded(content)).replace("\r\n", "\n").replace("\r", "\n")
    front = FRONT_MATTER.match(text[:MAX_TEXT_BYTES])
    metadata: dict[str, str] = {}
    if front is not None:
        metadata = {name.lower(): clean(value).strip("\"'")[:1000] for name, value in FIELD.findall(front[1])}
        text = "\n" * front[0].count("\n") + text[front.end() :]
    _Marked(writer).read(text)
    return Authored(pages=writer.pages(), metadata=metadata, outline=writer.outline, warnings=writer.warnings())


class _Marked:
    """Writes the tokens of one file in their order."""

    def __init__(self, writer: PageWriter) -> None:
        self._writer = writer
        self._lists: list[list[int | None]] = []  # the next number of each open list; None of one with bullets
        self._marker: str | None = None

    def read(self, text: str) -> None:
        parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
        tokens = parser.parse(text)
        at = 0
        while at < len(tokens):
            at = self._token(tokens, at)

    def _token(self, tokens: Sequence[Token], at: int) -> int:
        """Write what begins here; where the next begins."""
        token = tokens[at]
        match token.type:
            case "heading_open":
                words, place = self._inline(tokens[at + 1]), _lines(token)
                self._writer.heading(words, int(token.tag[1]), place)
                return at + 3
            case "inline":
                self._paragraph(token)
            case "fence" | "code_block":
                self._writer.code(Words(token.content.rstrip("\n").expandtabs(4)), _lines(token))
            case "bullet_list_open":
                self._lists.append([None])
            case "ordered_list_open":
                self._lists.append([int(token.attrGet("start") or 1)])
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._marker = self._next_marker()
            case "list_item_close":
                self._marker = None
            case "table_open":
                return self._table(tokens, at)
            case "html_block":
                place = _lines(token)
                WebPage(self._writer, lambda _path, _start, _end: place, lambda _: None).read(token.content)
            case _:
                pass
        return at + 1

    def _next_marker(self) -> str:
        number = self._lists[-1][0]
        if number is None:
            return BULLET
        self._lists[-1][0] = number + 1
        return f"{number}."

    def _paragraph(self, token: Token) -> None:
        formula = FORMULA.fullmatch(token.content.strip())
        words, place = self._inline(token), _lines(token)
        if formula is not None:
            self._writer.formula(formula[1].strip(), words.text, place)
        elif self._marker is not None:
            marker, self._marker = self._marker, None
            box = CHECKBOX.match(words.text)
            if box is not None:
                words = words.replaced(CHECKBOX, "☐ " if box[1] == " " else "☒ ")
            self._writer.item(words, marker, len(self._lists), place)
        else:
            self._writer.paragraph(words, place)
        for inner_token in token.children or ():
            if inner_token.type == "image":
                self._writer.figure(None, inner_token.content, place)

    def _inline(self, token: Token) -> Words:
        writer = WordsWriter()
        marks: list[tuple[int, str]] = []
        struck: list[int] = []
        for inner_token in token.children or ():
            match inner_token.type:
                case "text" | "code_inline" | "text_special":
                    writer.add(inner_token.content)
                case "softbreak":
                    writer.add(" ")
                case "hardbreak":
                    writer.add("\n")
                case "link_open":
                    marks.append((writer.num_characters, str(inner_token.attrGet("href") or "")))
                case "link_close" if marks:
                    writer.link(*marks.pop())
                case "s_open":
                    struck.append(writer.num_characters)
                case "s_close" if struck:
                    writer.strike(struck.pop())
                case "html_inline" if inner_token.content.lower().startswith("<br"):
                    writer.add("\n")
                case "html_inline" if STRIKE.match(inner_token.content):
                    struck.append(writer.num_characters)
                case "html_inline" if STRIKE_END.match(inner_token.content) and struck:
                    writer.strike(struck.pop())
                case _:
                    continue
        return writer.words()

    def _table(self, tokens: Sequence[Token], at: int) -> int:
        rows: list[list[GridCell]] = []
        place = _lines(tokens[at])
        while tokens[at].type != "table_close":
            if tokens[at].type == "tr_open":
                rows.append([])
            elif tokens[at].type == "inline":
                rows[-1].append(GridCell.of(self._inline(tokens[at])))
            at += 1
        self._writer.table(table_of(rows, num_header_rows=1), place)
        return at + 1


def _lines(token: Token) -> LinePlace:
    first, last = token.map or (0, 1)
    return LinePlace(first=first + 1, last=max(first + 1, last))
