"""What is said to a person: without the vocabulary of the validator, and without signs that steer a terminal."""

from __future__ import annotations

import unicodedata

from pydantic import ValidationError


def plain(error: Exception) -> str:
    """`name: what is wrong` for each field, or the error's own message."""
    if not isinstance(error, ValidationError):
        return str(error)
    told = [f"{'.'.join(map(str, each['loc']))}: {_said(each['type'], each['msg'])}" for each in error.errors()]
    return "; ".join(each.removeprefix(": ") for each in told)


def _said(kind: str, message: str) -> str:
    return "is not known" if kind == "extra_forbidden" else message.removeprefix("Value error, ")


def visible(text: str) -> str:
    """Text of somebody else, as a terminal may print it: control signs but line feed and tab are shown as missing."""
    return "".join("\ufffd" if unicodedata.category(sign) == "Cc" and sign not in "\n\t" else sign for sign in text)
