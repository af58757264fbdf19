"""Reads plain text and CSV files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

from documents.office.packages.text_budget import TextBudget
from documents.office.packages.text_decoding import decoded
from documents.office.packages.unpack_limits import MAX_CELLS, MAX_COLUMNS
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean, raw
from documents.office.parsed_file import Authored
from documents.office.table_grid import GridCell, table_of
from documents.places import LinePlace, SheetPlace, range_name

MAX_PARAGRAPH_LINES = 40  # maximum number of lines of running text without an empty line
SAMPLE_CHARACTERS = 16_384  # the separator is detected in these first characters
SEPARATORS = ",;\t|"
NUMBER = re.compile(r"\W{0,3}\d[\d.,'’ \xa0]{0,40}\W{0,3}[^\W\d]{0,4}")  # a number may have a currency or unit
# an instruction to spreadsheet programs, which do not show it
SEPARATOR_LINE = re.compile(r'sep=([^\w\s"]|\t)\r?\n', re.IGNORECASE)
MAX_FIELD_CHARACTERS = 1_000_000


def parse_plain(content: bytes, budget: TextBudget) -> Authored:
    """Paragraphs are parted by empty lines. Raises FileTooLarge."""
    writer = PageWriter(budget)
    for text, first, last in paragraphs_of(raw_lines(writer.read_as(decoded(content)))):
        writer.paragraph(Words(text), LinePlace(first=first, last=last))
    return Authored(pages=writer.pages(), outline=writer.outline, warnings=writer.warnings())


def raw_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def paragraphs_of(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """The texts between empty lines, with their first and last line from 1."""
    texts: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        text = raw(line).rstrip()
        if text.strip() and len(texts) < MAX_PARAGRAPH_LINES:
            texts.append(text)
            continue
        if texts:
            yield "\n".join(texts), number - len(texts), number - 1
        texts = [text] if text.strip() else []


def parse_separated(content: bytes, budget: TextBudget) -> Authored:
    """One table, whose first row is its header; rows behind the bounds are left out. Raises FileTooLarge."""
    writer = PageWriter(budget, form="sheet")
    text = writer.read_as(decoded(content)).replace("\x00", "")
    named = SEPARATOR_LINE.match(text)
    text = text[named.end() :] if named is not None else text
    separator = named[1] if named is not None else _separator(text)
    rows: list[list[GridCell]] = []
    num_cells = 0
    csv.field_size_limit(MAX_FIELD_CHARACTERS)
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            num_cells += len(row)
            if num_cells > MAX_CELLS:
                writer.leave_out(len(row))
                break
            writer.leave_out(len(row[MAX_COLUMNS:]))
            rows.append([GridCell(clean(cell)) for cell in row[:MAX_COLUMNS]])
    except csv.Error:
        return parse_plain(content, budget)
    while rows and not any(cell.text for cell in rows[-1]):
        rows.pop()
    table = table_of(rows, num_header_rows=int(len(rows) > 1))
    if table is not None:
        place = SheetPlace(sheet="", range=range_name(0, 0, table.num_rows - 1, table.num_columns - 1))
        writer.table(table, place)
    return Authored(pages=writer.pages(), warnings=writer.warnings())


def _separator(text: str) -> str:
    """The one that cuts a sample into rows of one width and cells without other separators."""
    sample = text[:SAMPLE_CHARACTERS]
    rows = {separator: _rows(sample, separator, is_cut=len(text) > SAMPLE_CHARACTERS) for separator in SEPARATORS}

    def fit(separator: str) -> tuple[float, int]:
        widths = Counter(len(row) for row in rows[separator] if len(row) > 1)
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        cells = [cell for row in rows[separator] for cell in row]
        others = re.compile(f"[{re.escape(SEPARATORS.replace(separator, ''))}](?! )")
        num_whole = sum(NUMBER.fullmatch(cell) is not None or others.search(cell) is None for cell in cells)
        return count / max(1, len(rows[separator])) * num_whole / max(1, len(cells)), width

    return max(SEPARATORS, key=fit)


def _rows(sample: str, separator: str, *, is_cut: bool) -> list[list[str]]:
    """The rows of a sample that are not empty; the last one is left out where the sample ends within it."""
    try:
        rows = [row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=separator) if any(row)]
    except csv.Error:
        return []
    return rows[:-1] if is_cut and len(rows) > 1 else rows
