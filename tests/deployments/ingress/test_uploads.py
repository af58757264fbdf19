"""`deployments.ingress.uploads` under bodies that nobody sends on purpose."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import httpx
import pytest
from fastapi import FastAPI, Request
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configs import Settings
from deployments.ingress.api.documents import FormFields
from deployments.ingress.errors import Malformed
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import read_file, read_form
from deployments.storage.folder_blobs import FolderBlobs

EDGE = b"edge"
WHOLE = (
    b'--edge\r\nContent-Disposition: form-data; name="options"\r\n\r\n{}\r\n'
    b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
    b"%PDF-1.4 body\r\n--edge--\r\n"
)
REFUSED = {400, 413, 415, 422}


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FolderBlobs]:
    """Where uploads land; nothing may be left there."""
    folder = tmp_path_factory.mktemp("blobs")
    yield FolderBlobs(folder)
    assert files(folder) == []


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def services_of(blobs: FolderBlobs, max_bytes: int) -> Services:
    limits = Settings.model_validate({"limits": {"max_file_mb": max_bytes / 1_000_000}})
    rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "search"))
    return Services(settings=limits, blobs=blobs, **rooms)


def app_of(services: Services) -> FastAPI:
    app = FastAPI()

    @app.post("/")
    async def take(request: Request) -> dict[str, object]:
        async with read_form(services, request, files=("file",), fields=FormFields) as form:
            return {
                "names": [upload.name for upload in form.uploads],
                "sizes": [len(await asyncio.to_thread(u.content.read)) for u in form.uploads],
            }

    error_responses.install(app)
    return app


def sent(
    blobs: FolderBlobs, body: bytes, kind: str = "multipart/form-data; boundary=edge", max_bytes: int = 1000
) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app_of(services_of(blobs, max_bytes)), raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="http://forms") as client:
            return await client.post("/", content=body, headers={"content-type": kind})

    return asyncio.run(send())


@given(
    st.binary(max_size=2000),
    st.sampled_from(["multipart/form-data; boundary=edge", "multipart/form-data", "text/plain"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_body_is_refused_by_name(blobs: FolderBlobs, body: bytes, kind: str) -> None:
    """Guards against a parser's error that escapes as one of ours."""
    assert sent(blobs, body, kind).status_code in REFUSED


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(max_size=6), st.integers(0, 20)), max_size=4))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_form_with_a_few_bytes_changed_is_taken_or_refused(
    blobs: FolderBlobs, changes: list[tuple[int, bytes, int]]
) -> None:
    """Guards against a form that is nearly right and breaks the forms."""
    body = WHOLE
    for at, inserted, cut in changes:
        body = body[:at] + inserted + body[at + cut :]
    answer = sent(blobs, body)
    assert answer.status_code in {200, *REFUSED}
    if answer.status_code == 200:
        assert all(name.isprintable() and len(name) <= 255 for name in answer.json()["names"])


@given(st.text(max_size=400))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_name_is_shown_without_control_characters(blobs: FolderBlobs, name: str) -> None:
    """Guards against a name that breaks a header, a log line or a terminal."""
    answer = sent(blobs, WHOLE.replace(b"a.pdf", name.encode("utf-8", "ignore")))
    assert answer.status_code in {200, *REFUSED}
    if answer.status_code == 200:
        (name_shown,) = answer.json()["names"]
        assert name_shown.isprintable()


def test_a_file_that_is_too_large_is_refused(blobs: FolderBlobs) -> None:
    """Guards against a limit that only the declared length is held to."""
    assert sent(blobs, WHOLE.replace(b"body", b"x" * 1001)).status_code == 413


def test_a_form_of_endless_fields_is_refused(blobs: FolderBlobs) -> None:
    """Guards against memory that fields take, which nobody counts."""
    part = b'--edge\r\nContent-Disposition: form-data; name="options"\r\n\r\n%s\r\n'
    assert sent(blobs, part % b"{}" * 101 + WHOLE).status_code == 400
    assert sent(blobs, part % (b"x" * 70_000) + WHOLE, max_bytes=100_000).status_code == 400


def written_bytes() -> int:
    """What this process has handed to the kernel to write."""
    counts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counts["wchar"])


def test_an_upload_lands_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against 400 MB written for an upload of 200 MB: a spooled file, copied to where it stays."""
    content = b"%PDF-1.4 " + os.urandom(8_000_000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))  # nothing is spooled anywhere
    blobs = FolderBlobs(tmp_path / "blobs")
    inodes: list[int] = []
    app, services = FastAPI(), services_of(blobs, 10**7)

    def only_file() -> int:
        (path,) = files(tmp_path)
        return path.stat().st_ino

    @app.post("/")
    async def take(request: Request) -> str:
        async with read_form(services, request, files=("file",), fields=None) as form:
            inodes.append(await asyncio.to_thread(only_file))
            async with blobs.staged(form.uploads[0].content) as staged:
                await asyncio.to_thread(blobs.keep, staged)
                return staged.sha256

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://forms") as client:
            return await client.post("/", files={"file": ("a.pdf", content)})

    before = written_bytes()
    sha256 = asyncio.run(send()).json()
    assert written_bytes() - before < 1.1 * len(content)
    assert sha256 == hashlib.sha256(content).hexdigest()
    assert blobs.path(sha256).read_bytes() == content
    assert [only_file()] == inodes  # the file that was written while it arrived


def test_a_file_without_room_is_refused_while_it_arrives(blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a full disk that is an internal error, and against a part of a file that stays there."""

    def on_a_full_disk(dir: Path, **_: object) -> IO[bytes]:  # noqa: A002
        path = dir / "full"
        path.symlink_to("/dev/full")
        return path.open("r+b")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", on_a_full_disk)
    response = sent(blobs, WHOLE.replace(b"body", b"x" * 100_000), max_bytes=10**6)
    assert (response.status_code, response.json()["code"]) == (507, "disk_full")


def test_a_body_that_is_a_file_lands_once_and_only_where_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a file of 200 MB that is held in memory, or written twice, or left when nobody keeps it."""
    content = b"%PDF-1.4 " + os.urandom(8_000_000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))  # nothing is spooled anywhere
    services = services_of(FolderBlobs(tmp_path / "blobs"), 10**7)
    app = FastAPI()

    @app.put("/")
    async def take(request: Request) -> tuple[str, str]:
        async with read_file(services, request, "a.pdf") as upload, services.blobs.staged(upload.content) as staged:
            return upload.media_type, staged.sha256

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://files") as client:
            return await client.put("/", content=content)

    before = written_bytes()
    answer = asyncio.run(send()).json()
    assert written_bytes() - before < 1.1 * len(content)
    assert answer == ["application/pdf", hashlib.sha256(content).hexdigest()]
    assert files(tmp_path) == []


def test_a_client_that_leaves_in_the_middle_of_its_file_leaves_nothing(tmp_path: Path) -> None:
    """Guards against half a file that is read as a whole one, or that stays."""
    blobs = FolderBlobs(tmp_path)
    messages = [{"type": "http.request", "body": b"%PDF-1.4 ", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def main() -> None:
        request = Request({"type": "http", "method": "PUT", "path": "/", "headers": []}, receive)
        with pytest.raises(Malformed, match="interrupted"):
            async with read_file(services_of(blobs, 1000), request, "a.pdf"):
                raise AssertionError("half a file is no upload")

    asyncio.run(main())
    assert files(tmp_path) == []
