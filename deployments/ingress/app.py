"""The FastAPI application and the Ingress deployment: which routers and middlewares it has, and its OpenAPI
description.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from ray import serve
from ray.util.metrics import Gauge

from configs import Settings
from configs.api_keys import read_keys
from configs.settings import Facade
from deployments.calls.handles import (
    EmbedderHandle,
    JobsHandle,
    LayoutHandle,
    LmHandle,
    OcrHandle,
    PipelineHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.calls.slots import DeadlineSemaphore, FairLimiter
from deployments.ingress.api import (
    capabilities,
    documents,
    extract,
    extractions,
    health,
    index_contents,
    job_events,
    job_retry,
    jobs,
    layout,
    metrics,
    ocr,
    pages,
    query,
    webhooks,
)
from deployments.ingress.facades.dify import retrieval as dify
from deployments.ingress.facades.docling import routes as docling
from deployments.ingress.facades.earlier import doc_layout, inference
from deployments.ingress.facades.earlier import ocr as earlier_ocr
from deployments.ingress.facades.mcp import endpoint as mcp
from deployments.ingress.facades.mineru import routes as mineru
from deployments.ingress.facades.open_webui import process as open_webui
from deployments.ingress.facades.openai import routes as openai
from deployments.ingress.middleware import error_responses
from deployments.ingress.middleware.admission import Admission
from deployments.ingress.middleware.body_limits import (
    FILE_MEDIA_TYPE,
    FORM_MEDIA_TYPE,
    BodyGuard,
    BodyLimits,
    paths_taking,
)
from deployments.ingress.middleware.origin_guard import OriginGuard
from deployments.ingress.middleware.security_headers import SecurityHeaders
from deployments.ingress.operations.callers import KeyRing, is_open
from deployments.ingress.operations.generated_answers import answers_by
from deployments.ingress.operations.services import MIN_PAGE_SLOTS, Services
from deployments.ingress.page import web
from deployments.ingress.uploads import max_form_bytes
from deployments.library_internals.flow_control import bound_request_bodies
from deployments.library_internals.serve_state import proxy_address
from deployments.replicas.loop_watchdog import watch_loop
from deployments.storage.configured_blobs import configured_blobs
from deployments.values.versions import versions
from deployments.writers.json_writers import extractor_by

ROUTERS = (
    documents,
    index_contents,
    jobs,
    job_retry,
    job_events,
    pages,
    layout,
    ocr,
    query,
    extract,
    extractions,
    capabilities,
    health,
    metrics,
    webhooks,
    web,
)
ROUTERS_OF_FACADES: Mapping[Facade, tuple[ModuleType, ...]] = {  # MCP has no router: `mcp.mount` adds its path
    "openai": (openai,),
    "docling": (docling,),
    "earlier": (inference, doc_layout, earlier_ocr),
    "mineru": (mineru,),
    "open_webui": (open_webui,),
    "dify": (dify,),
}


def create_app(services: Services) -> FastAPI:
    """All routes over these services; a facade that the settings leave out has none."""
    facades = services.settings.facades
    app = FastAPIOffline(  # its page of all calls comes from here, not from somebody's content network
        title="Pagemill",
        version=versions()["pagemill"],
        description="Documents to citable text.",
        redoc_url=None,
        lifespan=mcp.running if "mcp" in facades else None,
        responses={"default": PROBLEM_RESPONSE},
    )
    chosen = (module for name, modules in ROUTERS_OF_FACADES.items() if name in facades for module in modules)
    for module in (*ROUTERS, *chosen):
        app.include_router(module.router(services))
    if "mcp" in facades:
        mcp.mount(app, services)
    error_responses.install(app)
    guard(app, services)
    return app


def guard(app: FastAPI, services: Services) -> None:
    """Wrap all routes that the app has by now; the last middleware added sees a request first."""
    limits = services.settings.limits
    openapi = app.openapi()
    app.add_middleware(
        Admission,
        keys=services.keys,
        max_requests=limits.max_requests,
        pictures=FairLimiter(limits.max_pictures, wait_s=limits.admission_wait_s, what="pictures"),
        origins=OriginGuard.of(services.settings),
    )
    app.add_middleware(
        BodyGuard,
        limits=BodyLimits(
            forms=paths_taking(openapi, FORM_MEDIA_TYPE),
            files=paths_taking(openapi, FILE_MEDIA_TYPE),
            max_bytes=limits.max_body_kb * 1000,
            max_inline_bytes=services.max_inline_bytes,
            max_form_bytes=max_form_bytes(services.max_file_bytes),
            max_file_bytes=services.max_file_bytes,
            min_bytes_per_s=limits.min_upload_kb_s * 1000,
            max_s=limits.max_upload_s,
        ),
    )
    app.add_middleware(SecurityHeaders, is_page=is_open)


PROBLEM_RESPONSE: dict[str, Any] = {
    "description": "a problem document (RFC 9457)",
    "content": {"application/problem+json": {"schema": error_responses.ProblemDocument.model_json_schema()}},
}


@serve.ingress()
class Ingress:
    """All of HTTP in front of the graph."""

    def __init__(
        self,
        settings: Settings,
        jobs: JobsHandle,
        pipeline: PipelineHandle,
        renderer: RendererHandle,
        layout: LayoutHandle,
        ocr: OcrHandle,
        search: SearchHandle,
        lm: LmHandle | None = None,
        embedder: EmbedderHandle | None = None,
    ) -> None:
        bound_request_bodies()
        limits = settings.limits
        settings.check_exposure(proxy_address()[0])
        waiting = Gauge("pagemill_turns_waiting_pages", "Waiting pages of calls without a job.")
        num_slots = max(MIN_PAGE_SLOTS, limits.max_pages_in_flight)
        self._services = Services(
            settings=settings,
            jobs=jobs,
            pipeline=pipeline,
            renderer=renderer,
            layout=layout,
            ocr=ocr,
            search=search,
            blobs=configured_blobs(settings),
            keys=None if settings.keys_file is None else KeyRing(read_keys(settings.keys_file)),
            embedder=embedder,
            lm=lm,
            answers=answers_by(settings.answers, lm, os.environ),
            extractor=extractor_by(settings, lm, os.environ),
            page_slots=DeadlineSemaphore(num_slots, waiting.set),  # pyright: ignore[reportArgumentType]
        )
        watch_loop(limits.loop_stall_s)

    def __serve_build_asgi_app__(self) -> FastAPI:
        return create_app(self._services)
