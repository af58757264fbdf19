"""`deployments.ingress.middleware.body_limits`: a body that is silent, slow or endless is ended."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.ingress.app import create_app
from deployments.ingress.errors import BodyTooLarge, Stalled
from deployments.ingress.middleware.body_limits import (
    FILE_MEDIA_TYPE,
    FORM_MEDIA_TYPE,
    BodyLimits,
    BoundedBody,
    paths_taking,
)
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs


class Client:
    """Sends pieces of a body, each after so many seconds of a clock of its own."""

    def __init__(self, *pieces: tuple[float, bytes]) -> None:
        self.now, self._pieces = 0.0, list(pieces)

    async def receive(self) -> dict[str, Any]:
        if not self._pieces:
            await asyncio.Event().wait()
        after, piece = self._pieces.pop(0)
        self.now += after
        return {"type": "http.request", "body": piece, "more_body": True}


def limits(**changes: Any) -> BodyLimits:
    bounds = {"max_bytes": 10_000, "max_inline_bytes": 20_000, "max_form_bytes": 30_000, "max_file_bytes": 25_000}
    return BodyLimits(forms=(), files=(), **(bounds | changes))


async def read(client: Client, bounds: BodyLimits, pauses_s: float = 0.0) -> int:
    body, num_bytes = BoundedBody(client.receive, "/v1/query", bounds, lambda: client.now), 0
    while True:
        num_bytes += len((await body())["body"])
        client.now += pauses_s  # of the application


def test_a_client_that_stands_still_is_ended() -> None:
    """Guards against a few silent clients that hold all places."""
    with pytest.raises(Stalled):
        asyncio.run(read(Client((0, b"begin")), limits(silence_s=0.01)))


def test_a_body_of_one_byte_now_and_then_is_ended() -> None:
    """Guards against a trickle, each piece of which comes in time: 16 such stopped all uploads of all tenants."""
    client = Client(*[(18.0, b"x")] * 100)
    with pytest.raises(Stalled, match="bytes in 36 s"):
        asyncio.run(read(client, limits(min_bytes_per_s=1000, silence_s=30)))


def test_a_steady_body_ends_after_the_total_time() -> None:
    """Guards against a body that is just fast enough, for ever."""
    client = Client(*[(10.0, b"x" * 10)] * 10_000)
    with pytest.raises(Stalled, match="in 60 s"):
        asyncio.run(read(client, limits(min_bytes_per_s=1, max_s=60)))


def test_an_application_that_takes_its_time_is_not_the_clients_slowness() -> None:
    """Guards against uploads that are ended since the disk is slow."""
    client = Client(*[(0.0, b"x" * 100)] * 101)
    with pytest.raises(BodyTooLarge):
        asyncio.run(read(client, limits(min_bytes_per_s=1e6, max_s=60), pauses_s=100.0))


def test_the_routes_that_take_forms_are_those_that_the_document_of_all_calls_names(tmp_path) -> None:
    """Guards against an upload route that is held to the limit of JSON, or a JSON route that takes 4 GB."""
    settings = Settings.model_validate({"data_dir": str(tmp_path)})
    rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "search"))
    services = Services(settings=settings, blobs=FolderBlobs(tmp_path), **rooms)
    app: FastAPI = create_app(services)
    forms = paths_taking(app.openapi(), FORM_MEDIA_TYPE)
    taking = ["/v1/documents", "/v1/ocr", "/ocr", "/v1/layout", "/doc_layout", "/v1/convert/file"]
    taking.append("/v1/chunk/hybrid/file")
    others = ["/v1/query", "/inference", "/v1/convert/source", "/v1/documents/abc", "/", "/v1/documents/", "/process"]
    assert [path for path in (*taking, *others) if any(form.match(path) for form in forms)] == taking
    files = paths_taking(app.openapi(), FILE_MEDIA_TYPE)
    assert [path for path in (*taking, *others) if any(file.match(path) for file in files)] == ["/process"]
