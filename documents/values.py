"""The values of a document: Document, Page, Detection, Reading, warnings, outline, attachments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from documents.boxes import BoundingBox, Value
from documents.invoice_values import Invoice
from documents.places import Place
from documents.region_values import (
    Region,
    RegionKind,
    SourceReason,
    TextRange,
)

OcrMode = Literal["plain", "format"]  # output of OCR
PageForm = Literal["print", "flow", "slide", "sheet"]  # a printed page; a part of running text; the others as named
CONFIDENCE_DIGITS = 3


class PageWarning(Value):
    """Something a person should know about a page or a document; `code` is one of the documented table."""

    code: str
    message: str
    page: int | None = None
    box: BoundingBox | None = None
    rule: str | None = None  # the rule of page structure that failed


class DroppedLine(Value):
    """A line of the text layer that is to be seen and in no region: OCR was to read it again."""

    text: str
    box: BoundingBox
    reason: SourceReason  # why the text layer was not used there


FieldKind = Literal["text", "check", "radio", "choice", "signature"]
FieldState = Literal["on", "off", "signed", "unsigned"]


class FormField(Value):
    """A field of a form that a reader of the page sees; its value is what the file stores, whatever it draws there."""

    name: str  # as the file has it, the names of groups before it: `applicant.address.city`
    label: str = ""  # what the form's author wrote about it for those who fill it in
    kind: FieldKind
    value: str = ""  # written, chosen (one per line), or signed by; of a button what it stands for when it is on
    state: FieldState | None = None  # of buttons and signatures
    box: BoundingBox


AnnotationKind = Literal[
    "note",
    "highlight",
    "underline",
    "squiggly",
    "strike_out",
    "caret",
    "free_text",
    "stamp",
    "drawing",
    "file",
]


class Annotation(Value):
    """A comment that somebody put on a page: it stands beside the page's text and is no part of it."""

    kind: AnnotationKind
    text: str = ""  # what was written
    author: str = ""
    date: str | None = None  # when it was last changed: ISO 8601, with an offset if the file has one
    box: BoundingBox
    parts: tuple[BoundingBox, ...] = ()  # of a mark, one for each line
    words: str = ""  # that it marks; of a stamp, that it shows
    place: Place | None = None  # in a file without printed pages, where the box is NO_BOX
    reply_to: int | None = None  # place of the comment that it answers, among those of the page, from 0


class Page(Value):
    """One page as facts; `size` is (width, height) in points after `rotation`, (0, 0) where nothing is drawn.

    A file without printed pages has pages, too: its slides, its sheets, or the parts that its text falls into.

    Each visible line of its text layer is in one region, whole or in parts, or in `dropped`.
    """

    number: int  # counts from 1
    size: tuple[float, float]
    form: PageForm = "print"
    name: str = ""  # of a sheet, a slide, a chapter, an attachment
    rotation: int = 0
    regions: tuple[Region, ...] = ()
    dropped: tuple[DroppedLine, ...] = ()
    warnings: tuple[PageWarning, ...] = ()
    fields: tuple[FormField, ...] = ()  # of a form, in the order of the file
    annotations: tuple[Annotation, ...] = ()  # comments, in the order of the file

    def at(self, number: int) -> Page:
        """The same page under another number."""
        warnings = tuple(
            warning if warning.page is None else warning.model_copy(update={"page": number})
            for warning in self.warnings
        )
        return self.model_copy(update={"number": number, "warnings": warnings})


class OutlineItem(Value):
    """An entry of the PDF's own outline."""

    level: int  # counts from 1
    title: str
    page: int | None


AttachmentsAs = Literal["pages", "documents"]


class Attachment(Value):
    """A file that came with a mail or in a PDF: its pages follow those of that file, or it is a document of its own."""

    name: str
    media_type: str  # by its content, else as the mail has it
    size: int  # bytes
    document_id: str | None = None  # of a document of its own
    job_id: str | None = None


class Document(Value):
    """What one revision of a document says; the same bytes and options give the same Document."""

    id: str
    revision: int
    pages: tuple[Page, ...]
    outline: tuple[OutlineItem, ...] = ()
    metadata: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it
    warnings: tuple[PageWarning, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    invoice: Invoice | None = None  # that the file carries as data


class Source(Value):
    """Where the bytes of a document lie, what they are by their content, its password, and whose they are."""

    path: str  # or another address, where the pool of children knows its path
    media_type: str
    part: str | None = None  # a picture inside of it that is meant, which is then its only page
    password: str | None = None
    namespace: str = "default"  # no renderer's process serves two
    attachments: AttachmentsAs | Literal["none"] = (
        "pages"  # what those of a mail or PDF become; none: a PDF's stay unread
    )


class Opened(Value):
    """What opening a document tells before any page is looked at."""

    num_pages: int
    pixel_size: tuple[int, int] | None = None  # (width, height) of an image's first page, upright
    picture_size: tuple[int, int] | None = None  # of the same as it is drawn: a fax gets square pixels
    metadata: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it
    outline: tuple[OutlineItem, ...] = ()
    warnings: tuple[PageWarning, ...] = ()
    page_labels: tuple[str, ...] = ()  # what the file itself calls its pages, one per page: `iii`, `A-2`
    attachments: tuple[Attachment, ...] = ()
    invoice: Invoice | None = None  # its fields unchecked: no page was looked at


class Detection(Value):
    """One region as the layout network sees it; the box is in points if the page's size was given, else in pixels."""

    kind: RegionKind
    box: BoundingBox
    score: float

    def as_kind(self, kind: RegionKind, box: BoundingBox | None = None) -> Detection:
        """Of another kind, and in another box if there is one."""
        return Detection(kind=kind, box=box or self.box, score=self.score)


class ReadLine(Value):
    """One line that OCR read; boxes in pixels of the crop."""

    text: str
    box: BoundingBox
    words: tuple[BoundingBox, ...] = ()  # of its parts between blanks, where they could be told
    confidence: float  # 0..1: how likely its words are what is printed
    word_confidences: tuple[float, ...] = ()  # of its parts between spaces
    reader: str = ""  # another one than the reading's, where it is

    def scaled(self, x: float, y: float) -> ReadLine:
        """The same line in another unit."""
        return self.model_copy(
            update={"box": self.box.scaled(x, y), "words": tuple(word.scaled(x, y) for word in self.words)}
        )


class Reading(Value):
    """What OCR read in one crop, lines from the top."""

    text: str
    lines: tuple[ReadLine, ...] = ()
    unreadable: tuple[ReadLine, ...] = ()  # lines too doubtful to be text; theirs is a guess
    confidence: float | None = None  # of its lines, weighted by letters; None if nothing was read
    looks: tuple[tuple[ReadLine, ...], ...] | None = None  # lines as further looks read them; None: nobody looked again
    unproved: tuple[TextRange, ...] = ()  # digits of its text that none of these looks read
    reader: str = ""
    num_tokens: int = 0
    warnings: tuple[PageWarning, ...] = ()

    def with_lines(self, lines: Sequence[ReadLine], unreadable: Sequence[ReadLine]) -> Reading:
        """With these lines as its text, and its confidence from theirs."""
        length = sum(len(line.text) for line in lines)
        sure = sum(len(line.text) * line.confidence for line in lines) / length if length else None
        update = {
            "text": "\n".join(line.text for line in lines),
            "lines": tuple(lines),
            "unreadable": tuple(unreadable),
            "confidence": None if sure is None else round(sure, CONFIDENCE_DIGITS),
        }
        return self.model_copy(update=update)
