"""POST /ocr: the text of an image in the request and response format of an earlier OCR server."""

from __future__ import annotations

import contextlib

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from deployments.ingress.errors import Malformed
from deployments.ingress.form_options import form_schema
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.image_reading import OcrOptions, drawn, pieces_of, read
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import STREAM_RESPONSES, EventStream, events_of, token_event
from deployments.ingress.uploads import read_form
from documents.text.digit_strings import marked_text
from documents.values import OcrMode, Reading

MAX_TOKENS = 4096  # the earlier API had the same limit


class EarlierOptions(BaseModel):
    """The fields of the form beside the image; that server took no notice of others."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    mode: OcrMode = "format"
    max_tokens: int = Field(MAX_TOKENS, ge=1)
    stream: bool = False


class EarlierReading(BaseModel):
    """The whole text."""

    result: str


def router(services: Services) -> APIRouter:
    """The route /ocr."""
    routes = APIRouter(tags=["earlier clients"])

    @routes.post("/ocr", openapi_extra=UPLOAD, response_model=EarlierReading, responses=STREAM_RESPONSES)
    async def ocr(request: Request, namespace: Namespace) -> Response:
        """The text of an image; with `stream=true` as server-sent events, each `data: {"token": "..."}`."""
        async with contextlib.AsyncExitStack() as stack:
            async with read_form(services, request, files=("image", "file"), fields=None, max_files=1) as form:
                earlier = form.options(EarlierOptions, refusal=Malformed)  # 400, as there
                options = OcrOptions(mode=earlier.mode, max_tokens=earlier.max_tokens, stream=earlier.stream)
                image = await stack.enter_async_context(drawn(services, form.uploads[0], options, namespace))
            if options.stream:
                return EventStream(events_of(await pieces_of(services, image), _written, "a stream of OCR"))
            reading = await read(services, image)
            return JSONResponse({"result": marked_text(reading.text, reading.unproved)})

    return routes


UPLOAD = form_schema(EarlierOptions, file="image")


def _written(piece: str | Reading) -> bytes:
    return token_event(piece) if isinstance(piece, str) else b""  # its clients know tokens alone
