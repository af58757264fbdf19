"""What a file says by a third reader, and what Markdown says: words, headings, tables; none of it is our parsing."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  it tells no types
from markdown_it import MarkdownIt

WORD = re.compile(r"\w+")
FURNITURE = (13, 15, 16)  # python-pptx's numbers of a slide number, a footer and a date
UNSEEN = ("script", "style", "head", "noscript", "template", "svg", "iframe", "object", "select", "textarea")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """The words of a text with their counts, its headings, and how many tables it has.

    `optional` are words that a reader may write or leave: they are neither missing nor too many.
    """

    words: Counter[str]
    headings: list[str]
    num_tables: int | None
    optional: Counter[str] = field(default_factory=Counter)

    def against(self, truth: TextFacts) -> dict[str, float | None]:
        """F1 of words and of headings; how near the number of tables is. None: the truth has none."""
        tables = None
        if truth.num_tables is not None and self.num_tables is not None and max(truth.num_tables, self.num_tables):
            tables = min(truth.num_tables, self.num_tables) / max(truth.num_tables, self.num_tables)
        headings = f1(Counter(self.headings), Counter(truth.headings)) if truth.headings else None
        words = self.words - ((self.words - truth.words) & truth.optional)
        return {"words_f1": f1(words, truth.words), "headings_f1": headings, "tables": tables}


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
    """Shapes, tables, charts, diagrams, notes and comments; dates, footers and slide numbers are optional."""
    import pptx

    words: Counter[str] = Counter()
    optional: Counter[str] = Counter()
    headings: list[str] = []
    num_tables = 0

    def read_shapes(shapes: Any) -> None:
        nonlocal words, optional, num_tables
        for shape in shapes:
            if shape.shape_type == 6:
                read_shapes(shape.shapes)
            elif shape.has_text_frame:
                is_furniture = shape.is_placeholder and shape.placeholder_format.type in FURNITURE
                if is_furniture:
                    optional += words_of(shape.text_frame.text)
                else:
                    words += words_of(shape.text_frame.text)
            elif getattr(shape, "has_table", False) and shape.has_table:
                num_tables += 1
                words += words_of(" ".join(cell.text for row in shape.table.rows for cell in row.cells))
            elif getattr(shape, "has_chart", False) and shape.has_chart:
                num_tables += 1
                words += words_of(" ".join(_chart_texts(shape.chart._chartSpace)))

    for slide in pptx.Presentation(str(path)).slides:
        read_shapes(slide.shapes)
        if slide.shapes.title is not None and slide.shapes.title.text.strip():
            headings.append(_plain(slide.shapes.title.text))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            words += words_of(slide.notes_slide.notes_text_frame.text)
        for relation in slide.part.rels.values():
            if relation.reltype.endswith(("/comments", "/diagramData")) and not relation.is_external:
                words += words_of(" ".join(_texts(relation.target_part.blob)))
    return TextFacts(words, headings, num_tables, optional)


def _workbook(path: Path) -> TextFacts:
    """Cached values of shown sheets, comments and text boxes; a date counts by its numbers.

    Charts are optional: they repeat values that stand in cells.
    """
    import openpyxl

    words: Counter[str] = Counter()
    optional: Counter[str] = Counter()
    book = openpyxl.load_workbook(str(path), data_only=True)
    headings: list[str] = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        headings.append(_plain(sheet.title))
        for row in sheet.iter_rows():
            words += words_of(" ".join(str(cell.value) for cell in row if cell.value is not None))
            words += words_of(" ".join(cell.comment.text for cell in row if cell.comment is not None))
        words += words_of(sheet.title)
    optional += words_of(" ".join(sheet.title for sheet in book.chartsheets))
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if re.fullmatch(r"xl/drawings/drawing\d+\.xml", name):
                words += words_of(" ".join(_texts(archive.read(name))))
            elif re.fullmatch(r"xl/charts/chart\d+\.xml", name):
                optional += words_of(" ".join(_chart_texts(etree.fromstring(archive.read(name)))))
    return TextFacts(words, headings, None, optional)


def _texts(content: bytes) -> Iterator[str]:
    """What each paragraph, or a comment of the old form, says."""
    root = etree.fromstring(content)
    for paragraph in root.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}p", "{*}text"):
        yield "".join(paragraph.xpath(".//text()"))


def _chart_texts(chart: Any) -> Iterator[str]:
    """A chart's titles, its categories once, and each series' name and values as the file keeps them."""
    for title in chart.iter("{*}title"):
        yield " ".join(run.text or "" for run in title.iter("{*}t", "{*}v"))
    series = list(chart.iter("{*}ser"))
    categories = [[*one.iterfind("./{*}cat//{*}pt/{*}v"), *one.iterfind("./{*}xVal//{*}pt/{*}v")] for one in series]
    values = [one.iterfind(f"./{{*}}{part}//{{*}}v") for one in series for part in ("tx", "val", "yVal")]
    for points in [max(categories, key=len, default=[]), *values]:
        for point in points:
            number = (point.text or "").strip()
            yield repr(float(number)).removesuffix(".0") if re.fullmatch(r"-?\d+\.\d+", number) else number


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
