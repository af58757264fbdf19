"""POST /doc_layout: layout regions in the request and response format of an earlier layout server.

Fields and answer are that server's; its scores depended on batch mates and on swapped colours, ours do not.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import math
import time
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
from documents.boxes import BoundingBox
from documents.exports.picture_file import PictureFile
from documents.sandbox.page_stages import InspectedPage
from documents.values import Detection

CONFIDENCE = 0.25  # the earlier API had the same threshold
MAX_RATIO = 10.0
MAX_SIDE = 10_000  # pixels of a picture: JPEG knows no more than 65,500, and all pages of an answer are in memory


class DocLayoutOptions(BaseModel):
    """The fields of the form beside the file; a ratio scales the page's picture, 72 dpi at 1."""

    model_config = ConfigDict(frozen=True)

    iou_threshold: float = Field(0.45, ge=0, le=1)
    ratio_x: float = Field(2.0, gt=0, le=MAX_RATIO, description="pixels per point, across")
    ratio_y: float = Field(2.0, gt=0, le=MAX_RATIO, description="pixels per point, down")


def router(services: Services) -> APIRouter:
    """The route /doc_layout."""
    routes = APIRouter(tags=["earlier clients"])

    @routes.post("/doc_layout", openapi_extra=UPLOAD)
    async def doc_layout(request: Request, namespace: Namespace) -> JSONResponse:
        """Classes, boxes in pixels, and the picture of every page; a page that fails fails the call."""
        async with contextlib.AsyncExitStack() as stack:
            async with read_form(services, request, files=("file",), fields=DocLayoutOptions, max_files=1) as form:
                options, upload = form.options(DocLayoutOptions), form.uploads[0]
                staged = await stack.enter_async_context(services.blobs.staged(upload.content))
            started_at, spent = time.perf_counter(), {"infer": 0.0, "toimage": 0.0}
            thresholds: dict[str, Any] = {"confidence": CONFIDENCE, "iou_threshold": options.iou_threshold}
            file = await opened(services, staged, upload.media_type, namespace, **thresholds)
            about = await call(services.layout.about.remote())
            pages = await file.per_page(lambda number: _page(file, number, about["image_size"], options, spent))
        seconds = time.perf_counter() - started_at
        stats = {
            "total_page": len(pages),
            "infer_time_taken": spent["infer"],
            "toimage_time_taken": spent["toimage"],
            "page_per_second": len(pages) / seconds,
        }
        return JSONResponse({"result": pages, "stats": stats})

    return routes


UPLOAD = form_schema(DocLayoutOptions, file="file")


async def _page(
    file: PageRegions, number: int, long_side: int, options: DocLayoutOptions, spent: dict[str, float]
) -> dict[str, Any]:
    """One entry of `result`; adds the seconds that were waited for the network and for the picture to `spent`."""
    inspected = await file.inspect(number)
    started_at = time.perf_counter()
    detections = await file.detect(inspected, long_side)
    drawing = time.perf_counter()
    picture = await file.jpeg(inspected, dpi=(72 * options.ratio_x, 72 * options.ratio_y), max_side=MAX_SIDE)
    entry = await asyncio.to_thread(_entry, inspected, detections, picture)
    spent["infer"] += drawing - started_at
    spent["toimage"] += time.perf_counter() - drawing
    return entry


def _entry(inspected: InspectedPage, detections: list[Detection], picture: PictureFile) -> dict[str, Any]:
    width, height = picture.size
    x, y = width / inspected.width, height / inspected.height
    regions = [(detection.kind, _corners(detection.box.scaled(x, y), width, height)) for detection in detections]
    regions.sort(key=lambda region: (region[1]["y_min"], region[1]["x_min"]))
    return {
        "classes": [kind for kind, _ in regions],
        "coordinates": [corners for _, corners in regions],
        "img": base64.b64encode(picture.content).decode("ascii"),
    }


def _corners(box: BoundingBox, width: int, height: int) -> dict[str, int]:
    """Whole pixels of the picture that hold the box, one across and one down at the least."""
    x_min, y_min = (min(max(0, math.floor(edge)), side - 1) for edge, side in ((box.x0, width), (box.y0, height)))
    x_max, y_max = (min(math.ceil(edge), side) for edge, side in ((box.x1, width), (box.y1, height)))
    return {"x_min": x_min, "y_min": y_min, "x_max": max(x_max, x_min + 1), "y_max": max(y_max, y_min + 1)}
