"""What a form stores is evidence of an extracted value: buttons of truth values, fields that nothing shows."""

from __future__ import annotations

from documents.boxes import BoundingBox
from documents.region_values import Span, region_of
from documents.values import Document, FormField, Page
from retrieval.extraction.extractor import placed


def box(x0, y0, x1, y1):
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def document_of(fields, lines=()):
    spans = tuple(Span(text=text, box=at, source="text_layer") for text, at in lines)
    regions = [
        region_of("plain text", box=span.box, score=1, spans=(span,), text=span.text, order=k)
        for k, span in enumerate(spans)
    ]
    pages = (Page(number=1, size=(600, 800), regions=tuple(regions), fields=tuple(fields)),)
    return Document(id="d", revision=1, pages=pages)


def leaf_of(document, name, value, title=None):
    kinds = {bool: "boolean", str: "string", int: "integer", float: "number"}
    field = {"type": kinds[type(value)]} | ({"title": title} if title else {})
    fields, num_unplaced = placed({name: value}, {"type": "object", "properties": {name: field}}, document)
    return fields[name], num_unplaced


NEWS = FormField(name="form[0].wantsNews[0]", kind="check", value="1", state="on", box=box(60, 140, 70, 150))
TERMS = FormField(name="b2", label="Terms accepted", kind="check", value="Yes", state="off", box=box(60, 160, 70, 170))


def test_a_truth_value_is_where_the_button_of_its_name_is():
    document = document_of([NEWS, TERMS])
    field, _ = leaf_of(document, "wants_news", True)
    assert (field["match"], field["page"], field["boxes"][0]["y0"], field["source_text"]) == ("exact", 1, 140, "☒")
    field, _ = leaf_of(document, "agreed", False, title="Terms accepted")
    assert (field["match"], field["boxes"][0]["y0"], field["source_text"]) == ("exact", 160, "☐")


def test_a_truth_value_that_its_button_denies_has_no_place():
    field, _ = leaf_of(document_of([NEWS, TERMS]), "wants_news", False)
    assert (field["match"], field["boxes"]) == ("none", [])


def test_a_truth_value_without_a_button_of_its_name_has_no_place():
    field, _ = leaf_of(document_of([NEWS, TERMS]), "insured", True)
    assert field["match"] == "none"


def test_two_buttons_of_one_name_are_no_evidence():
    other = NEWS.model_copy(update={"state": "off", "box": box(60, 200, 70, 210)})
    assert leaf_of(document_of([NEWS, other]), "wants_news", True)[0]["match"] == "none"


def test_a_stored_value_that_no_text_shows_has_the_box_of_its_field():
    """The page was read by OCR, from the picture of an empty form."""
    city = FormField(name="city", kind="text", value="Chur\nGrisons", box=box(60, 100, 160, 112))
    field, num_unplaced = leaf_of(document_of([city]), "town", "Chur")
    assert (field["match"], field["boxes"][0]["x0"], num_unplaced) == ("exact", 60, 0)
    assert leaf_of(document_of([city]), "town", "Bern")[1] == 1


def test_what_a_button_would_mean_if_it_were_on_is_no_evidence():
    fields = [
        FormField(name="pay", kind="radio", value="Card", state="on", box=box(60, 120, 70, 130)),
        FormField(name="pay", kind="radio", value="Cash", state="off", box=box(60, 140, 70, 150)),
    ]
    assert leaf_of(document_of(fields), "payment", "Card")[0]["match"] == "exact"
    assert leaf_of(document_of(fields), "payment", "Cash")[0]["match"] == "none"


def test_of_equal_values_that_one_is_taken_whose_field_has_the_name():
    """Both stand under one heading, with nothing beside them that names them."""
    lines = [("120", box(60, 100, 80, 110)), ("120", box(300, 100, 320, 110))]
    fields = [
        FormField(name="f1", label="Gross amount", kind="text", value="120", box=box(58, 98, 120, 112)),
        FormField(name="page1.deposit[0]", kind="text", value="120", box=box(298, 98, 360, 112)),
    ]
    assert leaf_of(document_of(fields, lines), "deposit", 120)[0]["boxes"][0]["x0"] == 300
    assert leaf_of(document_of(fields, lines), "gross_amount", 120)[0]["boxes"][0]["x0"] == 60
