"""Dify's conditions on metadata as a filter of our search; what the filter cannot say is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, ValidationError

from deployments.ingress.errors import UnknownOption
from retrieval.search.search_filter import Filter

SAME_OPERATORS = ("is", "=", "in")
MAX_PAGE = 2**31 - 1  # as the filter has it
PAGE_RANGES: Mapping[str, Callable[[int], tuple[int, int]]] = {  # first and last page
    "is": lambda number: (number, number),
    "=": lambda number: (number, number),
    "≥": lambda number: (number, MAX_PAGE),
    ">": lambda number: (number + 1, MAX_PAGE),
    "≤": lambda number: (1, number),
    "<": lambda number: (1, number - 1),
}
LIST_FIELDS = ("document_id", "kind")  # of our filter: any value of a list
# only shown: records have these beside the document's own metadata, or Dify itself does; no filter compares them
DISPLAY_FIELDS = frozenset({"file_name", "page_label", "title", "link", "boxes", "document_name"})


class Condition(BaseModel):
    """What one fact of a document must be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | tuple[str, ...]
    comparison_operator: str
    value: str | StrictInt | StrictFloat | tuple[str, ...] | None = None


class MetadataCondition(BaseModel):
    """What must be true of the documents or places that are searched."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    logical_operator: Literal["and", "or"] | None = None
    conditions: tuple[Condition, ...] | None = Field(None, max_length=50)


def filter_of(metadata: MetadataCondition | None) -> Filter:
    """Raises UnknownOption where no filter says the same."""
    listed = () if metadata is None else metadata.conditions or ()
    conditions = [(_name(condition), condition) for condition in listed]
    if metadata is not None and metadata.logical_operator == "or" and len(conditions) > 1:
        names = {name for name, _ in conditions}
        if len(names) > 1 or not names.issubset(LIST_FIELDS):
            raise UnknownOption("metadata_condition: `or` is possible among conditions on document_id, or on kind")
        return _filter({names.pop(): [value for name, condition in conditions for value in _texts(name, condition)]})
    fields: dict[str, Any] = {"metadata": {}}
    if page_ranges := [_pages(condition) for name, condition in conditions if name == "page"]:
        first = max(1, *(first for first, _ in page_ranges))
        last = min(MAX_PAGE, *(last for _, last in page_ranges))
        if first > last:
            fields["document_id"] = []  # no page is in all ranges
        else:
            fields["pages"] = {"first": None if first == 1 else first, "last": None if last == MAX_PAGE else last}
    for name, condition in conditions:
        if name != "page":
            _narrow(fields, name, condition)
    return _filter(fields)


def _narrow(fields: dict[str, Any], name: str, condition: Condition) -> None:
    """Add a condition on a value to those that hold already."""
    values = _texts(name, condition)
    if name in LIST_FIELDS:
        fields[name] = values if name not in fields else [value for value in values if value in fields[name]]
    elif len(values) != 1:
        raise UnknownOption(f"metadata_condition: {name} can be compared with one value only")
    elif fields["metadata"].setdefault(name, values[0]) != values[0]:
        fields["document_id"] = []  # nothing has two values


def _name(condition: Condition) -> str:
    names = (condition.name,) if isinstance(condition.name, str) else condition.name
    if len(names) != 1:
        raise UnknownOption("metadata_condition: a condition must have exactly one name")
    (name,) = names
    if name in DISPLAY_FIELDS:
        raise UnknownOption(
            f"metadata_condition: {name} cannot be compared; supported: document_id, kind, page, and the metadata"
            " with which documents were ingested"
        )
    return name


def _texts(name: str, condition: Condition) -> list[str]:
    """The values that a fact may have; `in` takes a list, or texts with commas between them."""
    value = condition.value
    if condition.comparison_operator not in SAME_OPERATORS:
        raise _unsupported(name, condition, SAME_OPERATORS)
    if value is None or value == "":
        raise UnknownOption(f"metadata_condition: {name} has no value")
    if isinstance(value, tuple):
        return list(value)
    if condition.comparison_operator == "in" and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [str(value)]


def _pages(condition: Condition) -> tuple[int, int]:
    """The first and the last page; no page may be between them."""
    if condition.comparison_operator not in PAGE_RANGES:
        raise _unsupported("page", condition, PAGE_RANGES)
    try:
        number = int(str(condition.value))
    except ValueError:
        raise UnknownOption("metadata_condition: page is compared with a whole number") from None
    return PAGE_RANGES[condition.comparison_operator](number)


def _unsupported(name: str, condition: Condition, known: Any) -> UnknownOption:
    return UnknownOption(
        f"metadata_condition: {name[:64]} cannot be compared by {condition.comparison_operator[:32]!r};"
        f" supported: {', '.join(known)}"
    )


def _filter(fields: Mapping[str, Any]) -> Filter:
    try:
        return Filter.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnknownOption(f"metadata_condition: {where}: {first['msg']}") from None
