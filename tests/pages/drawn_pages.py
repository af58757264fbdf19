"""Draws small pages of text and tables, and shows what was read of them."""

from __future__ import annotations

import pymupdf

from documents.region_values import TableRegion
from documents.values import Document

BODY = (
    "The harbour master keeps the log of the day while the ships wait outside",
    "for the evening tide. A boat that has no lamp stays at the quay until the",
    "morning, and its owner pays for the berth as for a whole day of summer.",
)
NAMES = ("Alta", "Bergen", "Calais", "Dover", "Emden", "Flensburg")


def lines(page: pymupdf.Page, texts, x=72.0, y=120.0, size=10.5, step=14.0):
    for k, text in enumerate(texts):
        page.insert_text((x, y + step * k), text, fontsize=size)


def body(page: pymupdf.Page, num=6, y=120.0):
    for k in range(num):
        lines(page, BODY, y=y + 60 * k)


def grid(page: pymupdf.Page, rows, x=72.0, y=120.0, width=110.0, height=22.0):
    """A ruled table; `rows` are tuples of texts."""
    num_columns = len(rows[0])
    for k in range(len(rows) + 1):
        page.draw_line((x, y + height * k), (x + width * num_columns, y + height * k), width=0.7)
    for k in range(num_columns + 1):
        page.draw_line((x + width * k, y), (x + width * k, y + height * len(rows)), width=0.7)
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            page.insert_text((x + width * column + 5, y + height * row + 15), text, fontsize=9.5)


def flat(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


def tables_of(document: Document) -> list[TableRegion]:
    return [region for page in document.pages for region in page.regions if isinstance(region, TableRegion)]


def rows_of(region: TableRegion) -> list[list[str]]:
    table = region.table
    assert table is not None
    rows = [[""] * table.num_columns for _ in range(table.num_rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = flat(cell.text)
    return rows
