"""Dify's conditions as filters of our search: what the filter cannot say is refused, and nothing is left out."""

from __future__ import annotations

from typing import Any

import pytest

from deployments.ingress.errors import UnknownOption
from deployments.ingress.facades.dify.conditions import MetadataCondition, filter_of
from retrieval.search.search_filter import Filter


def filter_for(*conditions: tuple[Any, str, Any], operator: str | None = "and") -> Filter:
    names = ("name", "comparison_operator", "value")
    listed = [dict(zip(names, condition, strict=True)) for condition in conditions]
    return filter_of(MetadataCondition.model_validate({"logical_operator": operator, "conditions": listed}))


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([("year", "is", "2024")], {"metadata": {"year": "2024"}}),
        ([(["year"], "=", 2024)], {"metadata": {"year": "2024"}}),
        ([("year", "in", ["2024"]), ("lang", "is", "en")], {"metadata": {"year": "2024", "lang": "en"}}),
        ([("document_id", "is", "a,b")], {"document_id": ["a,b"]}),
        ([("document_id", "in", "a, b")], {"document_id": ["a", "b"]}),
        ([("document_id", "in", ["a", "b"]), ("document_id", "in", ["b", "c"])], {"document_id": ["b"]}),
        ([("kind", "in", ["table", "figure"])], {"kind": ["table", "figure"]}),
        ([("page", "is", "3")], {"pages": {"first": 3, "last": 3}}),
        ([("page", ">", 3), ("page", "≤", 9)], {"pages": {"first": 4, "last": 9}}),
        ([("page", "≥", 3), ("page", "<", 9), ("page", "<", 7)], {"pages": {"first": 3, "last": 6}}),
        ([("page", "≥", -3), ("page", "≤", 10**12)], {"pages": {}}),
        ([], {}),
    ],
)
def test_what_a_filter_can_say_is_said(conditions: list[tuple[Any, str, Any]], expected: dict[str, Any]):
    """Guards against a condition that is dropped on its way, which widens what is searched."""
    assert filter_for(*conditions) == Filter.model_validate(expected)


def test_conditions_that_nothing_meets_find_nothing():
    """Guards against a second value that takes the place of the first."""
    assert filter_for(("year", "is", "2024"), ("year", "is", "2025")).empty
    assert filter_for(("document_id", "is", "a"), ("document_id", "is", "b")).empty


@pytest.mark.parametrize(
    "ranges",
    [
        [("≥", 5), ("≤", 3)],
        [("≤", 3), ("≥", 5)],
        [("is", 2), ("is", 3)],
        [("<", 1)],
        [("is", 0)],
        [("≤", "-1")],
        [(">", 2**31 - 1)],
        [("is", 10**12)],
    ],
)
@pytest.mark.parametrize("more", [[], [("document_id", "is", "a")]])
def test_pages_that_no_document_has_find_nothing(ranges: list[tuple[str, Any]], more: list[tuple[Any, str, Any]]):
    """Guards against an error where the same contradiction between ids is an empty answer."""
    assert filter_for(*more, *[("page", *one) for one in ranges]).empty
    assert filter_for(*[("page", *one) for one in ranges], *more).empty


@pytest.mark.parametrize("name", ["file_name", "page_label", "title", "link", "boxes", "document_name"])
@pytest.mark.parametrize("operator", ["and", "or"])
def test_facts_that_no_filter_compares_are_refused_by_their_names(name: str, operator: str):
    """Guards against fields of our own records, or of Dify's documents, looked for in the caller's metadata."""
    for listed in (name, [name]):
        with pytest.raises(UnknownOption, match=f"{name} cannot be compared; supported: document_id, kind, page"):
            filter_for((listed, "is", "a"), operator=operator)


def test_or_is_possible_where_one_list_says_it():
    """Guards against `or` that is read as `and`."""
    either = filter_for(("document_id", "is", "a"), ("document_id", "in", ["b", "c"]), operator="or")
    assert either == Filter(document_id=("a", "b", "c"))
    assert filter_for(("year", "is", "2024"), operator="or") == Filter(metadata={"year": "2024"})
    for other in (("year", "is", "2024"), ("page", "is", 3)):
        with pytest.raises(UnknownOption, match="or"):
            filter_for(("document_id", "is", "a"), other, operator="or")


@pytest.mark.parametrize(
    "operator",
    [
        *("contains", "not contains", "start with", "end with", "is not", "not in", "empty", "not empty", "null"),
        *("not null", "≠", ">", "<", "≥", "≤", "before", "after", "resembles"),
    ],
)
def test_every_other_operator_is_refused_by_its_name(operator: str):
    """Guards against a filter that is silently ignored: Dify would show passages that it was to leave out."""
    for name in ("year", "document_id", "kind"):
        with pytest.raises(UnknownOption, match=f"{name} cannot be compared by '{operator}'; supported: is, =, in"):
            filter_for((name, operator, "2024"))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (("page", "contains", 3), "page cannot be compared by 'contains'; supported: is, ="),
        (("page", "is", "iii"), "whole number"),
        (("kind", "is", "poem"), "kind"),
        (("year", "in", ["2024", "2025"]), "one value only"),
        (("year", "is", None), "year has no value"),
        ((["year", "month"], "is", "1"), "exactly one name"),
    ],
)
def test_what_no_filter_says_is_refused(condition: tuple[Any, str, Any], message: str):
    """Guards against an error that does not tell what to change."""
    with pytest.raises(UnknownOption, match=message):
        filter_for(condition)
