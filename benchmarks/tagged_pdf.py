"""The truth that a tagged PDF carries: what its author's structure tree says of a page, as the corpus' script reads it.

MuPDF sorts the printed text into the tree. A page is left out where the tree holds too few of its words: then the tree
is not what a reader sees.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

MIN_SHARE = 0.9  # of the words of the text layer, that stand in the tree
MIN_WORDS = 60  # of a page, in the tree
FLAGS = pymupdf.TEXT_COLLECT_STRUCTURE | pymupdf.TEXT_PRESERVE_WHITESPACE
HEADING = re.compile(r"H[1-6]?|Title")
BLOCKS = frozenset({"P", "LI", "Caption", "BlockQuote", "Note", "TOCI", "FENote", "Code", "BibEntry"})
NOT_READ = frozenset({"Figure", "Formula", "Form"})  # what stands there is a picture or is no text
DRAW = (b"Tj", b"TJ", b"'", b'"', b"Do")  # what draws text, or a form that may
TOKEN = re.compile(
    rb"""\((?:\\.|[^\\()])*\) | <[0-9A-Fa-f\s]*> | << | >> | [\[\]] | /[^\s/<>\[\]()]* | [-+.\d][^\s/<>\[\]()]*
    | (?:true|false|null)\b | (?P<operator>ID\s.*?\sEI(?=\s|$) | [^\s/<>\[\]()]+)""",
    re.X | re.S,
)
NOT_XML = re.compile(r"&#x(?:0*[0-8bcef]|0*1[0-9a-f]|0*fff[ef]|0*d[89a-f]..);", re.I)  # characters that XML cannot have


@dataclass(frozen=True, slots=True)
class TaggedPage:
    """`markdown` is in the order of the tree; `scores` are those that it is good for. Pages are counted from 1."""

    number: int
    markdown: str
    scores: frozenset[str]


def tagged_pages(path: Path, max_pages: int) -> list[TaggedPage]:
    """The pages whose trees agree with what is printed; none of a file that is damaged, locked or not tagged."""
    try:
        with pymupdf.open(path) as document:
            if document.needs_pass or document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[0] == "null":
                return []
            pages = [page_truth(document[k], k + 1) for k in range(min(max_pages, document.page_count))]
    except (RuntimeError, ValueError, IndexError, Xml.ParseError):  # what MuPDF and the parser raise
        return []
    return [page for page in pages if page is not None]


def page_truth(page: pymupdf.Page, number: int) -> TaggedPage | None:
    """The truth of one page, if its tree holds enough of the page; the page's content is written anew on the way."""
    lines, root = _parsed(page)
    trees = _structs(root)
    num_inside = sum(len(_text(tree).split()) for tree in trees)
    num_all = num_inside + sum(len(line.split()) for line in lines)
    if num_inside < max(MIN_WORDS, MIN_SHARE * num_all):
        return None
    blocks = [block for tree in trees for block in _blocks(tree)]
    scores = {"text", "order", "heads", "furn", "no_table"} | ({"table"} if _tables_are_sound(trees) else set())
    furniture = [f"<!-- furniture: {line} -->" for line in lines]
    return TaggedPage(number=number, markdown="\n\n".join((*blocks, *furniture)), scores=frozenset(scores))


def _parsed(page: pymupdf.Page) -> tuple[list[str], Xml.Element]:
    """The lines that stand in no tree, and the tree of all others.

    MuPDF counts what is drawn without a mark to the tree's last node, so each is extracted without the other.
    """
    page.clean_contents(sanitize=False)  # forms of writing that TOKEN does not know are gone
    operators = list(_operators(page.read_contents()))
    marked = _marked(operators)
    document = page.parent
    assert document is not None
    (xref,) = page.get_contents()
    trees: list[Xml.Element] = []
    for wanted in (False, True):
        kept = [o for o, inside in zip(operators, marked, strict=True) if inside == wanted or o[-1] not in DRAW]
        document.update_stream(xref, b"\n".join(b" ".join(operator) for operator in kept))
        text = document[page.number].get_textpage(flags=FLAGS).extractXML()
        trees.append(Xml.fromstring(NOT_XML.sub("", text)))
    return [line for line in map(_text, trees[0].iter("block")) if line], trees[1]


def _operators(content: bytes) -> Iterator[list[bytes]]:
    """Each operator of a content stream, behind its operands."""
    tokens: list[bytes] = []
    for match in TOKEN.finditer(content):
        tokens.append(match[0])
        if match["operator"] is not None:
            yield tokens
            tokens = []


def _marked(operators: list[list[bytes]]) -> list[bool]:
    """Whether each operator stands between a mark that the tree can name (MCID) and its end."""
    inside: list[bool] = []
    open_marks = [False]
    for *operands, operator in operators:
        if operator in (b"BDC", b"BMC"):
            open_marks.append(open_marks[-1] or b"/MCID" in operands)
        elif operator == b"EMC" and len(open_marks) > 1:
            open_marks.pop()
        inside.append(open_marks[-1])
    return inside


def _blocks(tree: Xml.Element) -> Iterator[str]:
    """Headings, paragraphs and tables in the order of the tree; text between them is a paragraph."""
    kind = tree.get("std", "")
    if kind in NOT_READ:
        return
    if kind == "Table":
        yield "\n".join(("<table>", *(f"<tr>{_row(row)}</tr>" for row in _rows(tree)), "</table>"))
    elif HEADING.fullmatch(kind) or not any(_is_block(part) for part in tree):
        text = html.escape(_text(tree), quote=False)
        if text:
            yield f"# {text}" if HEADING.fullmatch(kind) else text
    else:
        for part in tree:
            yield from _blocks(part)


def _is_block(tree: Xml.Element) -> bool:
    """Whether it is a paragraph or holds one."""
    kind = tree.get("std", "")
    if kind in BLOCKS or kind == "Table" or kind in NOT_READ or HEADING.fullmatch(kind):
        return True
    return any(map(_is_block, _structs(tree)))


def _row(row: Xml.Element) -> str:
    return "".join(f"<td>{html.escape(_text(cell), quote=False)}</td>" for cell in _cells(row))


def _tables_are_sound(trees: list[Xml.Element]) -> bool:
    """Whether all rows of a table have as many cells: MuPDF does not say which of them span several."""
    tables = [table for tree in trees for table in tree.iter("struct") if table.get("std") == "Table"]
    return all(len({len(_cells(row)) for row in _rows(table)}) == 1 for table in tables)


def _rows(table: Xml.Element) -> list[Xml.Element]:
    parts = [part for part in _structs(table) if part.get("std") != "Caption"]
    return [row for part in parts for row in ([part] if part.get("std") == "TR" else _rows(part))]


def _cells(row: Xml.Element) -> list[Xml.Element]:
    return [cell for cell in _structs(row) if cell.get("std") in ("TH", "TD")]


def _structs(tree: Xml.Element) -> list[Xml.Element]:
    return [part for part in tree if part.tag == "struct"]


def _text(tree: Xml.Element) -> str:
    """Its lines in the order of the tree."""
    return " ".join(" ".join(str(line.get("text", "")) for line in tree.iter("line")).split())
