"""POST /v1/ocr: one image to text, streamed if wished; disconnecting frees its decode slots."""

from __future__ import annotations

import contextlib

from fastapi import APIRouter, Request
from fastapi.sse import format_sse_event
from starlette.responses import JSONResponse, Response

from deployments.ingress.form_options import form_schema
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.image_reading import OcrOptions, drawn, pieces_of, read
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import STREAM_RESPONSES, EventStream, events_of, token_event
from deployments.ingress.uploads import read_form
from documents.values import Reading


def router(services: Services) -> APIRouter:
    """The route /v1/ocr."""
    routes = APIRouter(tags=["ocr"])

    @routes.post("/v1/ocr", openapi_extra=UPLOAD, response_model=Reading, responses=STREAM_RESPONSES)
    async def ocr(request: Request, namespace: Namespace) -> Response:
        """The text of an image; with `stream=true` as server-sent events: `data: {"token": "..."}` as it is decoded,
        and last the event `reading` with what is answered without `stream` (text that repeats itself is cut in it)."""
        async with contextlib.AsyncExitStack() as stack:
            async with read_form(services, request, files=("file", "image"), fields=OcrOptions, max_files=1) as form:
                options = form.options(OcrOptions)
                image = await stack.enter_async_context(drawn(services, form.uploads[0], options, namespace))
            if options.stream:
                return EventStream(events_of(await pieces_of(services, image), _written, "a stream of OCR"))
            return JSONResponse((await read(services, image)).model_dump(mode="json"))

    return routes


UPLOAD = form_schema(OcrOptions, file="file")


def _written(piece: str | Reading) -> bytes:
    if isinstance(piece, str):
        return token_event(piece)
    return format_sse_event(event="reading", data_str=piece.model_dump_json())
