"""Text for a terminal: readable validation errors, no control characters, plurals."""

from __future__ import annotations

import unicodedata

from pydantic import ValidationError


def plain(error: Exception) -> str:
    """`name: what is wrong` for each field, or the error's own message."""
    if not isinstance(error, ValidationError):
        return str(error)
    fields = [f"{'.'.join(map(str, item['loc']))}: {_reason(item['type'], item['msg'])}" for item in error.errors()]
    return "; ".join(field.removeprefix(": ") for field in fields)


def _reason(kind: str, message: str) -> str:
    return "is not known" if kind == "extra_forbidden" else message.removeprefix("Value error, ")


def visible(text: str) -> str:
    """Text of somebody else, as a terminal may print it: control characters but line feed and tab are replaced."""
    return "".join(
        "\ufffd" if unicodedata.category(letter) == "Cc" and letter not in "\n\t" else letter for letter in text
    )


def plural(number: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
