"""Reads the fields of a PDF form: what is ticked, written, chosen and signed, as the file stores it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.values import FieldKind, FormField

MAX_FIELDS = 2000  # of a page
MAX_VALUE = 20_000  # characters
MAX_NAME = 500  # characters of a name, a label or what a button stands for
MAX_CHARACTERS = 1_000_000  # of all fields of a page
HIDDEN, NO_VIEW = 2, 32  # flags of an annotation that is not shown
PASSWORD = 1 << 13  # flag of a text field
OFF = "Off"  # the state of a box that is not ticked
_NAME, _ESCAPED = re.compile(r"/([^\s/<>\[\]()]+)"), re.compile("#([0-9A-Fa-f]{2})")
_INDEX = re.compile("[0-9]{1,4}")

KINDS: dict[int, FieldKind] = {
    mupdf.PDF_WIDGET_TYPE_CHECKBOX: "check",
    mupdf.PDF_WIDGET_TYPE_RADIOBUTTON: "radio",
    mupdf.PDF_WIDGET_TYPE_TEXT: "text",
    mupdf.PDF_WIDGET_TYPE_COMBOBOX: "choice",
    mupdf.PDF_WIDGET_TYPE_LISTBOX: "choice",
    mupdf.PDF_WIDGET_TYPE_SIGNATURE: "signature",
}

Corner = tuple[int, int]  # half points from the left and the top


@dataclass(frozen=True, slots=True)
class StoredField:
    """A field, and whether the file has a program that shows its value in another form."""

    field: FormField
    formatted: bool = False


def form_fields(page: pymupdf.Page) -> list[StoredField]:
    """The fields of a page that are shown; those before the first that cannot be read."""
    fields: list[StoredField] = []
    pdf = page.parent
    if pdf is None or page.first_widget is None:
        return fields
    num_characters = 0
    with suppress(Exception):  # whatever an odd form leads to is no reason to lose the page
        for widget in islice(page.widgets(types=list(KINDS)), MAX_FIELDS):
            for stored in _stored(pdf, page, widget):
                num_characters += len(stored.field.name) + len(stored.field.label) + len(stored.field.value)
                if num_characters > MAX_CHARACTERS:
                    return fields
                fields.append(stored)
    return fields


def drawn_corners(page: pymupdf.Page) -> frozenset[Corner]:
    """The upper left corner of each character that the fields of a page draw; none where that cannot be told."""
    corners: set[Corner] = set()
    with suppress(Exception):  # whatever an odd form leads to is no reason to lose the page
        text_page = mupdf.FzStextPage(mupdf.FzRect(*page.rect))
        options = mupdf.FzStextOptions(pymupdf.TEXT_PRESERVE_WHITESPACE)
        device = mupdf.fz_new_stext_device(text_page, options)
        matrix = mupdf.FzMatrix(*page.derotation_matrix)
        mupdf.pdf_run_page_widgets(mupdf.pdf_page_from_fz_page(page.this), device, matrix, mupdf.FzCookie())
        mupdf.fz_close_device(device)
        text: dict[str, Any] = pymupdf.TextPage(text_page).extractRAWDICT()
        upright = page.rotation_matrix
        for line in (line for block in text["blocks"] for line in block.get("lines", ())):
            for char in (char for span in line["spans"] for char in span["chars"]):
                rect = pymupdf.Rect(char["bbox"]) * upright
                corners.add(corner(rect.x0, rect.y0))
    return frozenset(corners)


def corner(x: float, y: float) -> Corner:
    """A place to the half point."""
    return round(2 * x), round(2 * y)


def _stored(pdf: pymupdf.Document, page: pymupdf.Page, widget: Any) -> Iterator[StoredField]:
    flags = pdf.xref_get_key(widget.xref, "F")[1]
    rect = pymupdf.Rect(widget.rect) * page.rotation_matrix & page.rect
    if rect.is_empty or (flags.isdecimal() and int(flags) & (HIDDEN | NO_VIEW)):
        return
    kind = KINDS[widget.field_type]
    common = FormField(
        name=str(widget.field_name or "")[:MAX_NAME],
        label=" ".join(str(widget.field_label or "")[:MAX_NAME].split()),
        kind=kind,
        box=BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1),
    )
    match kind:
        case "check" | "radio":
            value = _meaning(pdf, widget)[:MAX_NAME]
            update = {"value": value, "state": "on" if _is_ticked(pdf, widget) else "off"}
        case "signature":
            name = _text(mupdf.pdf_dict_gets(_inherited(widget, "V"), "Name"))[:MAX_NAME]
            update = {"value": name, "state": "signed" if widget.is_signed else "unsigned"}
        case _:
            if kind == "text" and widget.field_flags & PASSWORD:
                return
            update = {"value": "\n".join(_chosen(widget))[:MAX_VALUE]}
    yield StoredField(common.model_copy(update=update), formatted=bool(widget.script_format))


def _is_ticked(pdf: pymupdf.Document, widget: Any) -> bool:
    """By the field's value; by the appearance that the file selects where the value names no state of the box."""
    shown = pdf.xref_get_key(widget.xref, "AS")[1].lstrip("/")
    value = str(widget.field_value or "")
    own = _states(pdf, widget)
    is_alone = widget.field_type == mupdf.PDF_WIDGET_TYPE_CHECKBOX
    if value in own or (is_alone and value and not own):
        return value != OFF
    return shown not in ("", "null", OFF)


def _states(pdf: pymupdf.Document, widget: Any) -> list[str]:
    """The names of the states that a button can be drawn in."""
    kind, states = pdf.xref_get_key(widget.xref, "AP/N")
    if kind == "xref":
        states = "/" + "/".join(pdf.xref_get_keys(int(states.split()[0])))
    names = (_ESCAPED.sub(lambda code: chr(int(code[1], 16)), name) for name in _NAME.findall(states))
    return list(dict.fromkeys(names))


def _meaning(pdf: pymupdf.Document, widget: Any) -> str:
    """What a button stands for when it is on: its entry in the field's list of values, else the name of that state."""
    state = next((state for state in _states(pdf, widget) if state != OFF), "")
    if not state:
        value = str(widget.field_value or "")
        return value if value != OFF else ""
    names = _texts(_inherited(widget, "Opt")) if _INDEX.fullmatch(state) else []
    return names[int(state)] if names and int(state) < len(names) else state


def _inherited(widget: Any, key: str) -> mupdf.PdfObj:
    """What a field has under a key, itself or from the groups above it; the null object where that is nothing."""
    return mupdf.pdf_dict_gets_inheritable(mupdf.pdf_annot_obj(widget._annot.this), key)


def _text(value: mupdf.PdfObj) -> str:
    """Of a string or a name."""
    return mupdf.pdf_to_name(value) if mupdf.pdf_is_name(value) else mupdf.pdf_to_text_string(value)


def _texts(value: mupdf.PdfObj) -> list[str]:
    """Those of an array, of its first values where it is long."""
    return [_text(mupdf.pdf_array_get(value, k)) for k in range(min(MAX_FIELDS, mupdf.pdf_array_len(value)))]


def _chosen(widget: Any) -> list[str]:
    """What a text field says, or the names of the chosen values."""
    values = _texts(_inherited(widget, "V")) or str(widget.field_value or "").splitlines()
    names = {one[0]: one[1] for one in widget.choice_values or () if not isinstance(one, str)}
    return [str(names.get(one, one)).strip() for one in values]
