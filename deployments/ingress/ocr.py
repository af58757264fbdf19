"""POST /v1/ocr: one image to its text, without a job; a client that goes away frees its decode slots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response, StreamingResponse

from deployments.calls import call, stream
from deployments.ingress.problems import UnknownOption
from deployments.ingress.services import Services
from documents.errors import UnsupportedMedia
from documents.values import OcrMode, Reading, Source

FIELDS = ("mode", "max_tokens", "stream")


class OcrOptions(BaseModel):
    """The fields of the form beside the image."""

    model_config = ConfigDict(frozen=True)

    mode: OcrMode = "plain"
    max_tokens: int | None = Field(None, ge=1)
    stream: bool = False


def router(services: Services) -> APIRouter:
    """The route /v1/ocr."""
    routes = APIRouter(tags=["ocr"])

    @routes.post("/v1/ocr", openapi_extra=UPLOAD, response_model=Reading)
    async def ocr(request: Request) -> Response:
        """The text of an image; with `stream=true` as server-sent events, each `data: {"token": "..."}`."""
        async with services.door.form(request, files=("file", "image"), fields=FIELDS) as form:
            try:
                options = OcrOptions.model_validate(form.fields)
            except ValidationError as error:
                first = error.errors()[0]
                raise UnknownOption(f"{first['loc'][0]}: {first['msg']}") from None
            upload = form.uploads[0]
            if upload.media_type == "application/pdf":
                raise UnsupportedMedia("/v1/ocr reads images; send a PDF to /v1/documents")
            path = await asyncio.to_thread(services.blobs.put_aside, upload.content)
        try:
            picture = await _picture(services, Source(path=str(path), media_type=upload.media_type))
        finally:
            path.unlink(missing_ok=True)
        if options.stream:
            return StreamingResponse(_events(services, picture, options), media_type="text/event-stream")
        read = services.ocr.read.remote(picture, options.mode, max_tokens=options.max_tokens)
        _, reading = await call(read)
        return JSONResponse(reading.model_dump(mode="json"))

    return routes


UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "mode": {"type": "string", "enum": ["plain", "format"], "default": "plain"},
                        "max_tokens": {"type": "integer", "minimum": 1},
                        "stream": {"type": "boolean", "default": False},
                    },
                }
            }
        },
    }
}


async def _picture(services: Services, source: Source) -> Any:
    """The image as drawn by the renderer's child, kept in the object store; errors of the file show here."""
    drawn: Any = services.renderer.picture.remote(source, 1, dpi=services.settings.ocr.dpi)
    await call(drawn)
    return drawn


async def _events(services: Services, picture: Any, options: OcrOptions) -> AsyncIterator[str]:
    generator = services.ocr.options(stream=True).stream.remote(picture, options.mode, max_tokens=options.max_tokens)
    async with stream(generator) as pieces:
        async for piece in pieces:
            yield f"data: {json.dumps({'token': piece}, ensure_ascii=False)}\n\n"
