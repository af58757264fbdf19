"""The ASGI application of the server, and the deployment that serves it."""

from __future__ import annotations

import os
from typing import Any

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from ray import serve
from ray.serve.context import _get_global_client
from ray.serve.handle import DeploymentHandle
from ray.util.metrics import Gauge

from configs import Settings
from configs.keys import read_keys
from deployments.blobs import BlobStore
from deployments.ingress import (
    doc_layout,
    documents,
    earlier_ocr,
    events,
    health,
    indexed,
    inference,
    jobs,
    layout,
    metrics,
    ocr,
    pages,
    problems,
    query,
    web,
)
from deployments.ingress.answers import answers_by
from deployments.ingress.body import BodyLimits, form_paths
from deployments.ingress.callers import KeyRing
from deployments.ingress.docling import routes as docling
from deployments.ingress.docling.sources import max_body_bytes
from deployments.ingress.flow_control import bound_request_bodies
from deployments.ingress.places import Places
from deployments.ingress.porter import Porter
from deployments.ingress.services import LEAST_AT_ONCE, Services
from deployments.ingress.sites import Sites
from deployments.ingress.turns import Turns
from deployments.ingress.uploads import Door, max_form_bytes
from deployments.versions import versions


def create_app(services: Services) -> FastAPI:
    """All routes over these services."""
    app = FastAPIOffline(  # its page of all calls comes from here, not from somebody's content network
        title="Pagemill",
        version=versions()["pagemill"],
        description="Documents to text that can be cited.",
        redoc_url=None,
        responses={"default": PROBLEM},
    )
    rooms = (documents, indexed, jobs, events, pages, layout, ocr, query, inference, health, metrics, docling)
    for room in (*rooms, doc_layout, earlier_ocr, web):
        app.include_router(room.router(services))
    problems.install(app)
    guard(app, services)
    return app


def guard(app: FastAPI, services: Services) -> None:
    """Put what lets calls in before all routes that the app has by now."""
    limits = services.settings.limits
    app.add_middleware(
        Porter,
        keys=services.keys,
        max_requests=limits.max_requests,
        bodies=BodyLimits(
            forms=form_paths(app.openapi()),
            max_bytes=limits.max_body_kb * 1000,
            max_inline_bytes=max_body_bytes(services.settings.sources),
            max_form_bytes=max_form_bytes(int(limits.max_file_mb * 1_000_000)),
            min_bytes_per_s=limits.min_upload_kb_s * 1000,
            max_s=limits.max_upload_s,
        ),
        pictures=Places(limits.max_pictures, wait_s=limits.admission_wait_s, what="pictures"),
        sites=Sites.of(services.settings),
    )


PROBLEM: dict[str, Any] = {
    "description": "a problem document (RFC 9457)",
    "content": {"application/problem+json": {"schema": problems.ProblemDocument.model_json_schema()}},
}


@serve.ingress()
class Ingress:
    """All of HTTP in front of the graph."""

    def __init__(
        self,
        settings: Settings,
        jobs: DeploymentHandle,
        pipeline: DeploymentHandle,
        renderer: DeploymentHandle,
        layout: DeploymentHandle,
        ocr: DeploymentHandle,
        search: DeploymentHandle,
        lm: DeploymentHandle | None = None,
    ) -> None:
        bound_request_bodies()
        limits = settings.limits
        places = Places(limits.max_uploads, wait_s=limits.admission_wait_s, what="uploads")
        door = Door(max_bytes=int(limits.max_file_mb * 1_000_000), places=places)
        blobs = BlobStore(settings.blob_dir)
        keys = None if settings.keys_file is None else KeyRing(read_keys(settings.keys_file))
        settings.check_exposure(_host())
        answers = answers_by(settings.answers, lm, os.environ)
        rooms = settings, jobs, pipeline, renderer, layout, ocr, search
        waiting = Gauge("pagemill_turns_waiting_pages", "Pages of calls without a job that wait for their turn.")
        most = max(LEAST_AT_ONCE, limits.max_pages_in_flight)
        turns = Turns(most, waiting.set)  # pyright: ignore[reportArgumentType]  # Ray's optional tags are typed wrongly
        self._services = Services(*rooms, blobs, door, keys, lm=lm, answers=answers, turns=turns)

    def __serve_build_asgi_app__(self) -> FastAPI:
        return create_app(self._services)


def _host() -> str:
    """The address that Serve's proxy listens on; a plain `serve run` takes it from its own file."""
    client = _get_global_client()
    assert client is not None  # a replica has one
    return client.http_config.host or "127.0.0.1"
