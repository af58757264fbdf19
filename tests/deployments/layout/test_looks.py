"""Pages of several documents of which only some are looked at: these share the batches of the layout network."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from configs import Settings
from deployments.layout.deployment import Layout
from deployments.pipeline import deployment as pipeline_module
from deployments.pipeline.deployment import Pipeline
from deployments.values.page_job import PageJob
from documents.errors import PageFailed
from documents.page.picture_need import PictureEvidence
from documents.sandbox.page_stages import Crop, InspectedPage, PageView
from documents.values import Source
from tests.deployments.ingress.handles import Handle
from tests.deployments.layout.fake_detector import SIDE, FakeDetector

SOURCE = Source(path="x", media_type="application/pdf")


class Pages:
    """A renderer whose page has a picture if its number is even, and as many colours as its number."""

    def __init__(self) -> None:
        self.regions: dict[int, Any] = {}

    async def open_page(self, job: PageJob) -> InspectedPage:
        evidence = PictureEvidence(may_show_figures=job.number % 2 == 0)
        return InspectedPage(source=job.source, number=job.number, size=(SIDE, SIDE), picture=evidence, content=b"")

    async def crop(self, page: PageView, _: Crop) -> np.ndarray:
        return np.full((SIDE, SIDE, 3), page.number, np.uint8)

    async def draft(self, page: InspectedPage, regions: Any, **_: object) -> None:
        self.regions[page.number] = regions
        raise PageFailed("as far as here")


def test_pages_that_are_looked_at_share_batches_with_those_of_other_documents(
    drive: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a batch per document or per page, and against pages of text that take a place in one."""
    fake, pages = FakeDetector(), Pages()
    monkeypatch.setattr(pipeline_module, "watch_loop", lambda _: None)  # it would watch this test's

    async def scenario(layout: Layout) -> dict[str, Any]:
        renderer: Any = Handle(pages)
        network: Any = Handle(layout)
        pipeline = await asyncio.to_thread(Pipeline, Settings(), renderer, network, renderer, renderer)

        async def read(number: int, label: str) -> None:
            until = time.time() + 60
            with pytest.raises(PageFailed):
                await pipeline.page(PageJob(source=SOURCE, number=number, text_source="auto", until=until, label=label))

        fake.go.clear()
        tasks = [asyncio.create_task(read(2, "first"))]
        await asyncio.to_thread(fake.begun.wait, 20)
        tasks += [asyncio.create_task(read(number, f"document {number % 3}")) for number in range(3, 11)]
        while layout._gate.num_waiting < 4 or not {3, 5, 7, 9} <= pages.regions.keys():  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0)
        fake.go.set()
        await asyncio.gather(*tasks)
        return await layout.about()

    about = drive(fake, scenario, batch_size=8, batch_wait_s=0)
    assert [sorted(batch) for batch in fake.batches] == [[2], [4, 6, 8, 10]]
    assert pages.regions == {number: [] if number % 2 else [number] for number in range(2, 11)}
    assert (about["pages"], about["shared_batches"]) == (5, 1)
