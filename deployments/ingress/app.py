"""The ASGI application of the server, and the deployment that serves it."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from ray import serve
from ray.serve.handle import DeploymentHandle

from configs import Settings
from deployments.blobs import BlobStore
from deployments.ingress import documents, health, jobs, metrics, ocr, problems, query
from deployments.ingress.services import Services
from deployments.ingress.uploads import Door
from deployments.versions import versions


def create_app(services: Services) -> FastAPI:
    """All routes over these services."""
    app = FastAPIOffline(  # its page of all calls comes from here, not from somebody's content network
        title="Pagemill",
        version=versions()["pagemill"],
        description="Documents to text that can be cited.",
        redoc_url=None,
    )
    for room in (documents, jobs, ocr, query, health, metrics):
        app.include_router(room.router(services))
    problems.install(app)
    return app


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
    ) -> None:
        limits = settings.limits
        door = Door(max_bytes=int(limits.max_file_mb * 1_000_000), max_uploads=limits.max_uploads)
        blobs = BlobStore(settings.blob_dir)
        self._services = Services(settings, jobs, pipeline, renderer, layout, ocr, search, blobs, door)

    def __serve_build_asgi_app__(self) -> FastAPI:
        return create_app(self._services)
