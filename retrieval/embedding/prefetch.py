"""Loads the next batches ahead while the current one is processed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Loaded = TypeVar("Loaded")


async def prefetched(
    items: Iterable[Item], load: Callable[[Item], Awaitable[Loaded]], ahead: int = 2
) -> AsyncGenerator[Loaded, None]:
    """`load(item)` of each, in order; `ahead` 0 loads each when it is asked for.

    An error of `load` is raised where its item would have come. Closing the generator gives up what is loading.
    """
    pending: list[asyncio.Task[Loaded]] = []
    source = iter(items)
    try:
        while True:
            while len(pending) <= ahead and (item := next(source, _END)) is not _END:
                pending.append(asyncio.ensure_future(_loaded(load, item)))  # pyright: ignore[reportArgumentType]
            if not pending:
                return
            yield await pending.pop(0)
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


_END = object()


async def _loaded(load: Callable[[Item], Awaitable[Loaded]], item: Item) -> Loaded:
    return await load(item)
