"""Writes a document as plain text."""

from __future__ import annotations

from documents.exports.linked_text import struck_text
from documents.exports.text_blocks import Block, blocks
from documents.region_values import TextRegion, table_in
from documents.tables.written.table_markup import plain
from documents.values import Document


def plain_text(document: Document) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text."""
    text = "\n\n".join(_indented(block) for block in blocks(document))
    return text + "\n" if text else ""


def _indented(block: Block) -> str:
    """Items of lists within lists stand further in."""
    table = table_in(block.region)
    if table is not None:
        return plain(table, lambda cell: struck_text(cell.text, cell.struck))
    text = struck_text(block.text, block.region.struck)
    if not isinstance(block.region, TextRegion) or not block.region.items:
        return text
    levels = {item.line: item.level for item in block.region.items}
    return "\n".join("  " * (levels.get(k, 1) - 1) + line for k, line in enumerate(text.split("\n")))
