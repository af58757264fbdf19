"""JSON schemas at random, the same for the same seed: what a caller of structured generation may send."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

WORDS = ("name", "total", "date", "items", "city", "code", "price", "note", "größe", "a b", 'quote"s', "x")
PATTERNS = ("[A-Z]{2}[0-9]{1,4}", "(yes|no)", "[a-f]{0,6}", "[0-9]{2}:[0-9]{2}")
FORMATS = ("date", "time", "date-time", "uuid", "ipv4", "email")
Schema = dict[str, Any]


def random_schema(seed: int, *, depth: int = 3) -> Schema:
    """An object whose longest instance is bounded, so that any model ends it, with every kind of value in it."""
    chance = random.Random(seed)
    schema = _object(chance, depth)
    if chance.random() < 0.2:
        schema["$defs"] = {"shared": _leaf(chance)}
        schema["properties"]["ref"] = {"$ref": "#/$defs/shared"}
        schema["required"] = [*schema["required"], "ref"]
    return schema


def _value(chance: random.Random, depth: int) -> Schema:
    if depth <= 0 or chance.random() < 0.55:
        return _leaf(chance)
    kinds: tuple[Callable[[random.Random, int], Schema], ...] = (_object, _array, _any_of)
    return chance.choice(kinds)(chance, depth - 1)


def _object(chance: random.Random, depth: int) -> Schema:
    names = chance.sample(WORDS, chance.randint(1, 4))
    return {
        "type": "object",
        "properties": {name: _value(chance, depth) for name in names},
        "required": [name for name in names if chance.random() < 0.7],
        "additionalProperties": False,
    }


def _array(chance: random.Random, depth: int) -> Schema:
    least = chance.randint(0, 2)
    return {
        "type": "array",
        "items": _value(chance, depth),
        "minItems": least,
        "maxItems": least + chance.randint(0, 2),
    }


def _any_of(chance: random.Random, depth: int) -> Schema:
    return {"anyOf": [_value(chance, depth), _leaf(chance), {"type": "null"}]}


def _leaf(chance: random.Random) -> Schema:
    kinds: tuple[Callable[[random.Random], Schema], ...] = (
        _string,
        _string,
        _integer,
        _number,
        lambda _: {"type": "boolean"},
        lambda _: {"type": "null"},
        lambda _: {"enum": ["a", 1, None, True, "ü", -2.5]},
        lambda _: {"const": 'fixed "text"'},
        lambda chance: {"type": "string", "pattern": f"^{chance.choice(PATTERNS)}$"},
        lambda chance: {"type": "string", "format": chance.choice(FORMATS), "maxLength": 40},
    )
    return chance.choice(kinds)(chance)


def _string(chance: random.Random) -> Schema:
    least = chance.randint(0, 3)
    return {"type": "string", "minLength": least, "maxLength": least + chance.randint(0, 9)}


def _integer(chance: random.Random) -> Schema:
    least = chance.randint(-200, 200)
    return {"type": "integer", "minimum": least, "maximum": least + chance.randint(0, 1000)}


def _number(chance: random.Random) -> Schema:
    least = chance.randint(-5, 5)
    return {"type": "number", "minimum": least, "maximum": least + chance.randint(0, 9)}
