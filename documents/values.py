"""The values that a document is made of; all are frozen, and a box is always in PDF points of the upright page."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

RegionKind = Literal[
    "title",
    "plain text",
    "abandon",
    "figure",
    "figure_caption",
    "table",
    "table_caption",
    "table_footnote",
    "isolate_formula",
    "formula_caption",
]
TextSource = Literal["text_layer", "ocr"]
RegionOrigin = Literal[  # how a region came to be one of its own
    "",
    "found by the layout network",
    "lines of the text layer that no found region holds",
    "ink that no found region holds",
    "a part of a found region that another one divides",
    "words that a rule lost",
]
SourceReason = Literal[  # why a region's text comes from where it does
    "",
    "asked for",
    "nothing to read",
    "no text layer",
    "characters without a meaning",
    "implausible letters",
    "ink without text",
    "sound",
]
OcrMode = Literal["plain", "format"]  # what OCR is asked for
Note = Literal["foot", "side"]  # where a note stands: at the foot of a page or column, or in the margin


class Value(BaseModel):
    """Equal when its fields are equal; never changed after it is made. Its numbers are finite: JSON can tell them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class BoundingBox(Value):
    """A rectangle with its origin top left, after the page's rotation: in PDF points unless said otherwise."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: BoundingBox) -> float:
        """The area that both cover."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)

    def union(self, other: BoundingBox) -> BoundingBox:
        """The smallest box that holds both."""
        return BoundingBox(
            x0=min(self.x0, other.x0), y0=min(self.y0, other.y0), x1=max(self.x1, other.x1), y1=max(self.y1, other.y1)
        )

    def contains(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def scaled(self, x: float, y: float) -> BoundingBox:
        """In other units: `x` and `y` are the new units a present one."""
        return BoundingBox(x0=self.x0 * x, y0=self.y0 * y, x1=self.x1 * x, y1=self.y1 * y)

    def shifted(self, x: float, y: float) -> BoundingBox:
        return BoundingBox(x0=self.x0 + x, y0=self.y0 + y, x1=self.x1 + x, y1=self.y1 + y)

    @classmethod
    def around(cls, boxes: list[BoundingBox]) -> Self:
        """The smallest box that holds all of `boxes` (at least one)."""
        if len(boxes) == 1 and type(boxes[0]) is cls:
            return boxes[0]
        return cls(
            x0=min(b.x0 for b in boxes),
            y0=min(b.y0 for b in boxes),
            x1=max(b.x1 for b in boxes),
            y1=max(b.y1 for b in boxes),
        )


class PageWarning(Value):
    """Something a person should know about a page or a document; `code` is one of the documented table."""

    code: str
    message: str
    page: int | None = None
    box: BoundingBox | None = None


class Span(Value):
    """One printed line of a region, or its part there; `font_size` in points where the text layer tells it.

    `text[text_start:text_end]` of the region is what became of it there: without the hyphen, for one, that breaks its
    last word. Both are None where the region's text is not made of its lines, and in pages of schemas before 1.4.
    """

    text: str
    box: BoundingBox
    source: TextSource
    font_size: float | None = None
    bold: bool = False
    text_start: int | None = None
    text_end: int | None = None

    def placed(self, start: int | None, end: int | None) -> Span:
        """The line at this place of its region's text."""
        return self.model_copy(update={"text_start": start, "text_end": end})


class Link(Value):
    """Words of a region that lead to an address outside, as they stand in its text; never opened by us."""

    text: str
    uri: str


class ListItem(Value):
    """A line of a region's text (`line` counts from 0) that a bullet or number marks; level 1 is the outermost."""

    line: int
    marker: str
    level: int = 1
    box: BoundingBox  # of the marker; the region's where OCR does not tell it


class TableCell(Value):
    """One cell; rows and columns count from 0, and a merged cell stands where it begins."""

    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1
    text: str
    box: BoundingBox


class Table(Value):
    """Cells by row, then column; no two stand in the same place, and the first `num_header_rows` rows are headers."""

    num_rows: int
    num_columns: int
    num_header_rows: int
    cells: tuple[TableCell, ...]


class Region(Value):
    """A part of a page with one kind, in its place in the reading order (`order` counts from 0)."""

    kind: RegionKind
    box: BoundingBox
    score: float
    spans: tuple[Span, ...] = ()
    text: str = ""
    text_source: TextSource = "text_layer"
    reader: str | None = None  # the OCR checkpoint that read it
    reason: SourceReason = ""  # why this text source
    origin: RegionOrigin = ""  # how it came to be a region of its own
    rules: tuple[str, ...] = ()  # names of the rules of page structure that made it or changed its kind, in their order
    confidence: float | None = None  # 0..1, of OCR
    angle: int = 0  # degrees clockwise that the text is turned
    order: int = 0
    level: int | None = None  # of a title: 1 is the highest
    latex: str | None = None  # of a formula, where all of its signs are known
    table: Table | None = None  # where rows and columns were found
    code: bool = False  # lines of a program, each with its indent
    links: tuple[Link, ...] = ()  # in the order of the text
    continues: bool = False  # its text goes on from the text region before it
    items: tuple[ListItem, ...] = ()  # of lists, by line
    note: Note | None = None  # no part of the text that runs through the page
    describes: int | None = None  # of a caption or a table's note: the `order` of its figure, table or formula


class Page(Value):
    """One page as facts; `size` is (width, height) in points after `rotation`."""

    number: int  # counts from 1
    size: tuple[float, float]
    rotation: int = 0
    regions: tuple[Region, ...] = ()
    warnings: tuple[PageWarning, ...] = ()


class OutlineItem(Value):
    """An entry of the PDF's own outline."""

    level: int  # counts from 1
    title: str
    page: int | None


class Document(Value):
    """What one revision of a document says; the same bytes and options give the same Document."""

    id: str
    revision: int
    pages: tuple[Page, ...]
    outline: tuple[OutlineItem, ...] = ()
    metadata: dict[str, str] = {}
    warnings: tuple[PageWarning, ...] = ()


class Source(Value):
    """Where the bytes of a document lie, what they are by their magic, its password, and whose they are."""

    path: str
    media_type: str
    password: str | None = None
    namespace: str = "default"  # no renderer's process serves two


class Opened(Value):
    """What opening a document tells before any page is looked at."""

    num_pages: int
    pixel_size: tuple[int, int] | None = None  # (width, height) of an image's first page, upright
    metadata: dict[str, str] = {}
    outline: tuple[OutlineItem, ...] = ()
    warnings: tuple[PageWarning, ...] = ()


class Detection(Value):
    """One region as the layout network sees it; the box is in points if the page's size was given, else in pixels."""

    kind: RegionKind
    box: BoundingBox
    score: float


class ReadLine(Value):
    """One line that OCR read; boxes in pixels of the crop."""

    text: str
    box: BoundingBox
    words: tuple[BoundingBox, ...] = ()  # of its parts between blanks, where they could be told
    confidence: float  # 0..1: exp of the mean log-probability of its tokens


class Reading(Value):
    """What OCR read in one crop, lines from the top."""

    text: str
    lines: tuple[ReadLine, ...] = ()
    confidence: float | None = None  # weighted by tokens; None if nothing was read
    reader: str = ""
    num_tokens: int = 0
    warnings: tuple[PageWarning, ...] = ()
