"""A real S3 server for the tests of this folder, and a store of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deployments.storage.stores import BucketShelf, FolderShelf, Shelf
from tests.retrieval.object_storage import serving


@pytest.fixture(scope="session")
def s3() -> Iterator[dict[str, str]]:
    """The storage options of a server with the bucket `shelf`."""
    with serving() as options:
        yield options


@pytest.fixture
def shelf(request: Any, tmp_path: Path) -> Shelf:
    """A store of the kind that the test is parametrized with."""
    return FolderShelf(tmp_path / "blobs") if request.param == "folder" else BucketShelf(request.getfixturevalue("s3"))
