"""`deployments.ingress.api.jobs`: what is given of a job that did not come to its end, and of figures that fail."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.errors import ReplicaDied
from deployments.ingress.api import jobs
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Job, JobError, Options, PageProgress, Plan
from documents.boxes import BoundingBox
from documents.errors import EncryptedDocument
from documents.region_values import FigureRegion, TextRegion
from documents.values import Opened, Page
from tests.deployments.ingress.handles import Handle

NOW = datetime.now(UTC)
BOX = BoundingBox(x0=60, y0=60, x1=300, y1=80)
PLAN = Plan(
    job_id="j", namespace="default", document_id="d", revision=1, attempt=1, sha256="a" * 64,
    media_type="application/pdf", options=Options.model_validate({}), created_at=NOW,
)  # fmt: skip
LOST = JobError(code="page_failed", status=422, message="x")


class Jobs:
    """A job of three pages, of which the first is done if `done`, and the second failed."""

    def __init__(self, status: str, *, done: bool = True) -> None:
        self._status, self._done = status, done

    async def job(self, _: str, __: str) -> Job:
        states = ("succeeded" if self._done else "queued", "failed", "queued")
        progress = tuple(PageProgress(number=n, status=state) for n, state in enumerate(states, 1))  # pyright: ignore[reportArgumentType]
        values: dict[str, Any] = {"id": "j", "document_id": "d", "revision": 1, "file_name": "a.pdf", "num_pages": 3}
        return Job.model_validate(values | {"status": self._status, "pages": progress, "created_at": NOW})

    async def facts(self, _: str, __: str) -> tuple[Plan, Opened, tuple[int, ...]]:
        return PLAN, Opened(num_pages=3), (1,)

    async def page_texts(self, _: str, numbers: Sequence[int]) -> list[str]:
        regions = (
            TextRegion(kind="plain text", box=BOX, score=1, text="Fog lifts."),
            FigureRegion(kind="figure", box=BOX, score=1, order=1),
        )
        return [Page(number=number, size=(612, 792), regions=regions).model_dump_json() for number in numbers]


class Renderer:
    """Draws nothing: it dies once, then says that the file needs its password."""

    def __init__(self) -> None:
        self.troubles: list[Exception] = [ReplicaDied("gone"), EncryptedDocument("a password is needed")]

    async def picture_file(self, *_: object, **__: object) -> None:
        raise self.troubles.pop(0)


@pytest.fixture
def result_of(tmp_path):
    def ask(body: Jobs, kind: str) -> httpx.Response:
        settings = Settings.model_validate({"embedder": {"model": None}})
        rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search"))
        rooms |= {"jobs": Handle(body), "renderer": Handle(Renderer())}
        blobs = FolderBlobs(tmp_path)
        services = Services(settings=settings, blobs=blobs, **rooms)
        app = FastAPI()
        app.include_router(jobs.router(services))
        error_responses.install(app)

        async def get() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.get("/v1/jobs/j/result", params={"format": kind})

        return asyncio.run(get())

    return ask


def test_a_cancelled_job_gives_the_pages_that_were_done_and_says_so(result_of) -> None:
    """Guards against pages that are kept and never given, and against a part that is taken for the whole."""
    answer = result_of(Jobs("cancelled"), "json")
    assert (answer.status_code, answer.headers["pagemill-status"]) == (200, "cancelled")
    body = answer.json()
    assert [page["number"] for page in body["pages"]] == [1]
    warnings = [(warning["code"], warning.get("page")) for warning in body["warnings"]]
    assert warnings == [("page_failed", 2), ("cancelled", None)]
    assert "Fog lifts." in result_of(Jobs("cancelled"), "md").text


def test_a_job_that_was_cancelled_before_a_page_was_done_has_no_result(result_of) -> None:
    """Guards against success with nothing in it."""
    answer = result_of(Jobs("cancelled", done=False), "md")
    assert (answer.status_code, answer.json()["code"]) == (409, "cancelled")


def test_a_figure_that_cannot_be_drawn_is_named_in_the_zip(result_of) -> None:
    """Guards against pictures that are left out without a word, and against a 500 when a replica dies."""
    answer = result_of(Jobs("succeeded"), "zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        document = json.loads(archive.read("document.json"))
    (warning,) = document["warnings"]
    assert (warning["code"], warning["page"]) == ("figure_missing", 1)
    assert "password" in warning["message"]
