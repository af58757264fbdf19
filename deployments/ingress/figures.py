"""Pictures of a document's figures, drawn anew from its bytes; a few at once, and one that fails is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from itertools import islice

import numpy as np

from deployments.calls import call
from deployments.ingress.services import Services
from deployments.jobs.retry import tried
from deployments.jobs.values import Plan
from documents.errors import IngestError
from documents.flow import figures
from documents.values import Document, PageWarning, Region, Source

DRAW_ATTEMPTS = 2  # replicas that may die over one figure
MAX_AT_ONCE = 4  # figures of one document that are drawn at the same time


async def drawn_figures(
    services: Services, plan: Plan, document: Document, *, dpi: float, at_most: int | None = None
) -> tuple[dict[str, np.ndarray], list[PageWarning]]:
    """The pictures of all figures (or of the first `at_most`), cut from their pages, by their names; uint8, RGB.

    And which of them could not be drawn.
    """
    path = str(services.blobs.path(plan.sha256))
    source = Source(path=path, media_type=plan.media_type, password=plan.options.password, namespace=plan.namespace)
    gate = asyncio.Semaphore(MAX_AT_ONCE)
    drawn: dict[str, np.ndarray] = {}
    missing: list[PageWarning] = []

    async def draw(name: str, number: int, region: Region) -> None:
        def picture() -> Awaitable[np.ndarray]:
            return call(services.renderer.picture.remote(source, number, dpi=dpi, box=region.box))

        async with gate:
            try:
                drawn[name] = await tried(picture, attempts=DRAW_ATTEMPTS)
            except IngestError as error:
                message = f"{name} could not be drawn: {error.message}"
                missing.append(PageWarning(code="figure_missing", message=message, page=number, box=region.box))

    async with asyncio.TaskGroup() as group:
        for name, page, region in islice(figures(document), at_most):
            group.create_task(draw(name, page.number, region))
    return drawn, sorted(missing, key=lambda warning: warning.message)
