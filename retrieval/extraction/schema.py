"""Schemas as models follow them, and values as flat lists of leaves."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from documents.matching.match import Leaf

Schema = Mapping[str, Any]
NAMES = ("title", "description")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")


def closed(schema: Schema) -> dict[str, Any]:
    """The schema with every member of an object to be written, and no others.

    A member that need not be there may be null instead: so a model says of each that the document has it, or has not.
    Objects that say themselves what further members they have keep them.
    """
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            made[key] = {name: _closed(part) for name, part in value.items()}
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
            made[key] = [_closed(part) for part in value]
        elif key == "items":
            made[key] = _closed(value)
        else:
            made[key] = value
    properties = made.get("properties")
    if isinstance(properties, Mapping):
        needed = set(made.get("required", ()))
        made["properties"] = {name: part if name in needed else _nullable(part) for name, part in properties.items()}
        made["required"] = list(properties)
        made.setdefault("additionalProperties", False)
    return made


def finite_json(text: str) -> Any:
    """JSON as the standard has it. Raises ValueError also for NaN, Infinity, and numbers that are as large."""

    def refused(constant: str) -> float:
        raise ValueError(f"{constant} is no JSON")

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refused(digits)

    return json.loads(text, parse_constant=refused, parse_float=finite)


def without_nulls(value: Any, schema: Schema, root: Schema) -> Any:
    """A value of the closed schema as one of the schema: what need not be there and is null is left out."""
    schema = _resolved(schema, root)
    if isinstance(value, list):
        items = schema.get("items", {})
        return [without_nulls(each, items if isinstance(items, Mapping) else {}, root) for each in value]
    if not isinstance(value, dict):
        return value
    properties, needed = schema.get("properties", {}), set(schema.get("required", ()))
    return {
        name: without_nulls(each, properties.get(name, {}), root)
        for name, each in value.items()
        if each is not None or name in needed or name not in properties
    }


def leaves_of(value: Any, schema: Schema, root: Schema, path: tuple[str | int, ...] = ()) -> Iterator[Leaf]:
    """Every text, number, truth value and null of a value, with the names that its schema gives it."""
    schema = _resolved(schema, root)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name, each in value.items():
            yield from leaves_of(each, properties.get(name, {}), root, (*path, name))
    elif isinstance(value, list):
        items = schema.get("items", {})
        for at, each in enumerate(value):
            yield from leaves_of(each, items if isinstance(items, Mapping) else {}, root, (*path, at))
    else:
        title = schema.get("title")
        yield Leaf(path=path, value=value, labels=(title,) if isinstance(title, str) else ())


def with_leaves(value: Any, leaves: Iterator[Any]) -> Any:
    """The same objects and lists, with the next of `leaves` in the place of each leaf, in the order of `leaves_of`."""
    if isinstance(value, dict):
        return {name: with_leaves(each, leaves) for name, each in value.items()}
    if isinstance(value, list):
        return [with_leaves(each, leaves) for each in value]
    return next(leaves)


def words_of(name: str, schema: Any, root: Schema, depth: int = 4) -> frozenset[str]:
    """Words by which a field is looked for: of its name, its title and description, and those of its members."""
    words = {word.casefold() for word in WORD.findall(name)}
    if not isinstance(schema, Mapping) or depth == 0:
        return frozenset(words)
    schema = _resolved(schema, root)
    for key in NAMES:
        if isinstance(schema.get(key), str):
            words.update(word.casefold() for word in WORD.findall(schema[key]))
    for member, part in schema.get("properties", {}).items():
        words |= words_of(member, part, root, depth - 1)
    if "items" in schema:
        words |= words_of("", schema["items"], root, depth - 1)
    return frozenset(word for word in words if len(word) > 1)


def is_list(schema: Any, root: Schema) -> bool:
    """Whether a field holds any number of values."""
    return isinstance(schema, Mapping) and _resolved(schema, root).get("type") == "array"


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Where a schema only names a definition, that one; of a nullable one what it may be besides."""
    for _ in range(8):
        if not isinstance(schema, Mapping):  # true or false, which are schemas, too
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            target: Any = root
            for step in reference[2:].split("/"):
                target = (
                    target.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, Mapping) else {}
                )
            schema = target if isinstance(target, Mapping) else {}
            continue
        options = schema.get("anyOf")
        if isinstance(options, Sequence):
            others = [each for each in options if isinstance(each, Mapping) and each.get("type") != "null"]
            if len(others) == 1:
                schema = others[0]
                continue
        return schema
    return {}


def _closed(part: Any) -> Any:
    return closed(part) if isinstance(part, Mapping) else part


def _nullable(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return part
    return {"anyOf": [part, {"type": "null"}]}
