"""A document as plain text: the words of its Markdown without any sign that is not printed."""

from __future__ import annotations

from documents.flow import blocks
from documents.values import Document


def plain_text(document: Document) -> str:
    """Blocks parted by blank lines; ends with a line's end if there is any text."""
    text = "\n\n".join(block.text for block in blocks(document))
    return text + "\n" if text else ""
