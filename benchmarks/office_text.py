"""What a file says by a third reader, and what Markdown says: words, headings, tables; none of it is our parsing."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  it tells no types
from markdown_it import MarkdownIt

WORD = re.compile(r"\w+")
UNSEEN = ("script", "style", "head", "noscript", "template", "svg", "iframe", "object", "select", "textarea")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """The words of a text with their counts, its headings, and how many tables it has."""

    words: Counter[str]
    headings: list[str]
    num_tables: int | None

    def against(self, truth: TextFacts) -> dict[str, float | None]:
        """F1 of words and of headings; how near the number of tables is. None: the truth has none."""
        tables = None
        if truth.num_tables is not None and self.num_tables is not None and max(truth.num_tables, self.num_tables):
            tables = min(truth.num_tables, self.num_tables) / max(truth.num_tables, self.num_tables)
        headings = f1(Counter(self.headings), Counter(truth.headings)) if truth.headings else None
        return {"words_f1": f1(self.words, truth.words), "headings_f1": headings, "tables": tables}


def f1(words: Counter[str], truth: Counter[str]) -> float:
    shared = (words & truth).total()
    total = words.total() + truth.total()
    return 2 * shared / total if total else 1.0


def words_of(text: str) -> Counter[str]:
    return Counter(word.lower() for word in WORD.findall(text))


def facts_of_markdown(text: str) -> TextFacts:
    """What CommonMark makes of it; addresses of links and pictures are no words, HTML's tables are tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    words: Counter[str] = Counter()
    headings: list[str] = []
    num_tables = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            content = "".join(_shown(child) for child in token.children or ())
            words += words_of(content)
            if before is not None and before.type == "heading_open":
                headings.append(_plain(content))
        elif token.type in ("fence", "code_block"):
            words += words_of(token.content)
        elif token.type == "html_block" and "<!--" not in token.content[:8]:
            root = html.fromstring(f"<div>{token.content}</div>")
            words += words_of(" ".join(root.itertext()))
            num_tables += len(root.findall(".//table"))
        num_tables += token.type == "table_open"
    return TextFacts(words, headings, num_tables)


def _shown(token: Any) -> str:
    return {"text": token.content, "code_inline": token.content, "softbreak": " ", "hardbreak": " "}.get(token.type, "")


def third_reader(path: Path) -> TextFacts | None:
    """By a library for the format; None where it cannot read the file."""
    readers = {"docx": _word, "pptx": _slides, "xlsx": _workbook, "html": _web_page}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return readers[path.suffix[1:].lower()](path)
    except Exception:  # whatever it raises over a damaged file: nothing is compared then
        return None


def _word(path: Path) -> TextFacts:
    """Body text by python-docx's elements: what is inserted counts, what is deleted or a fallback does not."""
    import docx

    document = docx.Document(str(path))
    names = {style.style_id: (style.name or "").lower() for style in document.styles}
    words: Counter[str] = Counter()
    headings: list[str] = []
    body = document.element.body
    for paragraph in body.iter("{*}p"):
        if next(paragraph.iterancestors("{*}Fallback", "{*}del"), None) is not None:
            continue
        own = [run for run in paragraph.iter("{*}t", "{*}tab", "{*}br") if next(run.iterancestors("{*}p")) is paragraph]
        text = "".join(run.text or " " for run in own if next(run.iterancestors("{*}Fallback"), None) is None)
        words += words_of(text)
        style = paragraph.find("./{*}pPr/{*}pStyle")
        name = names.get(next(iter(style.values()), ""), "") if style is not None else ""
        if text.strip() and (name.startswith("heading ") or name == "title"):
            headings.append(_plain(text))
    return TextFacts(words, headings, sum(1 for _ in body.iter("{*}tbl")))


def _slides(path: Path) -> TextFacts:
    import pptx

    words: Counter[str] = Counter()
    headings: list[str] = []
    num_tables = 0

    def shape_texts(shapes: Any) -> None:
        nonlocal words, num_tables
        for shape in shapes:
            if shape.shape_type == 6:
                shape_texts(shape.shapes)
            elif shape.has_text_frame:
                words += words_of(shape.text_frame.text)
            elif getattr(shape, "has_table", False) and shape.has_table:
                num_tables += 1
                words += words_of(" ".join(cell.text for row in shape.table.rows for cell in row.cells))

    for slide in pptx.Presentation(str(path)).slides:
        shape_texts(slide.shapes)
        if slide.shapes.title is not None and slide.shapes.title.text.strip():
            headings.append(_plain(slide.shapes.title.text))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            words += words_of(slide.notes_slide.notes_text_frame.text)
    return TextFacts(words, headings, num_tables)


def _workbook(path: Path) -> TextFacts:
    """Cached values of shown sheets; a date counts by its numbers."""
    import openpyxl

    words: Counter[str] = Counter()
    book = openpyxl.load_workbook(str(path), data_only=True)
    headings: list[str] = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        headings.append(_plain(sheet.title))
        for row in sheet.iter_rows(values_only=True):
            words += words_of(" ".join(str(value) for value in row if value is not None))
        words += words_of(sheet.title)
    return TextFacts(words, headings, None)


def _web_page(path: Path) -> TextFacts:
    root = html.fromstring(path.read_bytes())
    for element in list(root.iter(*UNSEEN, etree.Comment)):
        element.drop_tree()
    headings = [_plain(" ".join(heading.itertext())) for heading in root.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    data = [table for table in root.iter("table") if len(table.findall(".//tr")) > 1 and table.find(".//table") is None]
    words = words_of(" ".join(root.itertext()))
    return TextFacts(words, [heading for heading in headings if heading], len(data))


def _plain(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))
