"""Writes a document as plain text."""

from __future__ import annotations

from documents.exports.text_blocks import Block, blocks
from documents.values import Document, TextRegion


def plain_text(document: Document) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text."""
    text = "\n\n".join(_indented(block) for block in blocks(document))
    return text + "\n" if text else ""


def _indented(block: Block) -> str:
    """Items of lists within lists stand further in."""
    if not isinstance(block.region, TextRegion) or not block.region.items:
        return block.text
    levels = {item.line: item.level for item in block.region.items}
    return "\n".join("  " * (levels.get(k, 1) - 1) + line for k, line in enumerate(block.text.split("\n")))
