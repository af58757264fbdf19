"""The folder or bucket of the index: tells an outage of it from an index that fails, for which LanceDB has no class."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from deployments.errors import IndexAway
from documents.errors import Refusal
from retrieval.errors import RejectedChunks

logger = logging.getLogger("ray.serve")
P = ParamSpec("P")
T = TypeVar("T")
CHECK_TIMEOUT_S = 10.0
NUM_ATTEMPTS = 2  # the second where the storage answers again


class IndexStorage:
    """Each check opens it: what an index remembers, once it is open, does not say whether its storage answers."""

    def __init__(self, uri: str, options: Mapping[str, str]) -> None:
        self._uri = uri
        self._options = {"client_max_retries": "0"} | dict(options)  # who calls tries again

    async def check(self, error: Exception | None = None) -> None:
        """Raises IndexAway where the storage does not answer, or refuses our keys; `error` made us look."""
        import lancedb

        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                with await lancedb.connect_async(self._uri, storage_options=self._options) as connection:
                    await connection.list_tables(limit=1)
        except Exception as failure:  # its words name the bucket and the endpoint: they are for the log
            logger.warning("the storage of the index: %s", error or failure)
            raise IndexAway("the storage of the index does not answer") from None


class _Stored(Protocol):
    storage: IndexStorage


S = TypeVar("S", bound=_Stored)


def names_outages(method: Callable[Concatenate[S, P], Awaitable[T]]) -> Callable[Concatenate[S, P], Awaitable[T]]:
    """The method, which may be repeated: it raises IndexAway where it fails while the storage is away.

    Where it fails and the storage answers, it is called once more: the storage may have come back meanwhile.
    """

    @functools.wraps(method)
    async def named(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, NUM_ATTEMPTS + 1):
            try:
                return await method(self, *args, **kwargs)
            except (Refusal, RejectedChunks):
                raise
            except Exception as error:
                await self.storage.check(error)
                if attempt == NUM_ATTEMPTS:
                    raise
        raise AssertionError

    return named
