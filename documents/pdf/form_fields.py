"""Reads the fields of a PDF form: what is ticked, written, chosen and signed, as the file stores it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.values import FieldKind, FormField, PageWarning

MAX_FIELDS = 2000  # maximum number of fields per page
MAX_VALUE_CHARACTERS = 20_000
MAX_NAME_CHARACTERS = 500  # maximum length of a name, a label or the caption of a button
MAX_PAGE_CHARACTERS = 1_000_000  # maximum length of all fields of a page
HIDDEN_FLAG = 2  # flags of an annotation that is not shown
NO_VIEW_FLAG = 32
PASSWORD = 1 << 13  # flag of a text field
MAX_VISITED = 10 * MAX_FIELDS  # fields of a page, also those that are not shown
MAX_CHOSEN = 2000  # values of a field
MAX_ENTRIES = 50_000  # maximum number of list entries of all fields of a page
MAX_STATES = 20  # drawings of a button
MAX_GROUPS = 20  # maximum number of groups above a field
OFF_STATE = "Off"  # the state of a box that is not ticked
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


class PageFields(NamedTuple):
    """The fields of a page that are shown, and whether it has, or may have, more than are read."""

    fields: list[StoredField]
    is_cut: bool

    def warnings(self, number: int) -> tuple[PageWarning, ...]:
        """That fields of page `number` are left out."""
        message = f"only the first {len(self.fields)} fields of the form were read"
        return (PageWarning(code="cut_short", message=message, page=number),) if self.is_cut else ()


def form_fields(page: pymupdf.Page) -> PageFields:
    """The fields of a page up to the limits; one that cannot be read is left out."""
    fields: list[StoredField] = []
    num_characters = 0
    lists = _Lists()
    widget = mupdf.pdf_first_widget(mupdf.pdf_page_from_fz_page(page.this))
    for _ in range(MAX_VISITED):
        if widget.m_internal is None:
            return PageFields(fields, lists.is_cut)
        if len(fields) == MAX_FIELDS:
            break
        stored: StoredField | None = None
        with suppress(Exception):  # an odd field is no reason to lose the page or the other fields
            stored = _stored(page, widget, lists)
        widget = mupdf.pdf_next_widget(widget)
        if stored is None:
            continue
        num_characters += len(stored.field.name) + len(stored.field.label) + len(stored.field.value)
        if num_characters > MAX_PAGE_CHARACTERS:
            break
        fields.append(stored)
    return PageFields(fields, widget.m_internal is not None)


def drawn_corners(page: pymupdf.Page) -> frozenset[Corner]:
    """The upper left corner of each character that the fields of a page draw; none where the form cannot be drawn."""
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


class _Lists:
    """Reads the lists that fields have or share: so many entries for all fields of a page, the rest is as if empty."""

    def __init__(self) -> None:
        self._num_left = MAX_ENTRIES
        self.is_cut = False  # whether entries were left out
        self._names: dict[int, Mapping[str, str]] = {}  # by the object of the list

    def texts(self, array: mupdf.PdfObj) -> list[str]:
        return [_text(entry) for entry in self._entries(array, MAX_CHOSEN)]

    def names(self, options: mupdf.PdfObj) -> Mapping[str, str]:
        """What a person sees for each value of a list to choose from, where that is something else."""
        number = mupdf.pdf_to_num(options)
        if number in self._names:
            return self._names[number]
        pairs = (entry for entry in self._entries(options, MAX_ENTRIES) if mupdf.pdf_array_len(entry) == 2)
        names = {_text(mupdf.pdf_array_get(pair, 0)): _text(mupdf.pdf_array_get(pair, 1)) for pair in pairs}
        if number:
            self._names[number] = names
        return names

    def _entries(self, array: mupdf.PdfObj, most: int) -> Iterator[mupdf.PdfObj]:
        length = mupdf.pdf_array_len(array)
        count = min(most, self._num_left, length)
        self.is_cut = self.is_cut or count < length
        self._num_left -= count
        return (mupdf.pdf_array_get(array, k) for k in range(count))


def _stored(page: pymupdf.Page, widget: mupdf.PdfAnnot, lists: _Lists) -> StoredField | None:
    """None of one that is not shown."""
    kind = KINDS.get(mupdf.pdf_widget_type(widget))
    field = mupdf.pdf_annot_obj(widget)
    rect = pymupdf.Rect(mupdf.pdf_bound_annot(widget)) & page.rect
    flags = mupdf.pdf_dict_get_int(field, mupdf.pdf_new_name("F"))
    if kind is None or rect.is_empty or flags & (HIDDEN_FLAG | NO_VIEW_FLAG):
        return None
    if kind == "text" and mupdf.pdf_field_flags(field) & PASSWORD:
        return None
    common = FormField(
        name=mupdf.pdf_load_field_name(field)[:MAX_NAME_CHARACTERS],
        label=" ".join(_label(field)[:MAX_NAME_CHARACTERS].split()),
        kind=kind,
        box=BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1),
    )
    match kind:
        case "check" | "radio":
            value = _meaning(field, kind)[:MAX_NAME_CHARACTERS]
            update = {"value": value, "state": "on" if _is_ticked(field, kind) else "off"}
        case "signature":
            name = _text(mupdf.pdf_dict_gets(_inherited(field, "V"), "Name"))[:MAX_NAME_CHARACTERS]
            is_signed = mupdf.pdf_signature_is_signed(mupdf.pdf_get_bound_document(field), field)
            update = {"value": name, "state": "signed" if is_signed else "unsigned"}
        case _:
            update = {"value": "\n".join(_chosen(field, lists))[:MAX_VALUE_CHARACTERS]}
    return StoredField(common.model_copy(update=update), formatted=_is_formatted(field))


def _label(field: mupdf.PdfObj) -> str:
    """What those who fill it in are to read: its own label, or that of the nearest group above it that has one."""
    for _ in range(MAX_GROUPS):
        label = _text(mupdf.pdf_dict_gets(field, "TU"))
        field = mupdf.pdf_dict_gets(field, "Parent")
        if label or not mupdf.pdf_is_dict(field):
            return label
    return ""


def _is_formatted(field: mupdf.PdfObj) -> bool:
    action = mupdf.pdf_dict_getp(field, "AA/F")
    script = mupdf.pdf_dict_gets(action, "JS")
    is_script = mupdf.pdf_to_name(mupdf.pdf_dict_gets(action, "S")) == "JavaScript"
    return is_script and bool(mupdf.pdf_is_stream(script) or mupdf.pdf_to_str_len(script))


def _is_ticked(field: mupdf.PdfObj, kind: FieldKind) -> bool:
    """By the field's value; by the appearance that the file selects where the value names no state of the box."""
    value = _button_value(field, kind)
    own = _states(field)
    if value in own or (kind == "check" and value and not own):
        return value != OFF_STATE
    return _text(mupdf.pdf_dict_gets(field, "AS")) not in ("", OFF_STATE)


def _button_value(field: mupdf.PdfObj, kind: FieldKind) -> str:
    shown = _text(mupdf.pdf_dict_gets(field, "AS")) if kind == "radio" else ""
    return shown or _text(_inherited(field, "V"))


def _states(field: mupdf.PdfObj) -> list[str]:
    """The names of the states that a button can be drawn in; none of one that has a single drawing."""
    drawings = mupdf.pdf_dict_getp(field, "AP/N")
    if mupdf.pdf_is_stream(drawings):
        return []
    count = min(MAX_STATES, mupdf.pdf_dict_len(drawings))
    return [_text(mupdf.pdf_dict_get_key(drawings, k)) for k in range(count)]


def _meaning(field: mupdf.PdfObj, kind: FieldKind) -> str:
    """What a button stands for when it is on: its entry in the field's list of values, else the name of that state."""
    state = next((state for state in _states(field) if state != OFF_STATE), "")
    if not state:
        value = _button_value(field, kind)
        return value if value != OFF_STATE else ""
    names = _inherited(field, "Opt")
    if _INDEX.fullmatch(state) and int(state) < mupdf.pdf_array_len(names):
        return _text(mupdf.pdf_array_get(names, int(state)))
    return state


def _inherited(field: mupdf.PdfObj, key: str) -> mupdf.PdfObj:
    """What a field has under a key, itself or from the groups above it; the null object where that is nothing."""
    return mupdf.pdf_dict_gets_inheritable(field, key)


def _text(value: mupdf.PdfObj) -> str:
    """Of a string or a name, whose bytes are UTF-8 or else Latin-1."""
    if not mupdf.pdf_is_name(value):
        return mupdf.pdf_to_text_string(value)
    stored = mupdf.pdf_to_name(value).encode("utf-8", "surrogateescape")
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored.decode("latin-1")


def _chosen(field: mupdf.PdfObj, lists: _Lists) -> list[str]:
    """What a text field says, or the names of the chosen values."""
    values = lists.texts(_inherited(field, "V")) or mupdf.pdf_field_value(field).splitlines()
    names = lists.names(_inherited(field, "Opt"))
    return [names.get(value, value).strip() for value in values]
