"""Schemas as models follow them, and values as leaves; jsonschema says what a schema allows."""

import jsonschema
import pytest

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
    found = without_nulls(value, INVOICE, INVOICE)
    assert found == left
    jsonschema.validate(found, INVOICE)


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
