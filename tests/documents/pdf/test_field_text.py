"""What is ticked, written and chosen in a form is text in its place, whatever the file draws there."""

from __future__ import annotations

import pymupdf
import pytest
from form_making import CHECK, TEXT, add, as_it_is, form, set_key, without_appearances
from page_making import box, line

from documents.inspection import Word
from documents.pdf import field_text
from documents.pdf.field_text import TICKED_BOX, UNTICKED_BOX
from documents.pdf.form_fields import StoredField, form_fields
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import FormField, Source


def read(document, tmp_path):
    document.save(tmp_path / "a.pdf")
    file = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())
    return [one.text for one in file.inspect(1).lines]


FILLED = {"Name:", "Ada Osei", "☒ Boat owner", "☐ Photo allowed", "Insured ☒", "Berth B", "green"}


def turned(document):
    document[0].set_rotation(180)
    document[0].set_rotation(0)


@pytest.mark.parametrize("change", [as_it_is, without_appearances, turned])
def test_a_form_says_what_is_ticked_written_and_chosen(change, tmp_path):
    """A ticked box came out as the digit 3 of ZapfDingbats, an empty one as nothing."""
    document = form()
    change(document)
    assert set(read(document, tmp_path)) == FILLED


def test_stale_appearances_do_not_hide_the_values(tmp_path):
    """A program that fills a form may write the values alone."""
    document = form()
    set_key(document, "name", "V", "(Ruth Adeyemi)", of_parent=True)
    set_key(document, "box1", "V", "/Yes", of_parent=True)
    set_key(document, "box0", "V", "/Off", of_parent=True)
    texts = read(document, tmp_path)
    assert {"Ruth Adeyemi", "☐ Boat owner", "☒ Photo allowed"} <= set(texts)
    assert "Ada Osei" not in texts


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_stale_values_of_a_cropped_and_turned_page_are_replaced(rotation, tmp_path):
    document = form()
    set_key(document, "name", "V", "(Ruth Adeyemi)", of_parent=True)
    document[0].set_cropbox(pymupdf.Rect(20.3, 30.7, 500, 700))
    document[0].set_rotation(rotation)
    texts = read(document, tmp_path)
    assert "Ruth Adeyemi" in texts
    assert "Ada Osei" not in texts


def test_a_mark_of_any_shape_is_a_tick(tmp_path):
    """The appearance draws a letter of a symbol font: 4 is a check, 8 a cross, l a disc, n a square."""
    for letter in "48lnHu":
        document = form()
        for widget in document[0].widgets():
            if widget.field_name == "box0":
                _, states = document.xref_get_key(widget.xref, "AP/N")
                yes = int(states.split("/Yes")[1].split()[0])
                document.update_stream(yes, b"q BT /ZaDb 10 Tf 2 2 Td (" + letter.encode() + b") Tj ET Q")
        assert "☒ Boat owner" in read(document, tmp_path)


def test_radio_buttons_say_which_one_is_chosen(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    for k, label in enumerate(("Cash", "Card", "Invoice")):
        add(page, CHECK, f"pay{k}", (72 + 100 * k, 230, 84 + 100 * k, 242), k == 1)
        page.insert_text((90 + 100 * k, 240), label, fontsize=11)
    radio = str(1 << 15)
    for k in range(3):
        set_key(document, f"pay{k}", "Ff", radio, of_parent=True)
    assert {stored.field.kind for stored in form_fields(document[0]).fields} == {"radio"}
    assert " ".join(read(document, tmp_path)) == "☐ Cash ☒ Card ☐ Invoice"


@pytest.mark.parametrize(("key", "value"), [("F", "2"), ("F", "32"), ("Rect", "[900 900 950 950]")])
def test_a_field_that_is_not_shown_says_nothing(key, value, tmp_path):
    document = form()
    set_key(document, "name", key, value)
    set_key(document, "box0", key, value)
    texts = read(document, tmp_path)
    assert "Ada Osei" not in texts
    assert "Boat owner" in texts


def test_a_password_is_not_delivered(tmp_path):
    document = form()
    set_key(document, "name", "Ff", str(1 << 13), of_parent=True)
    set_key(document, "name", "V", "(hunter2 secret)", of_parent=True)
    assert not any("hunter2" in text for text in read(document, tmp_path))


def test_boxes_of_a_table_stay_apart_from_far_words(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 240), "Is there a pilot on board?", fontsize=11)
    add(page, CHECK, "yes", (300, 230, 312, 242), False)
    add(page, CHECK, "no", (400, 230, 412, 242), True)
    assert read(document, tmp_path) == ["Is there a pilot on board?", UNTICKED_BOX, TICKED_BOX]


@pytest.mark.parametrize("rotation", [0, 90])
def test_words_of_the_page_itself_stay_where_a_field_lies_over_them(rotation, tmp_path):
    """A field over its own printed label left only the value, a box over its label only the box."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((74, 100), "Name of applicant", fontsize=11)
    page.insert_text((74, 200), "I agree to the terms", fontsize=11)
    add(page, TEXT, "name", (70, 90, 300, 120), "Smith")
    add(page, CHECK, "terms", (70, 188, 200, 206), True)
    set_key(document, "name", "V", "(Osei)", of_parent=True)
    page.set_rotation(rotation)
    texts = " ".join(read(document, tmp_path))
    assert "Name of applicant" in texts
    assert "I agree to the terms" in texts
    assert rotation or f"{TICKED_BOX} I agree to the terms" in texts
    assert "Osei" in texts
    assert "Smith" not in texts
    assert texts.count(TICKED_BOX) == 1
    assert "3" not in texts


def test_a_printed_box_to_tick_is_replaced_by_its_field(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((74, 240), "\u00b0", fontsize=11)
    page.insert_text((90, 240), "Boat owner", fontsize=11)
    add(page, CHECK, "boat", (72, 230, 84, 242), False)
    assert read(document, tmp_path) == ["☐ Boat owner"]


def test_the_words_looked_at_for_all_fields_of_a_page_are_bounded(monkeypatch):
    """A hundred boxes to tick on one line of 5,000 words rebuilt that line a hundred times."""
    words = tuple(Word(text="a", box=box(20 * k, 100, 20 * k + 5, 110), font_size=10) for k in range(1000))
    lines = [line("a " * 1000).model_copy(update={"words": words, "box": box(0, 100, 20_000, 110)})]
    fields = [
        StoredField(
            FormField(name=f"{k}", kind="check", value="", state="on", box=box(20 * k + 8, 100, 20 * k + 12, 110))
        )
        for k in range(50)
    ]
    monkeypatch.setattr(field_text, "MAX_WORDS", 10_500)
    [set_line] = field_text.with_field_values(lines, fields, frozenset())
    assert sum(word.text == TICKED_BOX for word in set_line.words) == 10
    assert sum(word.text == "a" for word in set_line.words) == 1000
