"""GET /v1/capabilities: which optional calls (answers, extraction) this server can answer with its settings."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fastapi import APIRouter
from pydantic import BaseModel, Field

from deployments.ingress.operations.services import Services


class Capabilities(BaseModel):
    """What depends on the settings of the server."""

    answers: bool = Field(description="whether POST /v1/query writes answers")
    extraction: bool = Field(description="whether POST /v1/extract has a model")
    schemas: list[str] = Field(description="names of schemas for POST /v1/extract")


def router(services: Services) -> APIRouter:
    """The route /v1/capabilities."""
    routes = APIRouter(tags=["health"])

    @routes.get("/v1/capabilities")
    async def capabilities() -> Capabilities:
        """Whether answers and extraction have a language model here, and the schemas that have a name."""
        return Capabilities(
            answers=services.answers is not None,
            extraction=services.extractor is not None,
            schemas=await asyncio.to_thread(_schemas, services.settings.extract.schemas),
        )

    return routes


def _schemas(folder: Path | None) -> list[str]:
    return [] if folder is None else sorted(file.stem for file in folder.glob("*.json"))
