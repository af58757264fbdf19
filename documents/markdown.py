"""A document as Markdown: what the pages print can never become markup or a tag; links are those that the file sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from documents.flow import Block, blocks
from documents.prose import BULLET
from documents.tables.markup import is_plain, pipes, to_html
from documents.values import Document, Link

_SPECIAL = re.compile(r"([\\`*_\[\]<>|$~])")
_LINE_START = re.compile(r"^(\s*)([#+-])(?=\s|$|-|#)", re.MULTILINE)
_NUMBER_START = re.compile(r"^(\s*\d{1,9})([.)])(?=\s)", re.MULTILINE)
_SETEXT = re.compile(r"^(\s*)(=+)(?=\s*$)", re.MULTILINE)
_FENCE = re.compile(r"`{3,}")
_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_SAFE = ":/?#@!$&'+,;=%~-._"  # signs that may stand in an address of Markdown as they are
_SIGNS = re.compile(r"^[•‣◦▪●○■□*·–—-]\s+")


def markdown(document: Document) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text."""
    text = "\n\n".join(_block(block) for block in blocks(document))
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


def _block(block: Block) -> str:
    if block.kind == "title":
        return f"{'#' * (block.level or 2)} {linked(escaped(' '.join(block.text.split())), block.links)}"
    if block.code:
        fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(block.text))])
        return f"{fence}\n{block.text}\n{fence}"
    if block.latex is not None:
        return f"$${block.latex}$$"
    if block.table is not None:
        return pipes(block.table, in_line) if is_plain(block.table) else to_html(block.table)
    if block.kind == "table":
        return "\n".join(escaped(line) + "  " for line in block.text.splitlines()).rstrip()
    return linked("\n\n".join(_paragraph(part) for part in block.text.split("\n\n")), block.links)


def _paragraph(text: str) -> str:
    return "\n".join(_line(line) for line in text.splitlines())


def _line(line: str) -> str:
    if not BULLET.match(line):
        return escaped(line)
    sign = _SIGNS.match(line)
    if sign:
        return f"- {escaped(line[sign.end() :])}"
    head, _, rest = line.partition(" ")
    return f"{head} {escaped(rest)}" if re.fullmatch(r"\d{1,9}[.)]", head) else escaped(line)
