"""`deployments.blobs`: a blob is whole or not there."""

import hashlib
import io
from pathlib import Path

import pytest

from deployments.blobs import BlobStore


def test_a_blob_lies_under_its_digest_and_nothing_else_is_left(tmp_path: Path) -> None:
    """Guards against temporary files that pile up."""
    content = b"harbour" * 1000
    store = BlobStore(tmp_path)
    digests = {store.put(io.BytesIO(content)) for _ in range(2)}
    assert digests == {hashlib.sha256(content).hexdigest()}
    assert store.path(digests.pop()).read_bytes() == content
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    """Guards against half a document that is taken for a whole one."""

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError("gone")
            return super().read(4)

    with pytest.raises(OSError, match="gone"):
        BlobStore(tmp_path).put(Broken(b"harbour"))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
