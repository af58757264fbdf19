"""What is true of a drawn page: each printed line with its role, block and place in the order, cells, captions."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from documents.boxes import BoundingBox, Value
from documents.segments.roles import Role

Form = Literal["printed", "tagged", "scanned", "read whole"]
"""By its text layer, without or with its structure tree; as a picture whose lines or whose whole pages OCR reads."""


class TrueWord(Value):
    """Letters without a space between them."""

    text: str
    box: BoundingBox


class TrueLine(Value):
    """A printed line; lines of one block have one `block`; `rank` is None of what has no place in the order."""

    text: str
    box: BoundingBox
    words: tuple[TrueWord, ...] = ()
    role: Role | None = None  # None: nobody knows
    block: int = -1
    rank: float | None = None
    table: int | None = None  # that it stands in


class TrueCell(Value):
    """A cell with words; rows and columns count from 0."""

    table: int
    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1
    text: str


class TrueCaption(Value):
    """What a caption is drawn right before or behind."""

    block: int
    table: int | None  # None: a figure


class TruePage(Value):
    """One page; `number` counts from 1."""

    number: int
    lines: tuple[TrueLine, ...]
    cells: tuple[TrueCell, ...] = ()
    captions: tuple[TrueCaption, ...] = ()


class DrawnTruth(Value):
    """The pages of one drawn document that have a truth, and how the document is to be read."""

    name: str  # of its typesetter and kind
    form: Form
    pages: tuple[TruePage, ...]


def truth_file(path: Path) -> Path:
    """Where the truth of a drawn PDF lies."""
    return path.with_name(f"{path.name}.json")


def drawn_truth(path: Path) -> DrawnTruth:
    """The truth beside a PDF.

    Raises:
        OSError, ValueError: there is none.
    """
    return DrawnTruth.model_validate_json(truth_file(path).read_bytes())
