"""`examples/bulk_actor.py` over a real owner of jobs, whose pages are gated: what becomes of each document."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyarrow import parquet

from configs import Settings
from deployments.calls import call_retries
from deployments.errors import QueueFull
from deployments.jobs import deployment
from deployments.storage.bucket_objects import BucketObjects
from examples import bulk_actor
from examples.bulk_source import Document, pages_of, source_of
from tests.deployments.gated_work import GatedWork
from tests.deployments.ingress.handles import Handle
from tests.deployments.test_full_disk import NoMeters
from tests.retrieval.object_storage import ask, program, serving

PDF = b"%PDF-1.7 "
NUM_REFUSALS = 12
HAS_CLIENT = importlib.util.find_spec("minio") is not None


class Owner(deployment.Jobs):
    """An owner of this process, which ends when the test says so."""

    def _write_server_file(self) -> None:
        pass

    def __del__(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pass

    async def close(self) -> None:
        await deployment.Jobs.__del__(self)


class Place:
    """A server's owner of jobs in this process, and where the rows of its documents go."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.out, self.data_dir = folder, folder / "out", folder / "data"
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(deployment, "GraphWork", lambda *_, **__: GatedWork())
        monkeypatch.setattr(deployment, "JobMetrics", NoMeters)

    def ingested(
        self, source: str, block: list[Document], jobs_of: Callable[[Owner], Any] = lambda owner: owner, **named: Any
    ) -> Any:
        """The report of a block; `jobs_of` may stand before the owner, `named` are other deployments."""

        async def life() -> Any:
            owner = await asyncio.to_thread(Owner, Settings(data_dir=self.data_dir), None)  # type: ignore[arg-type]
            bodies = {"Jobs": jobs_of(owner), **named}
            self._monkeypatch.setattr(bulk_actor, "deployment", lambda name: Handle(bodies[name]))
            try:
                await owner.check_health()
                ingest = bulk_actor.Ingest(source, str(self.out), window=4, by_address=bool(named))
                return await ingest.ingested(block)
            finally:
                await owner.close()

        return asyncio.run(life())

    def statuses(self) -> dict[str, str]:
        """Of the rows, by the names of their files."""
        table = parquet.read_table(self.out, columns=["path", "status"])
        return {Path(row["path"]).name: row["status"] for row in table.to_pylist()}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def url_of(endpoint: str, folder: str) -> str:
    host = endpoint.removeprefix("http://")
    return f"s3://me:secret@shelf/{folder}?endpoint_override={host}&scheme=http&region=us-east-1"


def files(folder: Path, count: int) -> list[Document]:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.pdf").write_bytes(PDF + bytes([number]))
    (block,) = pages_of(source_of(str(folder)))
    return block


class Before:
    """Stands before a deployment; a call for which there is an error ends with it, once each."""

    def __init__(self, body: Any, **errors: list[Exception]) -> None:
        self.calls: list[str] = []
        self._body, self._errors = body, errors

    def __getattr__(self, method: str) -> Any:
        async def answer(*args: Any, **named: Any) -> Any:
            self.calls.append(method)
            if self._errors.get(method):
                raise self._errors[method].pop(0)
            return await getattr(self._body, method)(*args, **named)

        return answer


@pytest.mark.parametrize("error", [KeyError("unnamed"), ValueError("odd")])
def test_an_error_that_nobody_named_is_of_one_document_alone(place: Place, error: Exception) -> None:
    """Guards against a run that ends without a report, each time, because of one document."""
    block = files(place.folder / "papers", 5)
    report = place.ingested(str(place.folder / "papers"), block, lambda owner: Before(owner, submit=[error]))
    (line,) = report.failures
    assert (report.num_written, line["is_final"], line["status"]) == (4, False, "failed")
    assert len(place.statuses()) == 4


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="moto is not installed here")
@pytest.mark.skipif(not HAS_CLIENT, reason="the extra `examples` is not installed here")
def test_a_key_that_the_client_does_not_send_is_of_one_document_alone(place: Place) -> None:
    """Guards against the same for a key with a part of one or two dots, which S3 lists and its client refuses."""
    with serving() as options:
        for key in ("odd/a.pdf", "odd/%2E%2E/up.pdf", "odd/z.pdf"):
            ask("PUT", f"{options['endpoint']}/shelf/{key}", PDF + key.encode())
        url = url_of(options["endpoint"], "odd")
        (block,) = pages_of(source_of(url))
        assert [path for path, _ in block] == ["shelf/odd/../up.pdf", "shelf/odd/a.pdf", "shelf/odd/z.pdf"]
        report = place.ingested(url, block)
    (line,) = report.failures
    assert (line["path"], line["is_final"]) == ("shelf/odd/../up.pdf", False)
    assert place.statuses() == {"a.pdf": "succeeded", "z.pdf": "succeeded"}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between attempts, which pass at once."""
    pauses: list[float] = []

    async def sleep(pause_s: float) -> None:
        pauses.append(pause_s)
        await asyncio.sleep(0)

    monkeypatch.setattr(call_retries, "asyncio", SimpleNamespace(sleep=sleep, to_thread=asyncio.to_thread))
    return pauses


def check_growing(pauses: list[float]) -> None:
    """One for each refusal, of which each is twice the one before, up to half a minute."""
    assert len(pauses) == NUM_REFUSALS
    assert all(later in (2 * earlier, 30) for earlier, later in itertools.pairwise(pauses))
    assert pauses[-1] == 30


def test_a_full_shard_is_sent_a_document_ever_more_rarely(place: Place, pauses: list[float]) -> None:
    """Guards against a whole upload per second and document, for ten minutes, where only other shards have room."""
    block = files(place.folder / "papers", 1)
    full: list[Exception] = [QueueFull("full") for _ in range(NUM_REFUSALS)]
    report = place.ingested(str(place.folder / "papers"), block, lambda owner: Before(owner, submit=full))
    assert report.failures == ()
    check_growing(pauses)


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="moto is not installed here")
@pytest.mark.skipif(not HAS_CLIENT, reason="the extra `examples` is not installed here")
def test_an_object_is_copied_for_a_full_shard_ever_more_rarely(place: Place, pauses: list[float]) -> None:
    """Guards against the same for a copy of the server's own."""
    with serving() as options:
        ask("PUT", f"{options['endpoint']}/shelf/papers/a.pdf", PDF)
        url = url_of(options["endpoint"], "papers")
        (block,) = pages_of(source_of(url))
        groups = {"sources": {"buckets": ["s3://shelf/papers/"]}, "blobs": {"storage_options": options}}
        objects = BucketObjects(Settings.model_validate({"data_dir": place.data_dir, **groups}))
        copies = Before(objects)
        full: list[Exception] = [QueueFull("full") for _ in range(NUM_REFUSALS)]
        report = place.ingested(url, block, lambda owner: Before(owner, take=full), Renderer=copies)
    assert report.failures == ()
    assert place.statuses() == {"a.pdf": "succeeded"}
    assert copies.calls == ["staged_object", "discard_object"] * (NUM_REFUSALS + 1)
    check_growing(pauses)
