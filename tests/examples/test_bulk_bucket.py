"""`examples/bulk_bucket.py` and a whole bulk ingestion over a real S3 server with many objects."""

from __future__ import annotations

import importlib.util
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import fs, parquet

from examples.bulk_source import NUM_PER_PAGE, pages_of, source_of
from tests.examples import killed_bulk_ingest
from tests.examples.killed_runs import check_repetitions, killed
from tests.retrieval.object_storage import ask, program, serving

NUM_KEYS = 20_000
HAS_CLIENT = importlib.util.find_spec("minio") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="moto is not installed here"),
    pytest.mark.skipif(not HAS_CLIENT, reason="the extra `examples` is not installed here"),
]


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """The variables that name a server with the bucket `shelf` and many objects."""
    with serving(NUM_KEYS) as options:
        yield {
            "AWS_ENDPOINT_URL": options["endpoint"],
            "AWS_ACCESS_KEY_ID": "me",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }


def url_of(bucket: dict[str, str], folder: str) -> str:
    host = bucket["AWS_ENDPOINT_URL"].removeprefix("http://")
    return f"s3://me:secret@shelf/{folder}?endpoint_override={host}&scheme=http&region=us-east-1"


def test_all_objects_are_listed_once_and_a_page_is_held(bucket: dict[str, str]) -> None:
    """Guards against a listing whose memory grows with the bucket."""
    peaks = []
    for num_pages in (2, NUM_KEYS // NUM_PER_PAGE):
        tracemalloc.start()
        pages = pages_of(source_of(url_of(bucket, "papers")))
        last, num_listed = "", 0
        for _ in range(num_pages):
            page = next(pages)
            assert last < page[0].path
            assert [document.path for document in page] == sorted({document.path for document in page})
            last, num_listed = page[-1].path, num_listed + len(page)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (num_listed, next(pages, None)) == (NUM_KEYS, None)
    assert peaks[1] < 1.5 * peaks[0]


def test_keys_are_read_as_they_are(bucket: dict[str, str]) -> None:
    """Guards against keys that are decoded or cleaned on their way, and one that ends the whole listing."""
    keys = {"a b.pdf": "a%20b.pdf", "50%25.pdf": "50%2525.pdf", "x?y.pdf": "x%3Fy.pdf", "f//g.pdf": "f//g.pdf"}
    for key, quoted in keys.items():
        ask("PUT", f"{bucket['AWS_ENDPOINT_URL']}/shelf/odd/{quoted}", key.encode())
    source = source_of(url_of(bucket, "odd/"))
    listed = [document for page in pages_of(source) for document in page]
    assert {path for path, _ in listed} == {f"shelf/odd/{key}" for key in keys}
    assert {source.content(path).decode() for path, _ in listed} == set(keys)
    with pytest.raises(FileNotFoundError):
        source.content("shelf/odd/missing.pdf")


def test_a_run_that_is_killed_twice_loses_and_doubles_nothing(bucket: dict[str, str], tmp_path: Path) -> None:
    """Guards against the same in a bucket, its keys and endpoint from the environment."""
    out, log = "s3://shelf/out", tmp_path / "log"
    assert killed("s3://shelf/papers", out, log, 70, "before", **bucket) is None
    assert killed("s3://shelf/papers", out, log, 60, "behind", **bucket) is None
    counts = killed("s3://shelf/papers", out, log, 0, "", **bucket)
    assert counts is not None
    assert (counts["found"], counts["done"] + counts["written"], counts["left"]) == (NUM_KEYS, NUM_KEYS, 0)
    assert counts["done"] >= 100 * (70 + 60 - 2 * killed_bulk_ingest.MAX_BLOCKS)
    system, root = fs.FileSystem.from_uri(url_of(bucket, "out"))
    rows = parquet.read_table(root, filesystem=system, columns=["path"]).column("path").to_pylist()
    assert sorted(rows) == [f"shelf/papers/{number // 100:04}/{number:06}.pdf" for number in range(NUM_KEYS)]
    check_repetitions(log, 2, counts)
