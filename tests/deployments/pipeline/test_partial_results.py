"""`deployments.pipeline.partial_results`: what a page tells of itself while OCR reads it."""

from __future__ import annotations

import asyncio
from typing import Any

from deployments.pipeline.partial_results import partial_results
from deployments.values.jobs import PartialPage
from documents.draft.page_draft import RegionDraft
from documents.region_values import TextSource
from documents.sandbox.page_stages import DraftedPage
from documents.straighten.pose import Pose
from documents.values import Reading, Source
from tests.documents.page_making import box

SOON = 0.001
SOURCE = Source(path="x", media_type="image/png")


def draft(index: int, top: float, source: TextSource = "ocr") -> RegionDraft:
    place = box(10, top, 90, top + 10)
    return RegionDraft(
        index=index, kind="plain text", box=place, score=1, text_source=source, reason="", crop_box=place
    )


class Ear:
    """Hears partial_results; the first calls may fail."""

    def __init__(self, fail: int = 0) -> None:
        self.heard: list[PartialPage] = []
        self._fail, self._more = fail, asyncio.Event()

    async def tell(self, partial_page: PartialPage) -> None:
        if self._fail:
            self._fail -= 1
            self._more.set()
            raise ConnectionError
        self.heard.append(partial_page)
        self._more.set()

    async def more(self) -> None:
        async with asyncio.timeout(10):
            await self._more.wait()
        self._more.clear()


def page(ear: Ear, *drafts: RegionDraft, every_s: float = SOON, pose: Pose | None = None) -> Any:
    drafted = DraftedPage(source=SOURCE, number=3, size=(100, 200), pose=pose, drafts=drafts, content=b"")
    return partial_results(ear.tell, drafted, num_to_read=2, every_s=every_s)


def texts(partial_page: PartialPage) -> list[str | None]:
    return [region.text for region in partial_page.regions]


def test_regions_are_told_at_once_and_their_words_as_they_are_read() -> None:
    """Guards against a scan that shows nothing until all of it is read."""

    async def scenario() -> list[PartialPage]:
        ear = Ear()
        async with page(ear, draft(0, 50), draft(1, 20), draft(2, 80, "text_layer")) as show:
            await ear.more()
            show(1, Reading(text="first"))
            await ear.more()
        return ear.heard

    first, read = asyncio.run(scenario())
    assert (first.number, first.size, texts(first)) == (3, (100, 200), [None, None, None])
    assert first.num_to_read == 2, "the third region is text of the file"
    assert texts(read) == ["first", None, None], "from the top"


def test_a_telling_that_fails_neither_fails_the_page_nor_ends_the_others() -> None:
    """Guards against a page that is lost with the process that would only have shown it."""

    async def scenario() -> list[PartialPage]:
        ear = Ear(fail=1)
        async with page(ear, draft(0, 50)) as show:
            await ear.more()
            show(0, Reading(text="read"))
            await ear.more()
        return ear.heard

    assert [texts(partial_page) for partial_page in asyncio.run(scenario())] == [["read"]]


def test_nothing_is_told_of_a_page_without_ocr_or_after_its_end_or_where_that_is_off() -> None:
    """Guards against calls for every born-digital page, and against a page that is shown again when it is done."""

    async def scenario(*drafts: RegionDraft, every_s: float) -> list[PartialPage]:
        ear = Ear()
        async with page(ear, *drafts, every_s=every_s):
            assert len(asyncio.all_tasks()) == (2 if drafts[0].text_source == "ocr" and every_s else 1)
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
        return ear.heard

    assert asyncio.run(scenario(draft(0, 50, "text_layer"), every_s=SOON)) == []
    assert asyncio.run(scenario(draft(0, 50), every_s=0)) == []
    assert asyncio.run(scenario(draft(0, 50), every_s=SOON)) == []


def test_boxes_of_a_page_that_was_turned_upright_stand_on_the_page_as_it_is() -> None:
    """Guards against boxes beside their text on every page that was scanned sideways."""

    async def scenario() -> list[PartialPage]:
        ear = Ear()
        async with page(ear, draft(0, 50), pose=Pose.of_page(100, 200).turned(180)):
            await ear.more()
        return ear.heard

    ((region,),) = (partial_page.regions for partial_page in asyncio.run(scenario()))
    assert region.box == box(10, 140, 90, 150)
