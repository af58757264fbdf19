"""Guide: constrains an output to a JSON schema, a regex or one of several texts (structured output)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

GuideKind = Literal["json_schema", "regex", "choice"]


@dataclass(frozen=True, slots=True)
class Guide:
    """The whole output is a JSON value of a schema, matches a regex, or is one of a few texts.

    Made by the class methods. Equal guides are compiled once. Whether the engine can follow one is known when it is
    submitted, see `InvalidGuide`.
    """

    kind: GuideKind
    text: str  # the schema or the choices as JSON, or the regex

    @classmethod
    def json_schema(cls, schema: Mapping[str, Any] | str) -> Guide:
        """JSON without needless white space whose value `schema` allows; members come in the order of the schema.

        Raises:
            ValueError: the schema is no JSON object.
        """
        value = json.loads(schema) if isinstance(schema, str) else schema
        if not isinstance(value, Mapping):
            raise ValueError(f"guide must be a JSON schema, an object, not {type(value).__name__}")
        return cls("json_schema", json.dumps(value, ensure_ascii=False))

    @classmethod
    def json_object(cls) -> Guide:
        """Any JSON object."""
        return cls.json_schema({"type": "object"})

    @classmethod
    def regex(cls, pattern: str) -> Guide:
        """The regex must match the text entirely; in the syntax of Rust, without look-around."""
        return cls("regex", pattern)

    @classmethod
    def choice(cls, options: Sequence[str]) -> Guide:
        """One of `options`.

        Raises:
            ValueError: there is none, or one is empty.
        """
        if not options or not all(options):
            raise ValueError("guide must have at least one option, and none of them empty")
        return cls("choice", json.dumps(list(options), ensure_ascii=False))
