"""What is wrong with a setting or an option, without the vocabulary of the validator."""

from __future__ import annotations

from pydantic import ValidationError


def plain(error: Exception) -> str:
    """`name: what is wrong` for each field, or the error's own message."""
    if not isinstance(error, ValidationError):
        return str(error)
    told = [
        f"{'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors()
    ]
    return "; ".join(each.removeprefix(": ") for each in told)
