"""The value for what a model that reads whole pages wrote of one: its blocks."""

from __future__ import annotations

from documents.boxes import BoundingBox, Value
from documents.region_values import RegionKind
from documents.values import PageWarning, ReadLine


class PageBlock(Value):
    """A heading, a paragraph, a table or a formula; its text is as that of a `Reading`."""

    kind: RegionKind
    text: str
    box: BoundingBox | None = None  # in shares of the page's width and height, where the model says it


class PageReading(Value):
    """Blocks in the order in which the model reads; a page without a word has none."""

    blocks: tuple[PageBlock, ...] = ()
    confidence: float = 0.0  # 0..1, of the whole answer
    is_doubtful: bool = False  # less sure than text must be: a guess
    looks: tuple[tuple[ReadLine, ...], ...] | None = (
        None  # as those of a `Reading`, boxes in shares of width and height
    )
    reader: str = ""
    num_tokens: int = 0
    warnings: tuple[PageWarning, ...] = ()
