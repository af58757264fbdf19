"""`examples/bulk_actor.py` over a real owner of jobs, whose pages are gated: what becomes of each document."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from configs import Settings
from deployments.jobs import deployment
from examples import bulk_actor
from examples.bulk_source import Document, pages_of, source_of
from tests.deployments.gated_work import GatedWork
from tests.deployments.ingress.handles import Handle
from tests.deployments.test_full_disk import NoMeters
from tests.retrieval.object_storage import ask, program, serving

PDF = b"%PDF-1.7 "
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
        self.folder, self.out = folder, folder / "out"
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(deployment, "GraphWork", lambda *_, **__: GatedWork())
        monkeypatch.setattr(deployment, "JobMetrics", NoMeters)

    def ingested(
        self, source: str, block: list[Document], jobs_of: Callable[[Owner], Any] = lambda owner: owner, **named: Any
    ) -> Any:
        """The report of a block; `jobs_of` may stand before the owner, `named` are other deployments."""

        async def life() -> Any:
            owner = await asyncio.to_thread(Owner, Settings(data_dir=self.folder / "data"), None)  # type: ignore[arg-type]
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


def files(folder: Path, count: int) -> list[Document]:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.pdf").write_bytes(PDF + bytes([number]))
    (block,) = pages_of(source_of(str(folder)))
    return block


class Before:
    """Stands before an owner; a call for which there is an error ends with it, once each."""

    def __init__(self, owner: Owner, **errors: list[Exception]) -> None:
        self.calls: list[str] = []
        self._owner, self._errors = owner, errors

    def __getattr__(self, method: str) -> Any:
        async def answer(*args: Any, **named: Any) -> Any:
            self.calls.append(method)
            if self._errors.get(method):
                raise self._errors[method].pop(0)
            return await getattr(self._owner, method)(*args, **named)

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
        host = options["endpoint"].removeprefix("http://")
        url = f"s3://me:secret@shelf/odd?endpoint_override={host}&scheme=http&region=us-east-1"
        (block,) = pages_of(source_of(url))
        assert [path for path, _ in block] == ["shelf/odd/../up.pdf", "shelf/odd/a.pdf", "shelf/odd/z.pdf"]
        report = place.ingested(url, block)
    (line,) = report.failures
    assert (line["path"], line["is_final"]) == ("shelf/odd/../up.pdf", False)
    assert place.statuses() == {"a.pdf": "succeeded", "z.pdf": "succeeded"}
