"""A document as HTML: what the pages print is always text in it, never a tag, and it has no script and no style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby

from documents.flow import Block, blocks
from documents.tables.markup import to_html as table_html
from documents.values import Document, Link

MAX_LEVEL = 6
_ADDRESS = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)


def to_html(document: Document, pictures: Mapping[str, str], *, title: str = "") -> str:
    """A whole page; a figure is an `img` from the address that `pictures` has under its name, else a comment."""
    body = "\n".join(_tags(block, pictures) for block in blocks(document, with_figures=True))
    head = f'<meta charset="UTF-8">\n<title>{escape(title)}</title>'
    return f"<!DOCTYPE html>\n<html>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _tags(block: Block, pictures: Mapping[str, str]) -> str:
    if block.figure is not None:
        address = pictures.get(block.figure)
        return f'<figure><img src="{escape(address)}" alt=""></figure>' if address else "<!-- image -->"
    if block.kind == "title":
        level = min(block.level or 2, MAX_LEVEL)
        return f"<h{level}>{_linked(' '.join(block.text.split()), list(block.links))}</h{level}>"
    if block.code:
        return f"<pre><code>{escape(block.text, quote=False)}</code></pre>"
    if block.latex is not None:
        return f"<p>$${escape(block.latex, quote=False)}$$</p>"
    if block.table is not None:
        return table_html(block.table)
    if block.kind == "table":
        return f"<pre>{escape(block.text, quote=False)}</pre>"
    return "\n".join(_paragraphs(block))


def _paragraphs(block: Block) -> Iterator[str]:
    """Lines that are items of a list are one, lists in lists too; others are paragraphs, broken where the text is."""
    links, items, open_levels = list(block.links), {item.line: item for item in block.items}, list[int]()
    for listed, group in groupby(enumerate(block.text.split("\n")), key=lambda line: line[0] in items):
        if not listed:
            parts = "\n".join(line for _, line in group).split("\n\n")
            yield from (f"<p>{_linked(part.strip(chr(10)), links)}</p>" for part in parts if part.strip())
            continue
        found: list[str] = []
        for k, line in group:
            level = items[k].level
            while open_levels and open_levels[-1] > level:
                open_levels.pop()
                found.append("</li>\n</ul>")
            nested = not open_levels or open_levels[-1] < level
            found.append("<ul>" if nested else "</li>")
            if nested:
                open_levels.append(level)
            found.append(f"<li>{_linked(_unmarked(line, items[k].marker), links)}")
        found += ["</li>\n</ul>"] * len(open_levels)
        open_levels.clear()
        yield "\n".join(found).replace("\n</li>", "</li>")


def _unmarked(line: str, marker: str) -> str:
    """An item without its bullet or number; letters and Roman figures stay, which no browser would show."""
    plain = marker[-1] not in ".)" or marker[:-1].isdigit()
    return line.removeprefix(marker).lstrip() if plain else line


def _linked(text: str, links: list[Link]) -> str:
    """Escaped text; words that the file links lead to their address, if it is one of the web or of mail.

    A link that has found its words is taken out of `links`.
    """
    found, rest = "", escape(text, quote=False)
    for link in list(links):
        before, words, after = rest.partition(escape(link.text, quote=False))
        if words and _ADDRESS.match(link.uri):
            found, rest = f'{found}{before}<a href="{escape(link.uri)}" rel="nofollow noreferrer">{words}</a>', after
            links.remove(link)
    return found + rest
