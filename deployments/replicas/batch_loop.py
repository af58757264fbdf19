"""Guards of the loop in which `@serve.batch` forms batches: once an exception has ended it, all calls wait for ever.

Serve goes on saying that the application runs (ray issue 66140).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from deployments.library_internals.serve_state import forms_batches

logger = logging.getLogger("ray.serve")
T = TypeVar("T")


def safe_batch_size(size: Callable[[list[T]], int]) -> Callable[[list[T]], int]:
    """`size` as a `batch_size_fn` that never raises: items that have no size count as one each.

    So they reach the batched method, whose exception goes to its callers alone.
    """

    def size_or_count(items: list[T]) -> int:
        try:
            return size(items)
        except Exception:
            logger.exception("the size of a batch cannot be computed; its items count as one each")
            return len(items)

    return size_or_count


async def check_batch_loop(batched: Any) -> None:
    """Raises RuntimeError where the loop of a method under `@serve.batch` has ended: no call would be answered."""
    if not await forms_batches(batched):
        raise RuntimeError(f"the loop that forms the batches of {batched.__name__} has ended")
