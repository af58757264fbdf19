"""What all groups of settings have in common: they are frozen, and name the nearest right key for a wrong one."""

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
    def _refuse_unknown_keys(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            for key in map(str, given):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if key not in cls.model_fields:
                    near = difflib.get_close_matches(key, cls.model_fields, n=1, cutoff=0.0)[0]
                    raise ValueError(f"unknown setting {key!r}; the nearest is {near!r}")
        return given  # pyright: ignore[reportUnknownVariableType]


def by_name(given: Any) -> Any:
    """`title=0.3,table=0.2`, as an option or a variable says it; anything else is left as it is."""
    if not isinstance(given, str):
        return {} if given is None else given
    parts = [part.partition("=") for part in given.split(",") if part.strip()]
    return {kind.strip(): least.strip() for kind, _, least in parts}


def names(given: Any) -> Any:
    """`files.lan,10.1.0.0/16`, as an option or a variable says it; anything else is left as it is."""
    if not isinstance(given, str):
        return () if given is None else given
    return tuple(part.strip() for part in given.split(",") if part.strip())
