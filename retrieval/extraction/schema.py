"""Prepares JSON schemas for a language model, and flattens extracted values into fields."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from documents.matching.matcher import Leaf
from retrieval.errors import ExtractionRefused

Schema = Mapping[str, Any]
TEXT_KEYS = ("title", "description")
OBJECT_KEYS = frozenset({"type", "properties", "required", "title", "description", "$defs", "definitions"})
MAX_REFERENCES = 8
MAX_SCHEMA_PARTS = 20_000  # maximum number of parts visited while references of a schema are resolved
MAX_FIT_TESTS = 1_000_000  # maximum number of parts visited while an answer is matched to the options of its schema
UNKNOWN_SCHEMA = object()  # stands for a part of the schema that is not known
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")


class PartCount:
    """Counts the visited parts of one schema: few bytes of references to references can name millions of them."""

    def __init__(self, max_parts: int = MAX_SCHEMA_PARTS) -> None:
        self._num_parts = 0
        self._max_parts = max_parts

    def add(self, num_parts: int) -> None:
        """Raises ExtractionRefused beyond the maximum."""
        self._num_parts += num_parts
        if self._num_parts > self._max_parts:
            message = f"the references of the schema lead to over {self._max_parts} parts"
            raise ExtractionRefused(message, code="invalid_schema")


def closed(schema: Schema, root: Schema | None = None, count: PartCount | None = None) -> dict[str, Any]:
    """The schema with every member of an object to be written, and no others.

    A member that need not be there may be null instead: so a model says of each that the document has it, or has not.
    Objects that say themselves what further members they have keep them. What several parts say of one object (allOf)
    is said of it at once; where they cannot be joined they stay as they are. One of several (oneOf) becomes any of
    them: closed ones may overlap where they did not before.

    Raises:
        ExtractionRefused: its references lead to more than MAX_SCHEMA_PARTS.
    """
    root = schema if root is None else root
    count = PartCount() if count is None else count
    closed_schema: dict[str, Any] = {}
    for key, value in joined(_as_reference(schema), root, count).items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            closed_schema[key] = {name: _closed(part, root, count) for name, part in value.items()}
        elif key == "oneOf" and isinstance(value, list) and "anyOf" not in schema:
            closed_schema["anyOf"] = [_closed(part, root, count) for part in value]
        elif key in ("anyOf", "oneOf", "prefixItems") and isinstance(value, list):
            closed_schema[key] = [_closed(part, root, count) for part in value]
        elif key == "items":
            closed_schema[key] = _closed(value, root, count)
        else:
            closed_schema[key] = value
    properties = closed_schema.get("properties")
    if isinstance(properties, Mapping):
        needed = set(closed_schema.get("required", ()))
        closed_schema["properties"] = {
            name: part if name in needed else _nullable(part) for name, part in properties.items()
        }
        closed_schema["required"] = list(properties)
        closed_schema.setdefault("additionalProperties", False)
    return closed_schema


def _as_reference(schema: Schema) -> Schema:
    """A schema that names one other by `allOf`, as pydantic 1 and OpenAPI do, as a reference: it may recur."""
    parts = schema.get("allOf")
    if not isinstance(parts, list) or len(parts) != 1 or "properties" in schema or "required" in schema:
        return schema
    (part,) = parts
    if not isinstance(part, Mapping) or part.keys() != {"$ref"}:
        return schema
    return {key: value for key, value in schema.items() if key != "allOf"} | dict(part)


def finite_json(text: str) -> Any:
    """JSON as the standard has it. Raises ValueError also for NaN, Infinity, and numbers that are as large."""

    def refused(constant: str) -> float:
        raise ValueError(f"{constant} is no JSON")

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refused(digits)

    return json.loads(text, parse_constant=refused, parse_float=finite)


def without_nulls(value: Any, schema: Schema, root: Schema, count: PartCount | None = None) -> Any:
    """A value of the closed schema as one of the schema: what need not be there and is null is left out.

    Raises:
        ExtractionRefused: matching the values to the schema's options takes over MAX_FIT_TESTS visits.
    """
    count = PartCount(MAX_FIT_TESTS) if count is None else count
    schema = _resolved(schema, root, value, count)
    if isinstance(value, list):
        items = schema.get("items", {})
        return [without_nulls(item, items if isinstance(items, Mapping) else {}, root, count) for item in value]
    if not isinstance(value, dict):
        return value
    properties, needed = schema.get("properties", {}), set(schema.get("required", ()))
    return {
        name: without_nulls(member, properties.get(name, {}), root, count)
        for name, member in value.items()
        if member is not None or name in needed or name not in properties
    }


def leaves_of(
    value: Any, schema: Schema, root: Schema, path: tuple[str | int, ...] = (), count: PartCount | None = None
) -> Iterator[Leaf]:
    """Every text, number, truth value and null of a value, with the names that its schema gives it.

    Raises as `without_nulls`.
    """
    count = PartCount(MAX_FIT_TESTS) if count is None else count
    schema = _resolved(schema, root, value, count)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name, member in value.items():
            yield from leaves_of(member, properties.get(name, {}), root, (*path, name), count)
    elif isinstance(value, list):
        items = schema.get("items", {})
        for index, member in enumerate(value):
            yield from leaves_of(member, items if isinstance(items, Mapping) else {}, root, (*path, index), count)
    else:
        title = schema.get("title")
        yield Leaf(path=path, value=value, labels=(title,) if isinstance(title, str) else ())


def with_leaves(value: Any, leaves: Iterator[Any]) -> Any:
    """The same objects and lists, with the next of `leaves` in the place of each leaf, in the order of `leaves_of`."""
    if isinstance(value, dict):
        return {name: with_leaves(member, leaves) for name, member in value.items()}
    if isinstance(value, list):
        return [with_leaves(item, leaves) for item in value]
    return next(leaves)


def words_of(name: str, schema: Any, root: Schema, depth: int = 4, count: PartCount | None = None) -> frozenset[str]:
    """Words by which a field is looked for: of its name, its title and description, and those of its members.

    Raises:
        ExtractionRefused: it has more than MAX_SCHEMA_PARTS.
    """
    count = PartCount() if count is None else count
    count.add(1)
    words = {word.casefold() for word in WORD.findall(name)}
    if not isinstance(schema, Mapping) or depth == 0:
        return frozenset(words)
    schema = _resolved(schema, root, UNKNOWN_SCHEMA, count)
    for key in TEXT_KEYS:
        if isinstance(schema.get(key), str):
            words.update(word.casefold() for word in WORD.findall(schema[key]))
    for member, part in schema.get("properties", {}).items():
        words |= words_of(member, part, root, depth - 1, count)
    if "items" in schema:
        words |= words_of("", schema["items"], root, depth - 1, count)
    return frozenset(word for word in words if len(word) > 1)


def is_list(schema: Any, root: Schema) -> bool:
    """Whether a field holds any number of values."""
    return isinstance(schema, Mapping) and _resolved(schema, root, UNKNOWN_SCHEMA).get("type") == "array"


def _resolved(schema: Any, root: Schema, value: Any, count: PartCount | None = None) -> Schema:
    """What a schema says of this value: its definition, all its parts, and of several that which fits."""
    count = PartCount() if count is None else count
    for _ in range(MAX_REFERENCES):
        schema = joined(_referred(schema, root), root, count)
        options = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(options, Sequence):
            return schema
        others = [option for option in options if isinstance(option, Mapping) and option.get("type") != "null"]
        fitting = others if len(others) == 1 else [option for option in others if _fits(value, option, root, count)]
        if not fitting:
            return {}
        schema = fitting[0]
    return {}


def joined(schema: Schema, root: Schema, count: PartCount, depth: int = 8) -> Schema:
    """A schema with the members of its `allOf` in itself; as it is where they say more than members."""
    parts = schema.get("allOf")
    if not isinstance(parts, list) or depth == 0:
        return schema
    whole: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    properties: dict[str, Any] = dict(whole.get("properties", {}))
    required: list[str] = list(whole.get("required", ()))
    for reference in parts:
        part = joined(_referred(reference, root), root, count, depth - 1)
        count.add(1 + len(part.get("properties", ())) + len(part.get("required", ())))
        if part.get("type", "object") != "object" or not part.keys() <= OBJECT_KEYS:
            return schema
        for name, member in part.get("properties", {}).items():
            same = name not in properties or properties[name] == member
            properties[name] = member if same else {"allOf": [properties[name], member]}
        required += [name for name in part.get("required", ()) if name not in required]
    return whole | {"type": "object", "properties": properties, "required": required}


def _referred(schema: Any, root: Schema) -> Schema:
    """Where a schema only names a definition, that one."""
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, Mapping):  # true or false, which are schemas, too
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: Any = root
        for step in reference[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name, {}) if isinstance(target, Mapping) else {}
        schema = target
    return {}


def _fits(value: Any, schema: Schema, root: Schema, count: PartCount) -> bool:
    """Whether a value may be meant by one of several schemas: by its kind, its members and its constants."""
    if value is None:  # of a closed schema any member may be null
        return True
    count.add(1)
    schema = joined(_referred(schema, root), root, count)
    if "const" in schema and value != schema["const"]:
        return False
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
        return False
    if isinstance(value, dict):
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return schema.get("type") == "object"
        members_fit = all(
            _fits(member, properties[name], root, count) for name, member in value.items() if name in properties
        )
        return value.keys() <= properties.keys() and set(schema.get("required", ())) <= value.keys() and members_fit
    if isinstance(value, list):
        return schema.get("type") == "array" or "items" in schema
    return schema.get("type") not in ("object", "array")


def _closed(part: Any, root: Schema, count: PartCount) -> Any:
    return closed(part, root, count) if isinstance(part, Mapping) else part


def _nullable(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return part
    return {"anyOf": [part, {"type": "null"}]}
