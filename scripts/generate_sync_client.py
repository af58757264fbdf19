"""Generates `pagemill/client.py` from `pagemill/async_client.py`: `python -m scripts.generate_sync_client [--check]`.

The awaiting client is the source; the one that waits in its thread is the same text without `async` and `await` and
with the names of `NAMES`.
"""

from __future__ import annotations

import io
import sys
import token
import tokenize

from scripts.generated_file import ROOT, formatted, written_or_checked

SOURCE = ROOT / "pagemill" / "async_client.py"
TARGET = ROOT / "pagemill" / "client.py"
DOCSTRING = (
    '"""The blocking Python client (`Client`), generated from `async_client.py` by `make generate`; do not edit."""'
)
DROPPED = frozenset({"async", "await"})
NAMES = {
    "AsyncBaseTransport": "BaseTransport",
    "AsyncClient": "Client",
    "AsyncGenerator": "Generator",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aiter_sse": "iter_sse",
    "anext": "next",
    "aread": "read",
    "awaited": "blocking",
}


class NoCounterpart(Exception):
    """A name of the source that only code that awaits can use, and for which `NAMES` has none."""


def generated() -> str:
    """The blocking client as it should be."""
    return formatted(sync_from_async(SOURCE.read_text(encoding="utf-8")), TARGET)


def sync_from_async(source: str) -> str:
    """The module without `async` and `await`, its names replaced, under the docstring of the generated one.

    Raises:
        NoCounterpart: a name of asynchronous code has no counterpart in `NAMES`.
    """
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for at in reversed(range(len(tokens))):  # from the end: what stands before keeps its place
        part = tokens[at]
        if part.type == token.NAME:
            row, start = part.start
            end = tokens[at + 1].start[1] if part.string in DROPPED else part.end[1]
            lines[row - 1] = lines[row - 1][:start] + _counterpart(part) + lines[row - 1][end:]
    docstring = next(part for part in tokens if part.type == token.STRING)
    lines[docstring.start[0] - 1 : docstring.end[0]] = [DOCSTRING + "\n"]
    return "".join(lines)


def _counterpart(part: tokenize.TokenInfo) -> str:
    name = part.string
    if name in DROPPED:
        return ""
    if name not in NAMES and ("async" in name.lower() or "await" in name.lower()):
        raise NoCounterpart(f"line {part.start[0]}: {name}")
    return NAMES.get(name, name)


if __name__ == "__main__":
    sys.exit(written_or_checked(TARGET, generated(), sys.argv[1:]))
