"""The kinds of region (text, title, table, formula, figure, caption, furniture) and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from pydantic import Field, TypeAdapter, model_validator

from documents.boxes import BoundingBox, Value
from documents.places import Place

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
    "a block that the structure network reads as one",
    "lines of a table that none of its cells holds",
    "words that a rule lost",
    "tagged by the file's author",
    "a watermark of the page",
    "written by the file's author",
]
SourceReason = Literal[  # why a region's text comes from where it does
    "",
    "asked for",
    "nothing to read",
    "no text layer",
    "characters without a meaning",
    "implausible letters",
    "ink without text",
    "no ink to read",
    "OCR read nothing",
    "sound",
]
CaptionKind = Literal["figure_caption", "table_caption", "table_footnote", "formula_caption"]
Kind = TypeVar("Kind", bound=RegionKind)
Note = Literal["foot", "side"]  # where a note stands: at the foot of a page or column, or in the margin


class TextRange(Value):
    """`text[start:end]`, which neither begins nor ends with a space."""

    start: int
    end: int

    def later(self, by: int) -> TextRange:
        """The same in a text that begins `by` characters later."""
        return TextRange(start=self.start + by, end=self.end + by)


class InlineFormula(TextRange):
    """A formula within a line: `text[start:end]` says it in plain characters."""

    latex: str

    def later(self, by: int) -> InlineFormula:
        return InlineFormula(start=self.start + by, end=self.end + by, latex=self.latex)


class Script(TextRange):
    """A raised or lowered part of a line: an exponent or index or, as `is_note`, the mark of a note."""

    rise: Literal["super", "sub"]
    is_note: bool = False

    def later(self, by: int) -> Script:
        return self.model_copy(update={"start": self.start + by, "end": self.end + by})


class Span(Value):
    """One printed line of a region, or its part there; `font_size` in points where the text layer tells it.

    In a file without printed pages it is a paragraph or item of its own, and `place` says where it stands.

    `text[text_start:text_end]` of the region is what became of it there: without the hyphen, for one, that breaks its
    last word. Both are None where the region's text is not made of its lines, and in pages of schemas before 1.4.
    """

    text: str
    box: BoundingBox
    source: TextSource
    font_size: float | None = None
    bold: bool = False
    colour: int | None = None  # 0xRRGGBB, where the text layer tells it
    text_start: int | None = None
    text_end: int | None = None
    confidence: float | None = None  # 0..1, of OCR: how likely its words are what is printed
    word_confidences: tuple[float, ...] = ()  # of its parts between spaces, where OCR tells them
    reader: str | None = None  # who read it, where that is another one than its region's
    place: Place | None = None  # in a file without printed pages
    struck: tuple[TextRange, ...] = ()  # what is struck out of `text`
    scripts: tuple[Script, ...] = ()  # what is raised or lowered in `text`

    def placed(self, start: int | None, end: int | None) -> Span:
        """The line at this place of its region's text."""
        return self.model_copy(update={"text_start": start, "text_end": end})

    def with_text(self, text: str) -> Span:
        """The line with another text, in which its struck words are the next that read so."""
        struck: list[TextRange] = []
        end = 0
        for words in self.struck:
            start = text.find(self.text[words.start : words.end], end)
            if start >= 0:
                end = start + words.end - words.start
                struck.append(TextRange(start=start, end=end))
        return self.model_copy(update={"text": text, "struck": tuple(struck), "scripts": ()})


class UnreadableLine(Value):
    """A printed line, or words of one, that OCR could not read for sure: no part of any text; `guess` may be right."""

    guess: str
    box: BoundingBox
    confidence: float  # 0..1


class Link(Value):
    """Words of a region that lead to an address outside, as they stand in its text; never opened by us.

    They are `text[start:end]` of the region. Both are None in pages of schemas before 1.8: there, the links stand in
    their order where their words are next.
    """

    text: str
    uri: str
    start: int | None = None
    end: int | None = None

    def later(self, by: int) -> Link:
        """The same in a text that begins `by` characters later."""
        if self.start is None or self.end is None:
            return self
        return self.model_copy(update={"start": self.start + by, "end": self.end + by})


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
    struck: tuple[TextRange, ...] = ()  # what is struck out of its text
    formulas: tuple[InlineFormula, ...] = ()  # in the order of its text
    unproved: tuple[TextRange, ...] = ()  # digits of its text that nothing but one look of a model says
    scripts: tuple[Script, ...] = ()  # what is raised or lowered in its text


class Table(Value):
    """Cells by row, then column; no two stand in the same place, and the first `num_header_rows` rows are headers."""

    num_rows: int
    num_columns: int
    num_header_rows: int
    cells: tuple[TableCell, ...]


class BaseRegion(Value, Generic[Kind]):
    """A part of a page with one kind, in its place in the reading order (`order` counts from 0).

    In JSON it may hold fields of other kinds, as all regions did in stored pages; they say nothing and are left out.
    """

    kind: Kind
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
    unreadable: tuple[UnreadableLine, ...] = ()  # lines of it that are in no text
    angle: int = 0  # degrees clockwise that the text is turned
    heading: float | None = None  # 0..1: how likely its page shows it as a heading, where the structure network read it
    furniture: float | None = None  # 0..1: likewise, as a running head, a page number or a stamp
    order: int = 0
    links: tuple[Link, ...] = ()  # in the order of the text
    struck: tuple[
        TextRange, ...
    ] = ()  # what is struck out of its text; cells of a table have their own, as of all below
    formulas: tuple[InlineFormula, ...] = ()  # within its lines
    unproved: tuple[TextRange, ...] = ()  # digits of its text that only one look of a model reads
    scripts: tuple[Script, ...] = ()  # what is raised or lowered in its text
    place: Place | None = None  # in a file without printed pages, where the box is NO_BOX but on slides

    @model_validator(mode="before")
    @classmethod
    def _without_fields_of_other_kinds(cls, fields: Any) -> Any:
        if not isinstance(fields, Mapping) or KIND_FIELDS.isdisjoint(fields):
            return fields
        return {name: value for name, value in fields.items() if name in cls.model_fields or name not in KIND_FIELDS}


class TextRegion(BaseRegion[Literal["plain text"]]):
    """Running text, a list, a program, or a note."""

    code: bool = False  # lines of a program, each with its indent
    continues: bool = False  # its text goes on from the text region before it
    items: tuple[ListItem, ...] = ()  # of lists, by line
    note: Note | None = None  # no part of the text that runs through the page


class TitleRegion(BaseRegion[Literal["title"]]):
    """A heading."""

    level: int | None = None  # 1 is the highest; None until the whole document is known


class TableRegion(BaseRegion[Literal["table"]]):
    """A table, with its cells or as lines."""

    table: Table | None = None  # where rows and columns were found
    continues: bool = False  # it goes on with the table that the page before ends with


class FormulaRegion(BaseRegion[Literal["isolate_formula"]]):
    """A formula on lines of its own."""

    latex: str | None = None  # where all of its signs are known


class FigureRegion(BaseRegion[Literal["figure"]]):
    """A picture or drawing; its text is what stands in it."""

    alt: str = ""  # what the file's author says in its place: nobody sees it on the page
    picture: str | None = None  # the picture inside a file without printed pages, as `Source.part` names it


class CaptionRegion(BaseRegion[CaptionKind]):
    """A caption, or the note of a table."""

    describes: int | None = None  # the `order` of its figure, table or formula
    note: Note | None = None  # no part of the text that runs through the page


class FurnitureRegion(BaseRegion[Literal["abandon"]]):
    """A running head, a page number, a stamp: no part of the text."""


Region = Annotated[
    TextRegion | TitleRegion | TableRegion | FormulaRegion | FigureRegion | CaptionRegion | FurnitureRegion,
    Field(discriminator="kind"),
]
KIND_FIELDS = frozenset(
    {"level", "latex", "alt", "picture", "table", "code", "continues", "items", "note", "describes"}
)
NOTE_KINDS = {"plain text", "table_footnote"}  # a region of these kinds may be a note at the foot of a page
REGION_TYPE: TypeAdapter[Region] = TypeAdapter(Region)


def table_in(region: Region) -> Table | None:
    """Its rows and columns, if it is a table of which these were found."""
    return region.table if isinstance(region, TableRegion) else None


def region_of(kind: RegionKind, **fields: Any) -> Region:
    """A region of this kind; raises pydantic's ValidationError for fields that no kind has."""
    return REGION_TYPE.validate_python({"kind": kind, **fields})


def as_kind(region: Region, kind: RegionKind, **fields: Any) -> Region:
    """The region as one of another kind, with these fields again.

    What not all kinds have is left out, be there one of the same name: a text that continues one is no table that
    continues one. A `note` alone is the same of text and of the notes of tables.
    """
    kinds = {kind, region.kind}
    if len(kinds) == 1 or kinds.issubset(get_args(CaptionKind)):
        return region_of(**{**dict(region), **fields, "kind": kind})
    left_out = KIND_FIELDS - {"note"} if kinds == NOTE_KINDS else KIND_FIELDS
    shared_fields = {name: value for name, value in region if name not in left_out}
    return region_of(**{**shared_fields, **fields, "kind": kind})
