"""Generates `pagemill/client.py` from `pagemill/async_client.py`: `python scripts/generate_sync_client.py [--check]`.

The awaiting client is the source; the one that waits in its thread is the same text without `async` and `await` and
with the names of `NAMES`. With `--check` nothing is written: the exit status is 1 where the committed file differs.
"""

from __future__ import annotations

import io
import subprocess
import sys
import token
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "pagemill" / "async_client.py"
TARGET = ROOT / "pagemill" / "client.py"
DOCSTRING = (
    '"""The blocking Python client (`Client`), generated from `async_client.py` by `make client`; do not edit."""'
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


def main(arguments: list[str]) -> int:
    generated = formatted(sync_from_async(SOURCE.read_text(encoding="utf-8")))
    if arguments != ["--check"]:
        TARGET.write_text(generated, encoding="utf-8")
        return 0
    same = TARGET.read_text(encoding="utf-8") == generated
    place, source = (path.relative_to(ROOT) for path in (TARGET, SOURCE))
    print(f"{place}: as generated" if same else f"{place} differs from {source}: run `make client`")
    return not same


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


def formatted(source: str) -> str:
    """As `make format` leaves it: imports in their order, and a line may be shorter than its source."""
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return source


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
