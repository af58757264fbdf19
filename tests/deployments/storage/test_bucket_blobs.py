"""`deployments.storage.bucket_blobs`: what a death or an absence of the bucket leaves, and what is in memory."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from typing import BinaryIO

import pytest

from deployments.errors import BlobStoreAway
from deployments.storage.bucket import Bucket
from tests.deployments.storage.gateway import gateway
from tests.deployments.storage.stores import BucketShelf, everything_is_stale, needs_s3

pytestmark = [*needs_s3]
KILLED = """
import json, os, signal, sys
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_blobs import BucketBlobs
url, options, size, whole = json.loads(sys.argv[1])
file = BucketBlobs(Bucket(url, options)).incoming()
for _ in range(size):
    file.write(bytes(1 << 20))
if whole:
    file.hand_over()
os.kill(os.getpid(), signal.SIGKILL)
"""
MEASURED = """
import json, resource, sys
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_blobs import BucketBlobs
url, options = json.loads(sys.argv[1])
store = BucketBlobs(Bucket(url, options))
def upload(size):
    with store.incoming() as file:
        for _ in range(size):
            file.write(bytes(1 << 20))
        return file.hand_over().size
upload(30)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
size = upload(150)
print(size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.fixture
def shelf(s3: dict[str, str]) -> BucketShelf:
    return BucketShelf(s3)


def run(shelf: BucketShelf, program: str, *values: object) -> subprocess.CompletedProcess[str]:
    arguments = json.dumps([shelf.bucket.url, shelf.options, *values])
    return subprocess.run([sys.executable, "-c", program, arguments], capture_output=True, text=True, check=False)


def opened(shelf: BucketShelf, sha256: str) -> BinaryIO:
    return shelf.store.open(shelf.store.address(sha256))


@pytest.mark.parametrize(("size", "whole"), [(3, False), (25, False), (3, True), (25, True)])
def test_a_process_that_is_killed_in_an_upload_leaves_nothing(
    shelf: BucketShelf, monkeypatch: pytest.MonkeyPatch, size: int, whole: bool
) -> None:
    """Guards against half a document under a name, and against staged files that nobody owns."""
    assert run(shelf, KILLED, size, whole).returncode == -signal.SIGKILL
    assert len(shelf.names()) == whole
    assert not any(shelf.store.kept())
    with everything_is_stale(monkeypatch):
        shelf.store.sweep()
    assert shelf.names() == []


def test_an_upload_is_not_in_memory(shelf: BucketShelf) -> None:
    """Guards against an upload of 200 MB that takes 200 MB of memory."""
    size, growth_kb = map(int, run(shelf, MEASURED).stdout.split())
    assert size == 150 << 20
    assert growth_kb < 40_000


def test_a_bucket_that_is_away_is_named_and_comes_back(s3: dict[str, str]) -> None:
    """Guards against an outage that is an internal error, that loses what was stored, or that is never over."""
    with gateway(s3["endpoint"]) as way:
        shelf = BucketShelf(s3 | {"endpoint": way.url}, s3["endpoint"])
        kept, staged = (shelf.store.stage(io.BytesIO(content)) for content in (b"kept", b"staged"))
        shelf.store.keep(kept)
        way.close()
        for call in (
            shelf.store.check,
            lambda: shelf.store.stage(io.BytesIO(b"new")),
            lambda: shelf.store.keep(staged),
            lambda: opened(shelf, kept.sha256),
            lambda: shelf.store.drop(kept.sha256),
            shelf.store.sweep,
            lambda: list(shelf.store.kept()),
        ):
            with pytest.raises(BlobStoreAway, match="does not answer"):
                call()
        shelf.store.discard(staged)  # a job that was accepted is not refused for it; `sweep` removes it later
        way.open()
        shelf.store.check()
        shelf.store.keep(staged)
        with opened(shelf, kept.sha256) as first, opened(shelf, staged.sha256) as second:
            assert (first.read(), second.read()) == (b"kept", b"staged")


def test_an_upload_during_which_the_bucket_goes_away_is_refused_and_leaves_nothing(s3: dict[str, str]) -> None:
    """Guards against a part that is lost in the middle of a document."""
    with gateway(s3["endpoint"]) as way:
        shelf = BucketShelf(s3 | {"endpoint": way.url}, s3["endpoint"])
        file = shelf.store.incoming()
        file.write(bytes(11 << 20))
        way.close()
        with pytest.raises(BlobStoreAway):
            file.write(bytes(20 << 20))
        file.close()
    assert shelf.names() == []


def test_a_bucket_that_does_not_exist_is_named(s3: dict[str, str]) -> None:
    """Guards against a wrong `blobs.uri` that /readyz calls ready."""
    with pytest.raises(BlobStoreAway):
        Bucket("s3://nowhere/blobs", s3).check()
