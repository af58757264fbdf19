"""A form's fields are typed facts of their page: name, value, kind, state and box, as the file stores them."""

from __future__ import annotations

import pymupdf
import pytest
from form_making import CHECK, COMBO, LIST, TEXT, add, as_it_is, form, set_key, without_appearances

from documents.pdf import form_fields as fields_module
from documents.pdf.form_fields import MAX_FIELDS, MAX_VALUE_CHARACTERS, form_fields
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import FormField, Source

BYTE_RANGE = "[0 10 20 10]"


def fields_of(document):
    document.saved = document.tobytes()
    return {stored.field.name: stored.field for stored in form_fields(pymupdf.open(stream=document.saved)[0]).fields}


def facts(field: FormField):
    return field.kind, field.value, field.state


@pytest.mark.parametrize("change", [as_it_is, without_appearances])
def test_every_field_has_its_kind_value_state_and_box(change):
    """Only their text was read: which words were a value of which field, nobody could tell."""
    document = form()
    change(document)
    fields = fields_of(document)
    on_value = "Yes" if change is as_it_is else fields["box0"].value
    assert {name: facts(field) for name, field in fields.items()} == {
        "name": ("text", "Ada Osei", None),
        "box0": ("check", on_value, "on"),
        "box1": ("check", fields["box1"].value, "off"),
        "insured": ("check", on_value, "on"),
        "berth": ("choice", "Berth B", None),
        "colour": ("choice", "green", None),
    }
    box = fields["name"].box
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx((130, 188, 300, 206), abs=1)


def test_a_stale_drawing_does_not_change_a_value_or_a_state():
    document = form()
    set_key(document, "name", "V", "(Ruth Adeyemi)", of_parent=True)
    set_key(document, "box0", "V", "/Off", of_parent=True)
    fields = fields_of(document)
    assert fields["name"].value == "Ruth Adeyemi"
    assert fields["box0"].state == "off"


def test_an_empty_field_is_a_field():
    document = pymupdf.open()
    add(document.new_page(), TEXT, "remarks", (100, 100, 300, 120), "")
    assert facts(fields_of(document)["remarks"]) == ("text", "", None)


def test_a_label_for_those_who_fill_it_in_is_kept():
    document = form()
    set_key(document, "name", "TU", "(Full name of\n  the applicant)", of_parent=True)
    assert fields_of(document)["name"].label == "Full name of the applicant"


def radio_group(options):
    """Three buttons of one field by the specification: the first two are off, the last is on."""
    document = pymupdf.open()
    page = document.new_page()
    for k in range(3):
        add(page, CHECK, f"pay{k}", (72 + 100 * k, 230, 84 + 100 * k, 242), k == 2)
    parent = document.get_new_xref()
    kids = [widget.xref for widget in page.widgets()]
    names = f"/Opt {options}" if options else ""
    document.update_object(
        parent,
        f"<</FT/Btn/Ff {1 << 15}/T(pay)/V/2{names}/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]>>",
    )
    document.xref_set_key(document.pdf_catalog(), "AcroForm/Fields", f"[{parent} 0 R]")
    for k, kid in enumerate(kids):
        old = document.xref_get_key(kid, "AP/N/Yes")[1]
        off = document.xref_get_key(kid, "AP/N/Off")[1]
        document.xref_set_key(kid, "AP/N", f"<</{k} {old}/Off {off}>>")
        document.xref_set_key(kid, "AS", f"/{k}" if k == 2 else "/Off")
        document.xref_set_key(kid, "Parent", f"{parent} 0 R")
        for key in ("T", "FT", "V", "Ff"):
            document.xref_set_key(kid, key, "null")
    return pymupdf.open(stream=document.tobytes())


@pytest.mark.parametrize(("options", "values"), [("", "012"), ("[(Cash)(Card)(Invoice)]", ["Cash", "Card", "Invoice"])])
def test_each_radio_button_says_what_it_stands_for(options, values):
    document = radio_group(options)
    fields = [stored.field for stored in form_fields(document[0]).fields]
    assert [field.name for field in fields] == ["pay"] * 3
    assert [facts(field) for field in fields] == [
        ("radio", value, "on" if k == 2 else "off") for k, value in enumerate(values)
    ]


@pytest.mark.parametrize("signed", [False, True])
def test_a_signature_says_whether_it_is_there_and_whose(signed):
    document = form()
    xref = next(widget.xref for widget in document[0].widgets() if widget.field_name == "name")
    document.xref_set_key(xref, "FT", "/Sig")
    value = (
        f"<</Type/Sig/Filter/Adobe.PPKLite/Name(Ada Osei)/ByteRange{BYTE_RANGE}/Contents<00>>>" if signed else "null"
    )
    document.xref_set_key(xref, "V", value)
    field = fields_of(document)["name"]
    assert facts(field) == ("signature", "Ada Osei" if signed else "", "signed" if signed else "unsigned")


@pytest.mark.parametrize(("key", "value"), [("F", "2"), ("F", "32"), ("Rect", "[900 900 950 950]")])
def test_a_field_that_nobody_sees_is_none(key, value):
    document = form()
    set_key(document, "name", key, value)
    assert "name" not in fields_of(document)


def test_a_password_is_none():
    document = form()
    set_key(document, "name", "Ff", str(1 << 13), of_parent=True)
    assert "name" not in fields_of(document)


def test_fields_of_a_turned_page_stand_where_they_are_seen():
    document = form()
    document[0].set_rotation(90)
    box = fields_of(document)["name"].box
    assert box.height == pytest.approx(170, abs=1)
    assert box.width == pytest.approx(18, abs=1)


def test_what_a_hostile_form_delivers_is_bounded():
    """Two thousand fields may share one long value, which the file has once."""
    document = pymupdf.open()
    page = document.new_page()
    add(page, TEXT, "a", (100, 100, 300, 120), "x" * 3 * MAX_VALUE_CHARACTERS)
    kid = next(page.widgets()).xref
    source = document.xref_object(kid)
    copies = [kid]
    for _ in range(MAX_FIELDS + 10):
        copies.append(document.get_new_xref())
        document.update_object(copies[-1], source)
    document.xref_set_key(page.xref, "Annots", f"[{' '.join(f'{copy} 0 R' for copy in copies)}]")
    fields = form_fields(pymupdf.open(stream=document.tobytes())[0]).fields
    assert 0 < len(fields) <= MAX_FIELDS
    assert sum(len(stored.field.value) for stored in fields) <= 1_000_000


def test_the_page_that_is_delivered_has_the_fields(tmp_path):
    form().save(tmp_path / "a.pdf")
    file = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())
    names = [field.name for field in file.inspect(1).fields]
    assert sorted(names) == ["berth", "box0", "box1", "colour", "insured", "name"]


def test_a_list_of_several_choices_has_one_per_line():
    document = pymupdf.open()
    add(document.new_page(), LIST, "colours", (100, 100, 300, 180), "green", ["red", "green", "blue"])
    set_key(document, "colours", "Ff", str(1 << 21), of_parent=True)
    set_key(document, "colours", "V", "[(red)(blue)]", of_parent=True)
    assert fields_of(document)["colours"].value == "red\nblue"


def test_a_value_that_the_list_does_not_have_is_kept():
    document = pymupdf.open()
    add(document.new_page(), COMBO, "city", (100, 100, 300, 118), "a", [("a", "Alta"), ("b", "Bodø")])
    set_key(document, "city", "V", "(Chur)", of_parent=True)
    assert fields_of(document)["city"].value == "Chur"


def copies_of_the_field(document, count):
    """So many fields that are one object's copies, and share what it refers to."""
    page = document[0]
    kid = next(page.widgets()).xref
    source = document.xref_object(kid)
    copies = [document.get_new_xref() for _ in range(count)]
    for copy in copies:
        document.update_object(copy, source)
    document.xref_set_key(page.xref, "Annots", f"[{' '.join(f'{copy} 0 R' for copy in copies)}]")
    return pymupdf.open(stream=document.tobytes())


def counted_texts(monkeypatch, document):
    """The fields of a page, and how many texts of the file were read for them."""
    texts = []
    text = fields_module._text

    def counting(value):
        texts.append(text(value))
        return texts[-1]

    monkeypatch.setattr(fields_module, "_text", counting)
    return [stored.field for stored in form_fields(document[0]).fields], len(texts)


def shared(document, key, value):
    """The key of the field refers to an object of its own."""
    xref = document.get_new_xref()
    document.update_object(xref, value)
    document.xref_set_key(next(document[0].widgets()).xref, key, f"{xref} 0 R")


def test_of_a_list_of_meanings_only_the_own_one_is_read(monkeypatch):
    """Boxes to tick that share a list of 2,000 meanings each read all of it."""
    document = pymupdf.open()
    add(document.new_page(), CHECK, "a", (100, 100, 112, 112), True)
    xref = next(document[0].widgets()).xref
    document.xref_set_key(xref, "AP/N", f"<</7 {document.xref_get_key(xref, 'AP/N/Yes')[1]}>>")
    shared(document, "Opt", f"[{' '.join(f'(m{k})' for k in range(2000))}]")
    fields, num_texts = counted_texts(monkeypatch, copies_of_the_field(document, 20))
    assert [field.value for field in fields] == ["m7"] * 20
    assert num_texts < 500


def test_a_list_to_choose_from_that_fields_share_is_read_once(monkeypatch):
    document = pymupdf.open()
    add(document.new_page(), COMBO, "city", (100, 100, 300, 118), "c7", [("c7", "Chur"), ("b", "b")])
    shared(document, "Opt", f"[{' '.join(f'[(c{k})(City {k})]' for k in range(1000))}]")
    fields, num_texts = counted_texts(monkeypatch, copies_of_the_field(document, 50))
    assert [field.value for field in fields] == ["City 7"] * 50
    assert num_texts < 3000


def test_lists_that_each_field_has_are_bounded(monkeypatch):
    document = pymupdf.open()
    add(document.new_page(), COMBO, "city", (100, 100, 300, 118), "c7", [("c7", "Chur"), ("b", "b")])
    xref = next(document[0].widgets()).xref
    document.xref_set_key(xref, "Opt", f"[{' '.join(f'[(c{k})(City {k})]' for k in range(1000))}]")
    monkeypatch.setattr(fields_module, "MAX_ENTRIES", 2000)
    fields, num_texts = counted_texts(monkeypatch, copies_of_the_field(document, 50))
    assert [field.value for field in fields] == ["City 7"] * 2 + ["c7"] * 48
    assert num_texts < 5000


@pytest.mark.parametrize(("name", "value"), [("m#C3#A4nnlich", "männlich"), ("m#E4nnlich", "männlich")])
def test_names_are_utf_8_or_else_latin_1(name, value):
    """Each byte was taken for a character: "mÃ¤nnlich"."""
    document = pymupdf.open()
    add(document.new_page(), CHECK, "a", (100, 100, 112, 112), True)
    xref = next(document[0].widgets()).xref
    drawing = document.xref_get_key(xref, "AP/N/Yes")[1]
    document.xref_set_key(xref, "AP/N", f"<</{name} {drawing}>>")
    document.xref_set_key(xref, "V", f"/{name}")
    document.xref_set_key(xref, "AS", "/Off")
    assert facts(fields_of(document)["a"]) == ("check", value, "on")


def test_a_button_with_a_single_drawing_has_no_states():
    """The keys of the drawing's own dictionary were taken for states: "Type"."""
    document = pymupdf.open()
    add(document.new_page(), CHECK, "a", (100, 100, 112, 112), True)
    xref = next(document[0].widgets()).xref
    document.xref_set_key(xref, "AP/N", document.xref_get_key(xref, "AP/N/Yes")[1])
    document.xref_set_key(xref, "V", "/Chosen")
    assert facts(fields_of(document)["a"]) == ("check", "Chosen", "on")


def test_an_odd_field_loses_no_other(monkeypatch):
    document = form()
    label = fields_module._label
    monkeypatch.setattr(fields_module, "_label", lambda field: 1 / 0 if names.pop() else label(field))
    names = [False] * 5 + [True]
    assert len(form_fields(document[0]).fields) == 5


@pytest.mark.parametrize(
    ("limit", "value"), [("MAX_FIELDS", 3), ("MAX_VISITED", 3), ("MAX_PAGE_CHARACTERS", 30), ("MAX_ENTRIES", 1)]
)
def test_a_form_that_is_read_in_part_says_so(monkeypatch, tmp_path, limit, value):
    """Fields beyond a limit were left out without a word."""
    form().save(tmp_path / "a.pdf")
    file = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())
    assert file.inspect(1).warnings == ()
    monkeypatch.setattr(fields_module, limit, value)
    inspection = file.inspect(1)
    [warning] = inspection.warnings
    assert (warning.code, warning.page) == ("cut_short", 1)
    assert str(len(inspection.fields)) in warning.message
