"""The setting `facades`: a facade that is left out has no path, neither in the description nor to be called."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import ValidationError

from configs import Settings
from configs.settings import ALL_FACADES
from deployments.ingress.app import create_app
from deployments.ingress.operations.services import Services
from deployments.storage.folder_blobs import FolderBlobs

CALLS = {  # one of each facade
    "docling": ("POST", "/v1/convert/file"),
    "openai": ("POST", "/v1/chat/completions"),
    "mcp": ("POST", "/mcp"),
    "earlier": ("POST", "/doc_layout"),
    "open_webui": ("PUT", "/process"),
    "dify": ("POST", "/retrieval"),
}


def app_with(folder: Path, facades: Any) -> FastAPI:
    settings = Settings.model_validate({"data_dir": str(folder), "facades": facades})
    rooms: dict[str, Any] = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "search"))
    return create_app(Services(settings=settings, blobs=FolderBlobs(folder), **rooms))


def status_of(app: FastAPI, method: str, path: str) -> int:
    async def request() -> int:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.request(method, path)).status_code

    return asyncio.run(request())


@pytest.mark.parametrize("facade", CALLS)
def test_a_facade_that_is_left_out_has_no_path(tmp_path: Path, facade: str):
    """Guards against an API that an operator has switched off, and that answers all the same."""
    method, path = CALLS[facade]
    app = app_with(tmp_path, ",".join(name for name in ALL_FACADES if name != facade))
    assert status_of(app, method, path) == 404
    assert path not in app.openapi()["paths"]
    others = {other for name, (_, other) in CALLS.items() if name not in (facade, "mcp")}
    assert others <= set(app.openapi()["paths"])


def test_without_facades_our_own_api_is_left(tmp_path: Path):
    """Guards against a lifespan that needs a facade, and against a call of ours that went with one."""
    app = app_with(tmp_path, [])
    paths = set(app.openapi()["paths"])
    assert {"/v1/documents", "/v1/query", "/v1/layout", "/v1/ocr", "/v1/extract", "/livez"} <= paths
    assert not {path for _, path in CALLS.values()} & paths

    async def started() -> bool:
        async with app.router.lifespan_context(app):
            return True

    assert asyncio.run(started())


def test_an_unknown_facade_is_refused_with_those_that_are_known():
    """Guards against a misspelt name that leaves a facade out."""
    with pytest.raises(ValidationError, match="'docling', 'openai', 'mcp'"):
        Settings.model_validate({"facades": "docling,openia"})
