"""A server without Ray for each test, and a client whose pauses are short."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill import Client, Retries
from tests.pagemill.local_ingress import Here, serving

QUICK = Retries(first_pause_s=0.001, max_pause_s=0.05)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    folder = tmp_path / "server"
    folder.mkdir()
    with serving(folder) as running:
        yield running


@pytest.fixture
def client(here: Here) -> Iterator[Client]:
    with Client(here.url, retries=QUICK) as client:
        yield client
