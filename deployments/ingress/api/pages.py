"""GET /v1/jobs/{id}/pages/{number}: the JSON of one page as soon as it is read, and its picture."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Path, Query, Response
from pydantic import BaseModel

from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import JobFailed, NotReady, UnknownOption
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.result_document import DocumentCache
from deployments.ingress.operations.services import Services
from deployments.jobs.results.result_formats import document_of
from deployments.values.jobs import PageRecord
from deployments.values.shards import shard_of
from documents.boxes import BoundingBox
from documents.exports.markdown import markdown
from documents.values import Document, Page

CACHE_S = 3600  # how long a browser may cache a picture
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Revision = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="unset: the newest")]
DocumentId = Annotated[str, Path(max_length=200)]


class PageFacts(BaseModel):
    """One page: the same regions as in the JSON of the whole, and the Markdown of each of them, in the same order."""

    job_id: str
    document_id: str
    revision: int
    page: Page
    markdown: list[str]


class Drawing(BaseModel):
    """What is drawn of a page."""

    dpi: Annotated[float | None, Query(ge=20, le=300, description="unset: the resolution for OCR")] = None
    box: Annotated[str | None, Query(max_length=200, description="x0,y0,x1,y1 in points; unset: all")] = None
    angle: Annotated[int, Query(description="0, 90, 180 or 270: clockwise rotation of the text, to be undone")] = 0

    def bounds(self) -> BoundingBox | None:
        """The box as a value. Raises UnknownOption."""
        if self.angle not in (0, 90, 180, 270):
            raise UnknownOption("angle: one of 0, 90, 180, 270")
        if self.box is None:
            return None
        try:
            x0, y0, x1, y1 = (float(edge) for edge in self.box.split(","))
        except ValueError:
            raise UnknownOption("box: four numbers, x0,y0,x1,y1") from None
        if not (-1e5 < x0 < x1 < 1e5 and -1e5 < y0 < y1 < 1e5):
            raise UnknownOption("box: x0,y0,x1,y1 with x0 < x1 and y0 < y1")
        return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def router(services: Services) -> APIRouter:
    """/v1/jobs/{id}/pages/{n}[/image], and the same under /v1/documents/{id} for a document's newest job."""
    routes = APIRouter(prefix="/v1", tags=["pages"])
    documents = DocumentCache(services)

    async def job_of(document_id: str, namespace: str, revision: int | None) -> str:
        return await call(services.jobs.job_of_document.remote(document_id, namespace, revision))

    @routes.get("/jobs/{job_id}/pages/{number}")
    async def page(job_id: str, number: Number, namespace: Namespace) -> PageFacts:
        """The regions of a page with their text, as soon as it is read; 409 before that, its own error if it failed."""
        record = await _record(services, job_id, number, namespace)
        if record.error is not None:
            raise JobFailed(job_id, record.error)
        if record.page is None:
            raise NotReady(f"page {number} of job {job_id} is not read yet")
        document = await documents.document(record.plan.job_id, namespace) if record.ended else None
        return await asyncio.to_thread(_facts, record, record.page, document)

    @routes.get("/jobs/{job_id}/pages/{number}/image", response_class=Response, responses=PICTURE)
    async def image(
        job_id: str,
        number: Number,
        namespace: Namespace,
        drawing: Annotated[Drawing, Query()],
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """A PNG of the page, or of a box on it: boxes of its regions are points of this picture, 72 to the inch."""
        record = await _record(services, job_id, number, namespace)
        return await _picture(services, record, number, drawing, if_none_match)

    @routes.get("/documents/{document_id:path}/pages/{number}")
    async def page_of_document(
        document_id: DocumentId, number: Number, namespace: Namespace, revision: Revision = None
    ) -> PageFacts:
        """A page of a document; 410 if the revision was deleted."""
        return await page(await job_of(document_id, namespace, revision), number, namespace)

    @routes.get("/documents/{document_id:path}/pages/{number}/image", response_class=Response, responses=PICTURE)
    async def image_of_document(
        document_id: DocumentId,
        number: Number,
        namespace: Namespace,
        drawing: Annotated[Drawing, Query()],
        revision: Revision = None,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """A PNG of a page of a document; 410 if the revision was deleted."""
        return await image(await job_of(document_id, namespace, revision), number, namespace, drawing, if_none_match)

    return routes


PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
    304: {"description": "the browser's cached copy is current"},
}


async def _record(services: Services, job_id: str, number: int, namespace: str) -> PageRecord:
    record: PageRecord | None = await call(services.jobs.page.remote(job_id, number, namespace))
    if record is None:
        raise HTTPException(404, f"job {job_id} has no page {number}")
    return record


def _facts(record: PageRecord, page: Page, document: Document | None) -> PageFacts:
    """With the whole document its levels and running heads are known; before, those of the page alone."""
    if document is None:  # an invoice is compared with all pages, not with one of them
        document = document_of(record.plan, record.opened.model_copy(update={"invoice": None}), [page])
    whole_page = next(candidate for candidate in document.pages if candidate.number == page.number)
    return PageFacts(
        job_id=record.plan.job_id,
        document_id=record.plan.document_id,
        revision=record.plan.revision,
        page=whole_page,
        markdown=[_markdown(document, whole_page, index) for index in range(len(whole_page.regions))],
    )


def _markdown(document: Document, page: Page, index: int) -> str:
    """Of one region alone."""
    region = page.regions[index].model_copy(update={"continues": False})
    return markdown(document.model_copy(update={"pages": (page.model_copy(update={"regions": (region,)}),)}))


async def _picture(
    services: Services, record: PageRecord, number: int, drawing: Drawing, cached_etags: str | None
) -> Response:
    box, plan = drawing.bounds(), record.plan
    dpi = drawing.dpi or services.settings.ocr.dpi
    named = f"{plan.sha256} {number} {dpi} {drawing.box} {drawing.angle}"
    headers = {
        "ETag": f'"{hashlib.sha256(named.encode()).hexdigest()[:32]}"',
        "Cache-Control": f"private, max-age={CACHE_S}",
        "Vary": "Authorization, X-API-Key",
    }
    if cached_etags is not None and headers["ETag"] in cached_etags:
        return Response(status_code=304, headers=headers)
    source = plan.source(services.blobs.of_shard(shard_of(plan.job_id)).address(plan.sha256))
    drawing_call = services.renderer.picture_file.remote(source, number, dpi=dpi, box=box, angle=drawing.angle)
    return Response((await call(drawing_call)).content, media_type="image/png", headers=headers)
