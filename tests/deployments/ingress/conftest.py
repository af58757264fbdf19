"""The layout routes over a real renderer and the real network, without Ray: handles are plain calls."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.ingress.api import layout
from deployments.ingress.facades.earlier import doc_layout
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.services import Services
from deployments.renderer.deployment import Renderer
from deployments.storage.folder_blobs import FolderBlobs
from documents.layout.doclayout.detector import Detector
from documents.layout.structure.structure_reader import StructureReader
from documents.segments.blocks import SegmentBlock
from tests.deployments.ingress.handles import Handle

ROOT = Path(__file__).parents[3]


class Finder:
    """What Layout does, one page at a time, for as long as a test takes."""

    def __init__(self) -> None:
        self._detector = Detector(ROOT / "checkpoints" / "layout-compact")
        self._reader = StructureReader(ROOT / "checkpoints" / "structure-compact")
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self.asked: list[dict[str, Any]] = []

    async def about(self) -> dict[str, Any]:
        return {"model": self._detector.name, "image_size": self._detector.image_size}

    async def detect(self, picture: Any, size: Any, *, label: str, **thresholds: Any) -> Any:
        self.asked.append(thresholds)
        call = lambda: self._detector.detect([picture], [size], **thresholds)  # noqa: E731
        (detections,) = await asyncio.get_running_loop().run_in_executor(self._thread, call)
        return detections

    async def blocks(self, features: bytes, *, label: str) -> tuple[SegmentBlock, ...]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._reader.blocks_of, features)


@pytest.fixture(scope="session")
def finder() -> Finder:
    return Finder()


@pytest.fixture(scope="session")
def post(finder: Finder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., httpx.Response]]:
    """POSTs a form to the routes; nothing may be left of an upload afterwards."""
    folder = tmp_path_factory.mktemp("blobs")
    with asyncio.Runner() as runner:
        settings = Settings.model_validate({"limits": {"max_layout_pages": 3}, "renderer": {"num_children": 1}})
        renderer = Renderer(settings)
        rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "ocr", "search"))
        rooms |= {"renderer": Handle(renderer), "layout": Handle(finder)}
        blobs = FolderBlobs(folder)
        services = Services(settings=settings, blobs=blobs, **rooms)
        app = FastAPI()
        app.include_router(layout.router(services))
        app.include_router(doc_layout.router(services))
        error_responses.install(app)

        async def ask(path: str, content: bytes, **fields: Any) -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
                return await client.post(path, files={"file": ("a.pdf", content)}, data=fields)

        def posted(path: str, content: bytes, **fields: Any) -> httpx.Response:
            answer = runner.run(ask(path, content, **fields))
            assert [path for path in folder.rglob("*") if path.is_file()] == []
            return answer

        yield posted
        runner.run(renderer._pool.close())
