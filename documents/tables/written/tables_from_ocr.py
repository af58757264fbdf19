"""Parses tables that OCR wrote in its format mode (LaTeX, HTML); what does not parse stays text, with a warning."""

from __future__ import annotations

import re

from documents.boxes import BoundingBox
from documents.region_values import Table
from documents.tables.written.cell_placement import placed_table
from documents.tables.written.from_html import from_html
from documents.tables.written.from_latex import from_latex
from documents.values import PageWarning

MARKUP = re.compile(r"\\begin\{(?:table|tabular)\}|<table[\s>]")
PARSE_WARNING = PageWarning(
    code="table_not_parsed", message="OCR wrote a table that does not parse; it is kept as text"
)


def is_written(text: str) -> bool:
    """Whether a reading is, or holds, a table in markup."""
    return bool(MARKUP.search(text))


def written_table(text: str, box: BoundingBox) -> Table | None:
    """The table of a reading; markup tells no places, so each cell has the region's box. None if it does not parse."""
    text = text.strip()
    is_html = text.startswith("<")
    rows = from_html(text) if is_html else from_latex(text)
    return None if rows is None else placed_table(rows, box, holds_covered=not is_html)
