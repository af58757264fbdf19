"""The base class of settings: frozen, and an unknown name is refused with the nearest known one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Group(BaseModel):
    """Frozen; knows exactly its own keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            for key in map(str, values):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if key not in cls.model_fields:
                    near = difflib.get_close_matches(key, cls.model_fields, n=1, cutoff=0.0)[0]
                    raise ValueError(f"unknown setting {key!r}; the nearest is {near!r}")
        return values  # pyright: ignore[reportUnknownVariableType]


def by_name(values: Any) -> Any:
    """Parses `title=0.3,table=0.2` of an option or variable; anything else is returned unchanged."""
    if not isinstance(values, str):
        return {} if values is None else values
    parts = [part.partition("=") for part in values.split(",") if part.strip()]
    return {kind.strip(): least.strip() for kind, _, least in parts}


def names(values: Any) -> Any:
    """Parses `files.lan,10.1.0.0/16` of an option or variable; anything else is returned unchanged."""
    if not isinstance(values, str):
        return () if values is None else values
    return tuple(part.strip() for part in values.split(",") if part.strip())
