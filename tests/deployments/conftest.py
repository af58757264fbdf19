"""A blocking call in the event loop fails the test that makes it."""

from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx


@pytest.fixture(autouse=True)
def blocking_calls_fail() -> Iterator[BlockBuster]:
    with blockbuster_ctx("deployments") as guard:
        yield guard
