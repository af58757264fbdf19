"""`deployments.calls.sharded_jobs` over real owners: several Jobs on one real PostgreSQL, whose pages are gated."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import io
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from configs import Settings
from deployments.calls.cancellable_calls import call
from deployments.calls.sharded_jobs import ShardedJobs, owners_of
from deployments.errors import Busy, InOtherShard, UnknownDocument, UnknownJob
from deployments.jobs import deployment
from deployments.jobs.store.job_queries import insert_job
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.attachment_ids import STEP, prefixes_of
from deployments.values.jobs import ExtractionSubmission, Job, Options, Submission
from deployments.values.shards import new_id, possible_shards, shard_of
from deployments.values.staged_blob import StagedBlob
from examples import bulk_actor
from examples.bulk_source import pages_of, source_of
from tests.deployments.gated_work import GatedWork
from tests.deployments.ingress.handles import Handle
from tests.deployments.test_full_disk import NoMeters

pytestmark = pytest.mark.slow
PDF = b"%PDF-1.7 "
Scenario = Callable[[Any], Coroutine[Any, Any, None]]
Run = Callable[[int, Scenario], None]


@pytest.fixture
def work() -> GatedWork:
    return GatedWork()


@pytest.fixture
def run(shards: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: GatedWork) -> Iterator[Run]:
    """Lives of a server with so many shards, one after the other."""
    close = deployment.Jobs.__del__
    monkeypatch.setattr(deployment.Jobs, "__del__", lambda _: None)
    monkeypatch.setattr(deployment, "GraphWork", lambda *_, **__: work)
    monkeypatch.setattr(deployment, "JobMetrics", NoMeters)
    monkeypatch.setattr(deployment.Jobs, "_write_server_file", lambda _: None)

    async def life(count: int, scenario: Scenario) -> None:
        settings = Settings(data_dir=tmp_path, database_url=shards, shards=count)
        owners = [await asyncio.to_thread(deployment.Jobs, settings, None, shard=n) for n in range(count)]  # type: ignore[arg-type]
        try:
            for owner in owners:
                await owner.check_health()
            handles: Any = tuple(map(Handle, owners))
            await scenario(ShardedJobs(handles) if count > 1 else handles[0])
        finally:
            for owner in owners:
                await close(owner)

    yield lambda count, scenario: asyncio.run(life(count, scenario))
    gc.collect()


async def read(jobs: Any, name: str, content: str | None = None, **options: Any) -> Job:
    """A document of this id, when it has been read."""
    content = name if content is None else content
    job = await call(jobs.submit.remote(PDF + content.encode(), {"document_id": name, **options}))
    return await call(jobs.wait.remote(job.id))


def test_documents_are_spread_and_everything_of_them_is_found(run: Run, tmp_path: Path) -> None:
    """Guards against a call that goes to an owner which does not know the job or the document."""
    names = [f"document {number}" for number in range(12)]

    async def scenario(jobs: Any) -> None:
        read_jobs = [await read(jobs, name) for name in names]
        assert {shard_of(job.id) for job in read_jobs} == {0, 1, 2}
        for name, job in zip(names, read_jobs, strict=True):
            assert shard_of(job.id) == possible_shards("default", name, 3)[0]
            assert job.status == "succeeded"
            assert await call(jobs.job_of_document.remote(name)) == job.id
            assert (await call(jobs.job.remote(job.id, "default"))).document_id == name
            assert (await call(jobs.page.remote(job.id, 1))).page.number == 1
            assert [event.kind for event in (await call(jobs.events.remote(job.id, 0, 0)))[0]][-1] == "succeeded"
        listed = await call(jobs.jobs.remote("default", 5))
        assert [job.document_id for job in listed] == names[:-6:-1]
        later = datetime.now(UTC) + timedelta(days=1)
        assert sorted(await call(jobs.documents_older_than.remote(later, "default"))) == sorted(names)
        for name in names:
            await call(jobs.forget.remote(name))
        assert await call(jobs.jobs.remote("default")) == []

    run(3, scenario)
    assert not [file for file in (tmp_path / "blobs").rglob("*") if file.is_file()]


def test_a_document_of_the_days_of_one_shard_keeps_its_place_and_its_revisions(run: Run) -> None:
    """Guards against a document that begins again at revision 1 in another shard, beside its earlier ones."""
    names = [f"document {number}" for number in range(8)]

    async def before(jobs: Any) -> None:
        for name in names:
            await read(jobs, name)

    async def after(jobs: Any) -> None:
        assert {possible_shards("default", name, 3)[0] for name in names} > {0}
        for name in names:
            revised = await read(jobs, name, "another content")
            assert (shard_of(revised.id), revised.revision) == (0, 2)
            assert await call(jobs.job_of_document.remote(name)) == revised.id
            assert await call(jobs.job_of_document.remote(name, "default", 1)) != revised.id
            await call(jobs.forget.remote(name))
            again = await read(jobs, name, "another content")
            assert (shard_of(again.id), again.revision) == (possible_shards("default", name, 3)[0], 1)

    run(1, before)
    run(3, after)


def test_an_owner_takes_no_document_of_another(run: Run) -> None:
    """Guards against a caller with the handle of one owner whose document no id leads to."""

    async def scenario(jobs: Any) -> None:
        name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2)[0] == 1)
        for _ in range(2):
            with pytest.raises(InOtherShard) as refusal:
                await call(jobs.owners[0].submit.remote(PDF, {"document_id": name}))
            assert refusal.value.shard == 1
            await read(jobs, name)

    run(2, scenario)


@pytest.mark.parametrize("num_known", [1, 2])
def test_a_bulk_ingestion_goes_on_while_shards_are_added(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, num_known: int
) -> None:
    """Guards against rows of failure, which no later run takes up, for all that the new shards would have taken."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.pdf").write_bytes(PDF + bytes([number]))
    (block,) = pages_of(source_of(str(folder)))

    async def scenario(jobs: Any) -> None:
        handles = [jobs.owners[0] if num_known == 1 else ShardedJobs(jobs.owners[:num_known])]
        monkeypatch.setattr(bulk_actor, "deployment", lambda _: handles.pop() if handles else jobs)
        ingest = bulk_actor.Ingest(str(folder), str(tmp_path / "out"), window=4, by_address=False)
        report = await ingest.ingested(block)
        assert (report.num_written, report.failures) == (12, ())
        assert {shard_of(job.id) for job in await call(jobs.jobs.remote("default"))} == {0, 1, 2}

    run(3, scenario)


def test_a_document_that_two_shards_have_is_taken_by_one_and_removed_from_both(run: Run) -> None:
    """Guards against a document that can never be uploaded again, and one that is there after it was deleted."""
    name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2) == (1, 0))

    async def before(jobs: Any) -> None:
        await read(jobs, name)

    async def after(jobs: Any) -> None:
        stores = [owner._body._runner._store for owner in jobs.owners]
        options = Options.model_validate({"document_id": name})
        submission = Submission(sha256="a" * 64, size=1, media_type="text/plain", file_name="a", options=options)
        job_id, now = new_id("job", 1), datetime.now(UTC)  # as an earlier release let two take it at once
        await asyncio.to_thread(stores[1].change, lambda db: insert_job(db, job_id, submission, "key", now))
        await call(jobs.cancel.remote(job_id))
        assert shard_of((await read(jobs, name, "another content")).id) == 1
        await call(jobs.forget.remote(name))
        assert [await asyncio.to_thread(store.records.jobs, "default") for store in stores] == [[], []]

    run(1, before)
    run(2, after)


def test_an_upload_whose_document_is_deleted_while_it_is_stored_is_taken_at_the_next_attempt(
    run: Run, tmp_path: Path
) -> None:
    """Guards against a document of two shards, and an error of ours: the first owner had the bytes of the upload."""
    name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2) == (1, 0))
    keep = FolderBlobs.keep
    store = FolderBlobs(tmp_path / "blobs")

    async def before(jobs: Any) -> None:
        await read(jobs, name)

    async def after(jobs: Any) -> None:
        loop, staged = asyncio.get_running_loop(), await asyncio.to_thread(store.stage, io.BytesIO(PDF + b"new"))
        options = Options.model_validate({"document_id": name})
        submission = Submission(
            sha256=staged.sha256, size=1, media_type="application/pdf", file_name="a", options=options
        )

        def deleted_meanwhile(blobs: FolderBlobs, upload: StagedBlob) -> None:
            keep(blobs, upload)
            asyncio.run_coroutine_threadsafe(call(jobs.forget.remote(name)), loop).result(60)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FolderBlobs, "keep", deleted_meanwhile)
            with pytest.raises(Busy, match="send it again"):
                await call(jobs.take.remote(submission, staged))
        again = await asyncio.to_thread(store.stage, io.BytesIO(PDF + b"new"))
        assert shard_of((await call(jobs.take.remote(submission, again))).id) == 1

    run(1, before)
    run(2, after)


@pytest.mark.parametrize("length", [5, 120, 195])
def test_attachments_are_where_their_mail_is_at_any_depth(run: Run, work: GatedWork, length: int) -> None:
    """Guards against documents within mails that no id leads to, nor a removal."""
    work.attachments = {"a.eml": b"From: a@example.org\nSubject: b\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nhello\n"}
    names = [f"{number:0{length}d}" for number in range(6)]

    async def scenario(jobs: Any) -> None:
        for name in names:
            job = await read(jobs, name, attachments="documents")
            ids, parent = list[str](), name
            for _ in range(2):
                ids.append(f"{prefixes_of(parent)[0]}1")
                parent = ids[-1]
            for attached in ids:
                job_id = await call(jobs.job_of_document.remote(attached))
                assert shard_of(job_id) == shard_of(job.id)
                await call(jobs.wait.remote(job_id))
            assert STEP in ids[-1]
            await call(jobs.forget.remote(name))
            for attached in ids:
                with pytest.raises(UnknownDocument):
                    await call(jobs.job_of_document.remote(attached))

    run(3, scenario)


@pytest.mark.parametrize("length", [5, 195])
def test_attachments_of_a_mail_that_was_there_before_are_beside_it(run: Run, work: GatedWork, length: int) -> None:
    """Guards against attachments that are left out because a new document of their ids would be another shard's."""
    names = [f"{number:0{length}d}" for number in range(6)]

    async def before(jobs: Any) -> None:
        for name in names:
            await read(jobs, name)

    async def after(jobs: Any) -> None:
        work.attachments = {"notes.txt": b"hello"}
        for name in names:
            assert shard_of((await read(jobs, name, "again", attachments="documents")).id) == 0
            assert shard_of(await call(jobs.job_of_document.remote(f"{prefixes_of(name)[0]}1"))) == 0

    run(1, before)
    run(3, after)


def test_the_same_bytes_in_two_shards_are_two_files(run: Run, tmp_path: Path) -> None:
    """Guards against removing with one document the bytes of another one, in another shard."""
    first, second = (
        next(n for n in map(str, range(99)) if possible_shards("default", n, 2)[0] == shard) for shard in (0, 1)
    )
    digest = hashlib.sha256(PDF + b"same").hexdigest()
    files = [tmp_path / "blobs" / folder / digest[:2] / digest for folder in ("", "shard_1")]

    async def scenario(jobs: Any) -> None:
        for name in (first, second):
            await read(jobs, name, "same")
        assert [file.exists() for file in files] == [True, True]
        await call(jobs.forget.remote(first))
        assert [file.exists() for file in files] == [False, True]

    run(2, scenario)


def test_an_extraction_is_in_the_shard_of_its_document(run: Run) -> None:
    """Guards against an extraction whose id leads to another owner."""
    name = next(name for name in map(str, range(99)) if possible_shards("default", name, 2)[0] == 1)

    async def scenario(jobs: Any) -> None:
        job = await read(jobs, name)
        submission = ExtractionSubmission(document_id=name, job_id=job.id, revision=1, schema_={"type": "object"})
        extraction = await call(jobs.extract.remote(submission))
        assert shard_of(extraction.id) == 1
        ended = await call(jobs.extraction.remote(extraction.id, "default", 60))
        assert ended.error is not None
        assert ended.error.code == "no_model"

    run(2, scenario)


def test_what_nobody_has_is_unknown(run: Run) -> None:
    """Guards against an id of a caller that ends in an error of ours, as one of a shard that is not there."""

    async def scenario(jobs: Any) -> None:
        for job_id in ("job_7-0123456789abcdef0123456789abcdef", "nothing", "job_1-x"):
            with pytest.raises(UnknownJob):
                await call(jobs.job.remote(job_id))
        for method in (jobs.forget, jobs.job_of_document):
            with pytest.raises(UnknownDocument):
                await call(method.remote("nothing"))
        assert list(owners_of(jobs)) == ["jobs", "jobs1"]

    run(2, scenario)
