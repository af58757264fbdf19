"""Writes a document as MinerU's middle JSON: the blocks of each page with their lines, in points.

Clients read where a table goes on over pages from it: they take every table whose words stand in the one that they look
for. So only a table of several pages has its words here; equal tables on different pages would be taken for one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from deployments.ingress.facades.mineru.content_list import furniture_kind
from documents.boxes import NO_BOX, BoundingBox
from documents.exports.text_blocks import Block, blocks
from documents.region_values import (
    FigureRegion,
    FormulaRegion,
    FurnitureRegion,
    Region,
    Table,
    TextRegion,
    TitleRegion,
    table_in,
)
from documents.values import Document, Page

BACKEND: Final = "pipeline"  # the name of MinerU's backend that is, like this server, a pipeline of models
_Item = dict[str, Any]


def middle_json(document: Document, version: str) -> _Item:
    """Every page with its blocks; `page_idx` counts from 0 in the whole document."""
    para_blocks: defaultdict[int, list[_Item]] = defaultdict(list)
    for block in blocks(document, with_figures=True):
        for part, words in zip(block.parts, _words_of_parts(block), strict=True):
            if part.region.box != NO_BOX:
                para_blocks[part.page].append(_block(part.region, words))
    pages = [_page(page, para_blocks[page.number]) for page in document.pages]
    return {"pdf_info": pages, "_backend": BACKEND, "_version_name": version}


def _page(page: Page, para_blocks: Sequence[_Item]) -> _Item:
    furniture = [region for region in page.regions if isinstance(region, FurnitureRegion) and region.box != NO_BOX]
    return {
        "page_idx": page.number - 1,
        "page_size": list(page.size),
        "preproc_blocks": [],
        "para_blocks": para_blocks,
        "discarded_blocks": [_block(region, "") | {"type": furniture_kind(page, region)} for region in furniture],
    }


def _block(region: Region, words: str) -> _Item:
    """A block of one region; `words` are those of a table."""
    box = _edges(region.box)
    match region:
        case FigureRegion():
            return {"type": "image", "bbox": box, "blocks": [_body("image", box, {})]}
        case _ if table_in(region) is not None:
            return {"type": "table", "bbox": box, "blocks": [_body("table", box, {"content": words} if words else {})]}
        case FormulaRegion(latex=latex, text=text):
            span = {"type": "interline_equation", "bbox": box, "content": latex or text}
            return {"type": "interline_equation", "bbox": box, "lines": [{"bbox": box, "spans": [span]}]}
        case TitleRegion():
            kind = "title"
        case TextRegion(items=(_, *_)):
            kind = "list"
        case _:
            kind = "text"
    lines = [
        {"bbox": _edges(span.box), "spans": [{"type": "text", "bbox": _edges(span.box), "content": span.text}]}
        for span in region.spans
    ]
    return {"type": kind, "bbox": box, "lines": lines}


def _body(kind: str, box: list[float], content: _Item) -> _Item:
    span = {"type": kind, "bbox": box, **content}
    return {"type": f"{kind}_body", "bbox": box, "lines": [{"bbox": box, "spans": [span]}]}


def _words_of_parts(block: Block) -> list[str]:
    """The words of each part as the whole table has them: without a repeated heading or a row that only goes on."""
    whole = table_in(block.region)
    if whole is None or len(block.parts) == 1:
        return [""] * len(block.parts)
    everything = _joined(whole, 0)
    num_header_rows = whole.num_header_rows
    all_words: list[str] = []
    # the words of the next part stand between these places: parts follow each other, so none searches the whole table
    start = end = 0
    for part in block.parts:
        table = table_in(part.region)
        # a later part loses the heading where it repeats it, and the first row behind it where that only goes on
        first_rows = sorted({0, 1, num_header_rows, num_header_rows + 1}) if all_words else [0]
        candidates = [] if table is None else [_joined(table, row) for row in first_rows]
        lengths = [len(words) for words in candidates] or [0]
        end += max(lengths)
        places = ((everything.find(words, start, end), words) for words in candidates if words)
        place, words = next(((place, words) for place, words in places if place >= 0), (-1, ""))
        if words:
            start = end = place + len(words)
        else:  # its last row is longer in the whole table, where each cell has lost a hyphen at most
            start += max(0, min(lengths) - whole.num_columns)
        all_words.append(words)
    return all_words


def _joined(table: Table, row: int) -> str:
    """The words of all cells from a row on."""
    cells = sorted(table.cells, key=lambda cell: (cell.row, cell.column))
    return "".join("".join(cell.text.split()) for cell in cells if cell.row >= row)


def _edges(box: BoundingBox) -> list[float]:
    return [round(edge, 2) for edge in (box.x0, box.y0, box.x1, box.y1)]
