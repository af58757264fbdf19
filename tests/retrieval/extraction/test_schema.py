"""Schemas as models follow them, and values as leaves; jsonschema says what a schema allows."""

import json
from typing import Any

import jsonschema
import pytest

from retrieval.errors import ExtractionRefused
from retrieval.extraction.schema import closed, finite_json, leaves_of, with_leaves, without_nulls, words_of

INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "title": "Invoice no."},
        "due": {"type": "string", "format": "date"},
        "vat": {"type": ["string", "null"]},
        "seller": {"$ref": "#/$defs/party"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
    },
    "required": ["number", "vat", "seller"],
    "$defs": {"party": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
}


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (
            {"number": "1", "due": None, "vat": None, "seller": {"name": "a"}, "lines": [{"text": None}]},
            {"number": "1", "vat": None, "seller": {"name": "a"}, "lines": [{}]},
        ),
        (
            {"number": "1", "due": "2024-01-01", "vat": "x", "seller": {"name": "a"}, "lines": None},
            {"number": "1", "due": "2024-01-01", "vat": "x", "seller": {"name": "a"}},
        ),
    ],
)
def test_what_need_not_be_there_may_be_null_for_the_model_and_is_left_out_of_the_answer(value, left):
    """A small model leaves optional fields out; one that must say null looks for them."""
    jsonschema.validate(value, closed(INVOICE))
    cleaned = without_nulls(value, INVOICE, INVOICE)
    assert cleaned == left
    jsonschema.validate(cleaned, INVOICE)


def test_the_closed_schema_wants_every_member_and_no_other():
    with pytest.raises(jsonschema.ValidationError, match="'due' is a required"):
        jsonschema.validate({"number": "1", "vat": None, "seller": {"name": "a"}, "lines": []}, closed(INVOICE))
    whole = {"number": "1", "due": None, "vat": None, "seller": {"name": "a"}, "lines": []}
    with pytest.raises(jsonschema.ValidationError, match="unexpected"):
        jsonschema.validate(whole | {"x": 1}, closed(INVOICE))
    free = INVOICE | {"additionalProperties": True}
    jsonschema.validate(whole | {"x": 1}, closed(free))


def test_leaves_are_taken_out_and_put_back_in_one_order():
    value = {"a": 1, "seller": {"name": "b"}, "lines": [{"text": "c"}, {}, []], "number": None}
    leaves = list(leaves_of(value, INVOICE, INVOICE))
    assert [leaf.path for leaf in leaves] == [("a",), ("seller", "name"), ("lines", 0, "text"), ("number",)]
    assert leaves[3].labels == ("Invoice no.",)
    assert with_leaves(value, iter(leaf.value for leaf in leaves)) == value


def test_a_field_is_looked_for_by_all_its_names():
    assert words_of("seller", INVOICE["properties"]["seller"], INVOICE) == {"seller", "name"}
    assert words_of("invoiceNumber", {"description": "printed top right"}, {}) == {
        "invoice", "number", "printed", "top", "right",
    }  # fmt: skip


def test_a_schema_that_names_itself_ends():
    tree = {"$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}
    assert words_of("n", tree, tree) == frozenset()
    (leaf,) = leaves_of({"n": {"n": {"n": 1}}}, tree, tree)
    assert leaf.path == ("n", "n", "n")
    assert without_nulls({"n": {"n": None}}, tree, tree) == {"n": {}}
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert without_nulls({"a": 1}, loop, loop) == {"a": 1}


def test_true_is_a_schema_too() -> None:
    """Guards against an internal error after the model has done its work."""
    schema = {"type": "object", "properties": {"a": True}}
    assert without_nulls({"a": 4}, schema, schema) == {"a": 4}
    assert [leaf.value for leaf in leaves_of({"a": 4}, schema, schema)] == [4]


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": 1e999}'])
def test_numbers_that_json_does_not_have_are_no_json(text: str) -> None:
    """Guards against values that no answer can be written with."""
    with pytest.raises(ValueError, match="no JSON"):
        finite_json(text)


PARTY = {"type": "object", "properties": {"name": {"type": "string"}, "vat": {"type": "string"}}, "required": ["name"]}
PARTS = {
    "$defs": {"party": PARTY},
    "allOf": [
        {"$ref": "#/$defs/party"},
        {"type": "object", "properties": {"city": {"type": "string", "title": "Town"}}, "required": ["city"]},
    ],
}
KINDS = {
    "type": "object",
    "properties": {
        "payment": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "card"}, "number": {"type": "string", "title": "Card"}},
                    "required": ["kind"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "bank"}, "number": {"type": "string", "title": "IBAN"}},
                    "required": ["kind"],
                },
            ]
        }
    },
    "required": ["payment"],
}


def test_what_several_parts_say_of_one_object_can_still_be_written():
    """Guards against parts that are closed one by one: each then refuses the members of the others."""
    whole = {"name": "Harbour", "vat": None, "city": "Wells"}
    jsonschema.validate(whole, closed(PARTS))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "Harbour", "vat": None}, closed(PARTS))
    cleaned = without_nulls(whole, PARTS, PARTS)
    assert cleaned == {"name": "Harbour", "city": "Wells"}
    jsonschema.validate(cleaned, PARTS)
    assert [leaf.labels for leaf in leaves_of(cleaned, PARTS, PARTS)] == [(), ("Town",)]


def test_of_several_objects_the_one_that_is_meant_says_what_may_be_left_out():
    """Guards against a null of one kind of object that stays, and against names of another kind."""
    for kind, title in (("card", "Card"), ("bank", "IBAN")):
        value = {"payment": {"kind": kind, "number": None}}
        jsonschema.validate(value, closed(KINDS))
        cleaned = without_nulls(value, KINDS, KINDS)
        assert cleaned == {"payment": {"kind": kind}}
        jsonschema.validate(cleaned, KINDS)
        leaves = list(leaves_of({"payment": {"kind": kind, "number": "1"}}, KINDS, KINDS))
        assert leaves[1].labels == (title,)


def test_parts_that_say_more_than_members_stay_as_they_are():
    schema = {"allOf": [{"type": "object", "minProperties": 1}, PARTY]}
    assert closed(schema)["allOf"] == schema["allOf"]


def references(num_levels, num_references, last):
    """A schema whose one property leads over levels of equal references to `last`."""
    levels = {
        f"a{level}": {"allOf": [{"$ref": f"#/$defs/a{level + 1}"}] * num_references} for level in range(num_levels)
    }
    return {
        "type": "object",
        "properties": {"whole": {"$ref": "#/$defs/a0"}},
        "$defs": levels | {f"a{num_levels}": last},
    }


def test_references_to_many_references_are_refused_before_all_are_followed():
    """Guards against a schema of a few hundred bytes that costs 20 to the power of 8 steps."""
    schema = references(8, 20, PARTY)
    with pytest.raises(ExtractionRefused, match="parts") as refused:
        closed(schema)
    assert refused.value.code == "invalid_schema"
    elsewhere = {"$ref": "#/places/a0"}  # closing the schema does not pass there
    with pytest.raises(ExtractionRefused):
        words_of("whole", elsewhere, {"places": json.loads(json.dumps(schema["$defs"]).replace("$defs", "places"))})


OPEN = {"type": "object"}  # a second part: one reference alone is not inlined


def test_members_that_double_on_every_level_are_refused():
    """Guards against a closed schema of gigabytes: every level names the next one twice."""
    levels = {
        f"a{level}": {
            "type": "object",
            "properties": {name: {"allOf": [{"$ref": f"#/$defs/a{level + 1}"}, OPEN]} for name in ("left", "right")},
        }
        for level in range(30)
    }
    with pytest.raises(ExtractionRefused):
        closed({"allOf": [{"$ref": "#/$defs/a0"}, OPEN], "$defs": levels | {"a30": PARTY}})


def test_a_few_levels_of_references_are_followed():
    value = {"whole": {"name": "Harbour", "vat": None}}
    jsonschema.validate(value, closed(references(4, 2, PARTY)))


def test_a_schema_that_recurs_by_allof_of_one_reference_is_closed_as_by_the_reference() -> None:
    """Pydantic 1 and OpenAPI write every field of another model so; each was inlined again without end."""

    def tree(reference: dict[str, Any]) -> dict[str, Any]:
        node = {"type": "object", "properties": {"children": {"type": "array", "items": reference}}}
        return {"$defs": {"Node": node}, "type": "object", "properties": {"root": reference}}

    reference = {"$ref": "#/$defs/Node"}
    assert closed(tree({"allOf": [reference]})) == closed(tree(reference))


def test_values_that_are_tried_against_too_many_options_are_refused() -> None:
    """A list of an answer times the options of a schema was matched on the event loop, however many they were."""
    options = [{"type": "object", "properties": {"kind": {"const": str(k)}}, "required": ["kind"]} for k in range(2000)]
    schema = {"type": "array", "items": {"anyOf": options}}
    with pytest.raises(ExtractionRefused):
        without_nulls([{"kind": "1999"}] * 2000, schema, schema)
    with pytest.raises(ExtractionRefused):
        list(leaves_of([{"kind": "1999"}] * 2000, schema, schema))
    assert without_nulls([{"kind": "9"}] * 20, schema, schema) == [{"kind": "9"}] * 20
