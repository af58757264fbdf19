"""Writes a document as HTML, safely escaped, without script or style."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from documents.exports.linked_text import Run, lines_of, marked, on_one_line, without_marker
from documents.exports.text_blocks import Block, blocks
from documents.inspection import Rise
from documents.region_values import FormulaRegion, Region, Table, TableRegion, TextRegion, TitleRegion
from documents.tables.written.table_markup import to_html as table_html
from documents.text.list_markers import CHECKBOXES, is_number
from documents.text.typography import level_text
from documents.values import Document

MAX_LEVEL = 6
TAGS: Mapping[Rise, str] = {"super": "sup", "sub": "sub"}


def to_html(document: Document, pictures: Mapping[str, str], *, title: str = "") -> str:
    """A whole page; a figure is an `img` from the address that `pictures` has under its name, else a comment."""
    body = "\n".join(_tags(block, pictures) for block in blocks(document, with_figures=True))
    head = f'<meta charset="UTF-8">\n<title>{escape(title)}</title>'
    return f"<!DOCTYPE html>\n<html>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _tags(block: Block, pictures: Mapping[str, str]) -> str:
    if block.figure is not None:
        address = pictures.get(block.figure)
        words = escape(" ".join(block.text.split()))
        return f'<figure><img src="{escape(address)}" alt="{words}"></figure>' if address else "<!-- image -->"
    region = block.region
    match region:
        case TitleRegion():
            level = min(region.level or 2, MAX_LEVEL)
            return f"<h{level}>{_linked(on_one_line(_lines(region)))}</h{level}>"
        case TextRegion(code=True):
            return f"<pre><code>{_preformatted(region)}</code></pre>"
        case FormulaRegion(latex=str() as latex):
            return f"<p>$${escape(latex, quote=False)}$$</p>"
        case TableRegion(table=Table() as table):
            return table_html(
                table,
                lambda cell: _linked(on_one_line(lines_of(cell.text, (), cell.struck, cell.formulas, cell.scripts))),
            )
        case TableRegion():
            return f"<pre>{_preformatted(region)}</pre>"
        case _:
            return "\n".join(_paragraphs(region))


def _lines(region: Region) -> list[list[Run]]:
    return lines_of(*marked(region))


def _preformatted(region: Region) -> str:
    return "\n".join(map(_linked, lines_of(region.text, (), region.struck)))


def _paragraphs(region: Region) -> Iterator[str]:
    """Lines that are items of a list are one, lists in lists too; others are paragraphs, broken where the text is."""
    items = {item.line: item for item in region.items} if isinstance(region, TextRegion) else {}
    open_levels: list[int] = []
    lines = enumerate(_lines(region))
    for listed, group in groupby(lines, key=lambda line: line[0] in items):
        if not listed:
            for has_text, part in groupby((line for _, line in group), key=bool):
                if has_text:
                    yield "<p>" + "\n".join(map(_linked, part)) + "</p>"
            continue
        tags: list[str] = []
        for k, line in group:
            level = items[k].level
            while open_levels and open_levels[-1] > level:
                open_levels.pop()
                tags.append("</li>\n</ul>")
            nested = not open_levels or open_levels[-1] < level
            tags.append("<ul>" if nested else "</li>")
            if nested:
                open_levels.append(level)
            tags.append(f"<li>{_linked(_unmarked(line, items[k].marker))}")
        tags += ["</li>\n</ul>"] * len(open_levels)
        open_levels.clear()
        yield "\n".join(tags).replace("\n</li>", "</li>")


def _unmarked(line: Sequence[Run], marker: str) -> Sequence[Run]:
    """An item without its bullet or number; boxes, letters and Roman figures stay, which no browser would show."""
    plain = marker not in CHECKBOXES and (not is_number(marker) or marker[:-1].isdecimal())
    return without_marker(line, marker) if plain else line


def _linked(line: Sequence[Run]) -> str:
    """Escaped text, the words of each link leading to its address, formulas as LaTeX, the rest in tags."""
    tags = ""
    for run in line:
        text = escape(run.text if run.latex is None else rf"\({run.latex}\)", quote=False)
        if run.rise is not None and run.latex is None and text.strip():
            text = f"<{TAGS[run.rise]}>{escape(level_text(run.text), quote=False)}</{TAGS[run.rise]}>"
        if run.uri is not None:
            text = f'<a href="{escape(run.uri)}" rel="nofollow noreferrer">{text}</a>'
        tags += f"<s>{text}</s>" if run.struck else text
    return tags
