"""Reads the comments of a PDF page: notes, marked words, free text, stamps; and keeps them out of its text and picture.

What stands beside a page's text is no part of it: what free text, stamps and signs of notes draw is hidden before the
page is read or drawn. Typewriter text, with which people fill in a form, is text of the page, and so is a stamp or free
text as large as the page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import islice

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.pdf.marked_words import MarkedWords
from documents.values import Annotation, AnnotationKind, PageWarning

MAX_ANNOTATIONS = 2000  # maximum number of annotations per page
MAX_CANDIDATES = 2 * MAX_ANNOTATIONS  # maximum number of annotations that are checked whether they are comments
MAX_VISITED = 50_000  # annotations of a page, of any kind
MAX_TEXT_CHARACTERS = 20_000  # maximum length of one comment, or of the words that it marks
MAX_AUTHOR_CHARACTERS = 200
MAX_PAGE_CHARACTERS = 1_000_000  # maximum length of all comments of a page
MAX_PARTS = 200  # boxes of one mark
MAX_PAGE_PARTS = 20_000  # boxes of all marks of a page
MAX_AREA_SHARE = 0.5  # an annotation over more of the page's area is the page itself
INVISIBLE_FLAG = 1  # flags of an annotation
HIDDEN_FLAG = 2
NO_VIEW_FLAG = 32
HIDDEN_KEY = "PagemillHidden"  # key of an annotation that is hidden here
KINDS: Mapping[int, AnnotationKind] = {
    mupdf.PDF_ANNOT_TEXT: "note",
    mupdf.PDF_ANNOT_HIGHLIGHT: "highlight",
    mupdf.PDF_ANNOT_UNDERLINE: "underline",
    mupdf.PDF_ANNOT_SQUIGGLY: "squiggly",
    mupdf.PDF_ANNOT_STRIKE_OUT: "strike_out",
    mupdf.PDF_ANNOT_CARET: "caret",
    mupdf.PDF_ANNOT_FREE_TEXT: "free_text",
    mupdf.PDF_ANNOT_STAMP: "stamp",
    mupdf.PDF_ANNOT_FILE_ATTACHMENT: "file",
    **dict.fromkeys(
        (
            mupdf.PDF_ANNOT_LINE,
            mupdf.PDF_ANNOT_SQUARE,
            mupdf.PDF_ANNOT_CIRCLE,
            mupdf.PDF_ANNOT_POLYGON,
            mupdf.PDF_ANNOT_POLY_LINE,
            mupdf.PDF_ANNOT_INK,
        ),
        "drawing",
    ),
}
MARKS: tuple[AnnotationKind, ...] = ("highlight", "underline", "squiggly", "strike_out")
# the drawings of these kinds are hidden
HIDDEN_KINDS: tuple[AnnotationKind, ...] = ("note", "caret", "free_text", "stamp", "file")
TEXT_REQUIRED_KINDS: tuple[AnnotationKind, ...] = ("drawing", "file")  # no comments unless something is written to them
_TAG = re.compile(r"<[^<>]*>")
_BREAK_TAG = re.compile(r"</p>|<br[^<>]*>", re.I)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)(?:'?(\d\d))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Stored:
    """An annotation of the page, and its dictionary in the file."""

    annot: mupdf.PdfAnnot
    kind: AnnotationKind
    fields: mupdf.PdfObj


def hide_comments(page: pymupdf.Page) -> None:
    """Hide what comments draw: what is drawn or read of the page from now on is the page without them."""
    for stored in _stored(page)[0]:
        with suppress(Exception):  # an odd annotation is no reason to lose the page or the other comments
            if _has_key(stored, HIDDEN_KEY):
                continue
            if (
                stored.kind in HIDDEN_KINDS
                and not _flags(stored) & (HIDDEN_FLAG | NO_VIEW_FLAG)
                and _is_beside(page, stored)
            ):
                _hide(page, stored)


def comments(
    page: pymupdf.Page, lines: Sequence[TextLine], number: int
) -> tuple[tuple[Annotation, ...], tuple[PageWarning, ...]]:
    """The comments of a page, and a warning where there are more than are read; `lines` are those of its text layer."""
    annotations: list[Annotation] = []
    places: dict[int, int] = {}  # of the object of an annotation among them
    replies: list[tuple[int, int]] = []  # place, object that it answers
    num_characters = num_parts = 0
    upright = pymupdf.Matrix(page.transformation_matrix) * page.rotation_matrix
    marked = MarkedWords(lines)
    stored_annotations, is_cut = _stored(page)
    for stored in stored_annotations:
        annotation: Annotation | None = None
        answered = own = 0
        with suppress(Exception):  # an odd annotation is no reason to lose the page or the other comments
            annotation = _annotation(page, stored, upright, marked)
            answered = mupdf.pdf_to_num(mupdf.pdf_dict_gets(stored.fields, "IRT"))
            own = mupdf.pdf_to_num(stored.fields)
        if annotation is None:
            continue
        num_characters += len(annotation.text) + len(annotation.words) + len(annotation.author)
        num_parts += len(annotation.parts)
        is_full = num_characters > MAX_PAGE_CHARACTERS or num_parts > MAX_PAGE_PARTS
        if is_full or len(annotations) >= MAX_ANNOTATIONS:
            is_cut = True
            break
        if answered:
            replies.append((len(annotations), answered))
        places[own] = len(annotations)
        annotations.append(annotation)
    for place, answered in replies:
        if answered in places and places[answered] != place:
            annotations[place] = annotations[place].model_copy(update={"reply_to": places[answered]})
    message = f"only the first {len(annotations)} comments were read"
    warnings = (PageWarning(code="cut_short", message=message, page=number),) if is_cut else ()
    return tuple(annotations), warnings


def _stored(page: pymupdf.Page) -> tuple[list[_Stored], bool]:
    """The annotations that may be comments, some more than are delivered, and whether there may be more."""
    stored: list[_Stored] = []
    annot = mupdf.pdf_first_annot(mupdf.pdf_page_from_fz_page(page.this))
    for _ in range(MAX_VISITED):
        if annot.m_internal is None:
            return stored, False
        with suppress(Exception):  # an odd annotation is no reason to lose the page or the other comments
            kind = KINDS.get(mupdf.pdf_annot_type(annot))
            fields = mupdf.pdf_annot_obj(annot)
            if kind is not None and (kind != "drawing" or _is_written_to(fields)):
                if len(stored) == MAX_CANDIDATES:
                    return stored, True
                stored.append(_Stored(annot, kind, fields))
        annot = mupdf.pdf_next_annot(annot)
    return stored, annot.m_internal is not None


def _is_written_to(fields: mupdf.PdfObj) -> bool:
    return any(mupdf.pdf_to_str_len(mupdf.pdf_dict_gets(fields, key)) > 0 for key in ("Contents", "RC"))


def _hide(page: pymupdf.Page, stored: _Stored) -> None:
    mupdf.pdf_dict_puts(stored.fields, HIDDEN_KEY, mupdf.pdf_new_int(1))
    flags = _flags(stored)
    _set_flags(stored, flags | HIDDEN_FLAG)  # so it stays where an odd appearance raises
    if _is_cleared(page, stored):
        _set_flags(stored, flags)


def _flags(stored: _Stored) -> int:
    return mupdf.pdf_dict_get_int(stored.fields, mupdf.pdf_new_name("F"))


def _set_flags(stored: _Stored, flags: int) -> None:
    """In the dictionary alone: nothing is drawn again for it."""
    mupdf.pdf_dict_puts(stored.fields, "F", mupdf.pdf_new_int(flags))


def _is_beside(page: pymupdf.Page, stored: _Stored) -> bool:
    """Whether it comments on the page, and is not written on it as its own text."""
    if stored.kind not in ("free_text", "stamp"):
        return True
    if _text_of(stored, "IT").casefold() == "freetexttypewriter":
        return False
    box = _box(stored, pymupdf.Identity)
    return box.area <= MAX_AREA_SHARE * page.mediabox.width * page.mediabox.height


def _is_cleared(page: pymupdf.Page, stored: _Stored) -> bool:
    """Whether it is free text on a ground that covers the page: the ground is left, so that it still covers.

    The ground is a stream of its own: the page itself may draw the one that the annotation shows.
    """
    colour = _numbers(stored, "C", 4)
    fill = {1: "g", 3: "rg", 4: "k"}.get(len(colour))
    pdf = page.parent
    appearance = mupdf.pdf_dict_getp(stored.fields, "AP/N")
    if stored.kind != "free_text" or fill is None or not mupdf.pdf_is_stream(appearance) or pdf is None:
        return False
    x0, y0, x1, y1 = corners = _numbers_in(mupdf.pdf_dict_gets(appearance, "BBox"), 4)
    matrix = _numbers_in(mupdf.pdf_dict_gets(appearance, "Matrix"), 6)
    ground = pdf.get_new_xref()
    placed = f"/Matrix[{_written(matrix)}]" if len(matrix) == 6 else ""
    pdf.update_object(ground, f"<</Type/XObject/Subtype/Form/BBox[{_written(corners)}]{placed}>>")
    pdf.update_stream(ground, f"{_written(colour)} {fill} {_written([x0, y0, x1 - x0, y1 - y0])} re f".encode())
    document = mupdf.pdf_get_bound_document(stored.fields)
    states = mupdf.pdf_new_dict(document, 1)
    mupdf.pdf_dict_puts(states, "N", mupdf.pdf_new_indirect(document, ground, 0))
    mupdf.pdf_dict_puts(stored.fields, "AP", states)
    return True


def _written(numbers: Sequence[float]) -> str:
    """Numbers as a PDF writes them, which has no exponents."""
    return " ".join(f"{number:.6f}" for number in numbers)


def _annotation(page: pymupdf.Page, stored: _Stored, upright: pymupdf.Matrix, marked: MarkedWords) -> Annotation | None:
    """None of one that nobody sees, that is the page's own text, or that says nothing."""
    is_answer = mupdf.pdf_to_num(mupdf.pdf_dict_gets(stored.fields, "IRT")) > 0
    is_hidden = bool(_flags(stored) & (HIDDEN_FLAG | NO_VIEW_FLAG)) and not _has_key(stored, HIDDEN_KEY)
    if (is_hidden and not is_answer) or not _is_beside(page, stored) or _has_key(stored, "StateModel"):
        return None
    text = _comment(stored)
    if stored.kind in TEXT_REQUIRED_KINDS and not text:
        return None
    parts = _parts(stored, upright) if stored.kind in MARKS else ()
    words = ""
    if stored.kind in MARKS:
        words = marked.under(parts)
    elif stored.kind == "stamp":
        words = _drawn_words(stored) or ("" if text else _text_of(stored, "Name"))
    return Annotation(
        kind=stored.kind,
        text=text,
        author=_text_of(stored, "T")[:MAX_AUTHOR_CHARACTERS].strip(),
        date=_date(stored),
        box=BoundingBox.around(list(parts)) if parts else _box(stored, upright),
        parts=parts,
        words=words[:MAX_TEXT_CHARACTERS],
    )


def _comment(stored: _Stored) -> str:
    """What is written to it: plain, else out of its rich text."""
    plain = _text_of(stored, "Contents")
    rich = "" if plain else _text_of(stored, "RC")
    text = plain or html.unescape(_TAG.sub("", _BREAK_TAG.sub("\n", rich)))
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def _drawn_words(stored: _Stored) -> str:
    """The words that a stamp shows, also where it is hidden here."""
    flags = _flags(stored)
    _set_flags(stored, flags & ~(INVISIBLE_FLAG | HIDDEN_FLAG))
    try:
        text = pymupdf.TextPage(mupdf.FzStextPage(stored.annot, mupdf.FzStextOptions())).extractText()
    finally:
        _set_flags(stored, flags)
    return " ".join(text[:MAX_TEXT_CHARACTERS].split())


def _has_key(stored: _Stored, key: str) -> bool:
    return not mupdf.pdf_is_null(mupdf.pdf_dict_gets(stored.fields, key))


def _text_of(stored: _Stored, key: str) -> str:
    value = mupdf.pdf_dict_gets(stored.fields, key)
    text = mupdf.pdf_to_name(value) if mupdf.pdf_is_name(value) else mupdf.pdf_to_text_string(value)
    return text[:MAX_TEXT_CHARACTERS]


def _numbers(stored: _Stored, key: str, count: int) -> list[float]:
    return _numbers_in(mupdf.pdf_dict_gets(stored.fields, key), count)


def _numbers_in(array: mupdf.PdfObj, count: int) -> list[float]:
    """The first `count` numbers of an array."""
    num_values = min(count, mupdf.pdf_array_len(array))
    return [mupdf.pdf_array_get_real(array, k) for k in range(num_values)]


def _box(stored: _Stored, upright: pymupdf.Matrix) -> BoundingBox:
    rect = mupdf.pdf_dict_get_rect(stored.fields, mupdf.pdf_new_name("Rect"))
    return _boxed(pymupdf.Rect(rect.x0, rect.y0, rect.x1, rect.y1) * upright)


def _parts(stored: _Stored, upright: pymupdf.Matrix) -> tuple[BoundingBox, ...]:
    """The boxes of a mark, one for each line of the text."""
    numbers = iter(_numbers(stored, "QuadPoints", 8 * MAX_PARTS))
    points = zip(numbers, numbers, strict=False)
    parts: list[BoundingBox] = []
    while len(corners := [pymupdf.Point(*point) for point in islice(points, 4)]) == 4:
        xs, ys = [point.x for point in corners], [point.y for point in corners]
        parts.append(_boxed(pymupdf.Rect(min(xs), min(ys), max(xs), max(ys)) * upright))
    return tuple(parts)


def _boxed(rect: pymupdf.Rect) -> BoundingBox:
    return BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1)


def _date(stored: _Stored) -> str | None:
    """When it was last changed, else made, as ISO 8601."""
    for key in ("M", "CreationDate"):
        match = _DATE.match(_text_of(stored, key))
        if match is None:
            continue
        year, month, day, hour, minute, second = (
            int(part or first) for part, first in zip(match.groups()[:6], "011000", strict=True)
        )
        offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
        with suppress(ValueError):
            zone = timezone(-offset if match[7] == "-" else offset) if match[7] or "Z" in match[0] else None
            return datetime(year, month, day, hour, minute, second, tzinfo=zone).isoformat()
    return None
