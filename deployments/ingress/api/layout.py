"""POST /v1/layout: the layout regions of a file's pages in reading order, without a job; nothing is stored."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from deployments.calls.cancellable_calls import call
from deployments.ingress.form_options import form_schema
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.page_regions import PageRegions, opened
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import read_form
from deployments.values.jobs import JobError
from documents.boxes import BoundingBox
from documents.draft.duplicate_detections import Dropped, resolve_with_reasons
from documents.errors import IngestError
from documents.region_values import Region, RegionKind, TextSource
from documents.values import Page, PageWarning

OVERLAY_DPI = 110
MAX_OVERLAY_SIDE = 2000  # in pixels


class LayoutOptions(BaseModel):
    """The fields of the form beside the file."""

    model_config = ConfigDict(frozen=True)

    page: str | None = Field(None, max_length=1000, description="pages, as in `1-3,7`; unset: all", examples=["1-3,7"])
    overlay: bool = Field(False, description="include a PNG of each page, in base64")
    confidence: float | None = Field(None, ge=0, le=1)
    iou_threshold: float | None = Field(None, ge=0, le=1)
    password: str | None = Field(None, max_length=1000)


class LayoutRegion(BaseModel):
    """One region; `origin` says how it came to be one, `reason` why its text would come from `text_source`."""

    kind: RegionKind
    box: BoundingBox
    score: float
    order: int
    angle: int
    origin: str
    text_source: TextSource
    reason: str


class LayoutPage(BaseModel):
    """One page: its regions in reading order, what the network saw beside them, and what went wrong."""

    number: int
    size: tuple[float, float] | None = None  # width, height in points
    regions: list[LayoutRegion] = []
    dropped: list[Dropped] = []
    warnings: list[PageWarning] = []
    overlay: str | None = None  # base64 of a PNG
    error: JobError | None = None  # why the page has no regions


class LayoutAnswer(BaseModel):
    """What POST /v1/layout answers."""

    model: str
    pages: list[LayoutPage]


def router(services: Services) -> APIRouter:
    """The route /v1/layout."""
    routes = APIRouter(tags=["layout"])

    @routes.post("/v1/layout", openapi_extra=UPLOAD, response_model=LayoutAnswer)
    async def layout(request: Request, namespace: Namespace) -> JSONResponse:
        """The regions of each page of a PDF or image; pages that cannot be drawn are named, if others can."""
        async with contextlib.AsyncExitStack() as stack:
            async with read_form(services, request, files=("file",), fields=LayoutOptions, max_files=1) as form:
                options, upload = form.options(LayoutOptions), form.uploads[0]
                staged = await stack.enter_async_context(services.blobs.staged(upload.content))
            detection_options: dict[str, Any] = options.model_dump(include={"password", "confidence", "iou_threshold"})
            file = await opened(services, staged, upload.media_type, namespace, pages=options.page, **detection_options)
            about = await call(services.layout.about.remote())
            side, pictured = about["image_size"], options.overlay
            pages = await file.per_page(lambda number: _page(file, number, side, with_picture=pictured))
        failures = [error for _, error in pages if error is not None]
        if len(failures) == len(pages):
            raise failures[0]
        answer = LayoutAnswer(model=about["model"], pages=[page for page, _ in pages])
        return JSONResponse(answer.model_dump(mode="json", exclude_none=True))

    return routes


UPLOAD = form_schema(LayoutOptions, file="file")


async def _page(
    file: PageRegions, number: int, long_side: int, *, with_picture: bool
) -> tuple[LayoutPage, IngestError | None]:
    try:
        inspected = await file.inspect(number)
        detections = await file.detect(inspected, long_side)
        page = await file.structure(inspected, detections)
        png = await file.overlay(page, dpi=OVERLAY_DPI, max_side=MAX_OVERLAY_SIDE) if with_picture else None
    except IngestError as error:
        return LayoutPage(number=number, error=JobError.of(error)), error

    answer = _layout_page(page, resolve_with_reasons(detections)[1])
    if png is not None:
        answer = answer.model_copy(update={"overlay": base64.b64encode(png).decode("ascii")})
    return answer, None


def _layout_page(page: Page, dropped: list[Dropped]) -> LayoutPage:
    regions = [LayoutRegion.model_validate(_facts(region)) for region in page.regions]
    return LayoutPage(
        number=page.number, size=page.size, regions=regions, dropped=dropped, warnings=list(page.warnings)
    )


def _facts(region: Region) -> dict[str, object]:
    return {name: getattr(region, name) for name in LayoutRegion.model_fields}
