"""What is known of a page before layout detection: its text lines, ink, images, ruled lines."""

from __future__ import annotations

import base64
import math
from typing import Literal

import numpy as np

from documents.boxes import BoundingBox, Value
from documents.page_tree import PageTree
from documents.values import Annotation, FormField, PageWarning

Hidden = Literal["tiny", "off_page", "no_ink"]
REDACTED_TEXT = "███"  # replaces words that a black bar covers
Rise = Literal["super", "sub"]


class Word(Value):
    """Signs of one line without a blank between them, in one type."""

    text: str
    box: BoundingBox
    font_size: float  # points
    bold: bool = False
    italic: bool = False
    rise: Rise | None = None  # smaller than its line, and above or below its baseline
    spaced: bool = True  # a blank parts it from the word before
    font: str = ""
    link: str | None = None  # an address outside
    struck: bool = False  # a line is drawn through it


class Glyph(Value):
    """A drawn character of what may be a formula, on its baseline."""

    text: str
    box: BoundingBox  # of its ink
    baseline: float  # points from the top of the page
    font_size: float  # points
    font: str


class TextLine(Value):
    """A run of the text layer on one baseline; `box` spans ascender to descender."""

    text: str
    box: BoundingBox
    font_size: float  # points
    bold: bool = False
    colour: int = 0  # 0xRRGGBB, of most of its letters
    monospaced: bool = False
    angle: int = 0  # degrees clockwise that the baseline is turned, to the nearest quarter
    hidden: Hidden | None = None  # why no reader of the page sees it
    invisible: bool = False  # drawn without ink, over ink: the layer that OCR laid under or over a scan
    fonts: tuple[str, ...] = ()
    bad_share: float = 0.0  # of its characters: replacement, private use, control
    words: tuple[Word, ...] = ()  # from the left as printed; none where nobody sees the line
    glyphs: tuple[Glyph, ...] = ()  # of a line with signs of mathematics, or a few characters on a page of such lines


class InkGrid(Value):
    """Which square cells of the page hold contrast: text, lines, pictures; an even surface holds none."""

    cell: float  # points
    num_columns: int
    num_rows: int
    bits: str  # base64 of the cells, row by row, eight a byte
    left: float = 0.0  # of the first cell, points
    top: float = 0.0

    @property
    def box(self) -> BoundingBox:
        right, bottom = self.left + self.num_columns * self.cell, self.top + self.num_rows * self.cell
        return BoundingBox(x0=self.left, y0=self.top, x1=right, y1=bottom)

    def window(self, box: BoundingBox) -> tuple[slice, slice]:
        """The rows and the columns of the cells that a box touches."""
        x0, y0 = max(0, int((box.x0 - self.left) / self.cell)), max(0, int((box.y0 - self.top) / self.cell))
        x1, y1 = math.ceil((box.x1 - self.left) / self.cell), math.ceil((box.y1 - self.top) / self.cell)
        return slice(y0, max(y0, y1)), slice(x0, max(x0, x1))

    def cells(self) -> np.ndarray:
        """bool (num_rows, num_columns)."""
        packed = np.frombuffer(base64.b64decode(self.bits), np.uint8)
        flat = np.unpackbits(packed, count=self.num_rows * self.num_columns)
        return flat.reshape(self.num_rows, self.num_columns).astype(bool)

    @classmethod
    def of(cls, cells: np.ndarray, cell: float) -> InkGrid:
        bits = base64.b64encode(np.packbits(cells).tobytes()).decode("ascii")
        return cls(cell=cell, num_columns=cells.shape[1], num_rows=cells.shape[0], bits=bits)


class Ruling(Value):
    """A straight line that the page draws, or an edge of a drawn box: level or upright, whichever is longer."""

    box: BoundingBox

    @property
    def level(self) -> bool:
        return self.box.width >= self.box.height


class Grid(Value):
    """Boxes that rules enclose, as PyMuPDF's table finder sees them; a merged cell is one box."""

    box: BoundingBox
    cells: tuple[BoundingBox, ...]


class Drawing(Value):
    """Paths near one another, text aside: a drawing, but also the rules of a table or a shaded box."""

    box: BoundingBox
    num_slanted: int  # paths with lines neither level nor upright, or curves; corners and dots are none
    slanted_share: float  # of the box, that these paths are drawn over
    num_arrows: int = 0  # heads of arrows, at which lines end


class Inspection(Value):
    """One page as its file describes it; all boxes in points of the upright, cropped page."""

    number: int  # counts from 1
    width: float
    height: float
    rotation: int = 0  # degrees clockwise that the file asks for; applied already
    lines: tuple[TextLine, ...] = ()  # without its watermarks
    watermarks: tuple[TextLine, ...] = ()
    ink: InkGrid
    images: tuple[BoundingBox, ...] = ()
    rules: tuple[Ruling, ...] = ()
    bars: tuple[BoundingBox, ...] = ()  # level strokes, short ones too, of a page with signs of mathematics
    grids: tuple[Grid, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    printed_lines: tuple[BoundingBox, ...] | None = None  # that its picture shows; None: not looked for
    tree: PageTree | None = None  # of a tagged PDF
    warnings: tuple[PageWarning, ...] = ()
    fields: tuple[FormField, ...] = ()
    annotations: tuple[Annotation, ...] = ()

    @property
    def box(self) -> BoundingBox:
        return BoundingBox(x0=0, y0=0, x1=self.width, y1=self.height)
