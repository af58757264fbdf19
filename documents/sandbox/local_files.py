"""Where the file of a source lies on this machine: a pool of children opens files of this machine alone."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

LocalPath = Callable[[str], contextlib.AbstractAsyncContextManager[str]]
"""The path of the file that `Source.path` names, for the time of the block; nothing is there if there is no such."""


@contextlib.asynccontextmanager
async def on_this_machine(path: str) -> AsyncIterator[str]:
    """Of a source whose path is one of this machine."""
    yield path
