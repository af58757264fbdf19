"""Forms for tests, whose truth is known because they are drawn here."""

from __future__ import annotations

import pymupdf

CHECK, RADIO = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON
TEXT, COMBO, LIST = pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, pymupdf.PDF_WIDGET_TYPE_LISTBOX


def add(page, kind, name, rect, value, choices=None):
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.rect = kind, name, pymupdf.Rect(rect)
    widget.choice_values = choices
    widget.field_value = value
    page.add_widget(widget)


def form():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 200), "Name:", fontsize=11)
    add(page, TEXT, "name", (130, 188, 300, 206), "Ada Osei")
    for k, (label, value) in enumerate((("Boat owner", True), ("Photo allowed", False))):
        add(page, CHECK, f"box{k}", (72, 230 + 25 * k, 84, 242 + 25 * k), value)
        page.insert_text((90, 240 + 25 * k), label, fontsize=11)
    page.insert_text((72, 300), "Insured", fontsize=11)
    add(page, CHECK, "insured", (116, 290, 128, 302), True)
    add(page, COMBO, "berth", (130, 320, 300, 338), "b", [("a", "Berth A"), ("b", "Berth B")])
    add(page, LIST, "colour", (130, 350, 300, 400), "green", ["red", "green", "blue"])
    return document


def as_it_is(document):
    pass


def without_appearances(document):
    for widget in document[0].widgets():
        document.xref_set_key(widget.xref, "AP", "null")
    document.xref_set_key(document.pdf_catalog(), "AcroForm/NeedAppearances", "true")


def set_key(document, name, key, value, *, of_parent=False):
    for widget in document[0].widgets():
        if widget.field_name == name:
            parent = document.xref_get_key(widget.xref, "Parent")
            xref = int(parent[1].split()[0]) if of_parent and parent[0] == "xref" else widget.xref
            document.xref_set_key(xref, key, value)
