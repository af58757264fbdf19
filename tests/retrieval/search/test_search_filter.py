"""Filters as callers write them; what they match is tested with the search."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from retrieval.search.search_filter import TAG_END, Filter, Pages, tag


def test_an_unknown_field_is_named_with_the_known_ones():
    """A misspelt filter that is ignored finds what was to be kept out."""
    with pytest.raises(ValidationError, match="'documents'; known: document_id, pages, kind, metadata"):
        Filter.model_validate({"documents": ["a"]})
    for wrong in ({"kind": "tabel"}, {"pages": {"first": 3, "last": 2}}, {"pages": {"first": 0}}, {"document_id": 1}):
        with pytest.raises(ValidationError):
            Filter.model_validate(wrong)


def test_one_value_is_as_good_as_a_list_of_one():
    """People write both."""
    assert Filter.model_validate({"kind": "table", "document_id": "a"}) == Filter(kind=("table",), document_id=("a",))


def test_filters_that_match_the_same_have_the_same_text():
    """Else a cache would keep the same result twice, or give one of another filter."""
    one, other = Filter(document_id=("b", "a", "a")), Filter(document_id=("a", "b"))
    assert one.canonical() == other.canonical() != Filter().canonical()
    assert Filter(metadata={"a": "1", "b": "2"}).canonical() == Filter(metadata={"b": "2", "a": "1"}).canonical()
    assert Filter(pages=Pages(first=1)).canonical() != Filter(pages=Pages(last=1)).canonical()


def test_no_filter_is_no_condition():
    """Guards against a condition that every row has to be looked at for."""
    assert Filter().expression(None) is None
    assert Filter().expression("a").to_sql() == "(namespace = 'a')"


@given(st.dictionaries(st.text(), st.text(), max_size=4), st.text(), st.text())
def test_a_tag_is_found_exactly_where_the_fact_is(facts, name, value):
    """`a=b` inside `xa=bc`, or a control character in a value, must not match."""
    kept = "".join(tag(*fact) for fact in facts.items())
    assert (tag(name, value) in kept) == (facts.get(name) == value)
    assert json.loads(tag(name, value).strip(TAG_END)) == [name, value]
