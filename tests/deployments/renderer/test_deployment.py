"""Renderer: what its pool raises comes to the caller as it is, and the ends of children are counted."""

from __future__ import annotations

import asyncio
import pickle
import time

import pytest

from configs import Settings
from deployments.renderer.deployment import Renderer
from deployments.values.page_job import PageJob
from documents.errors import PageNotDrawn, PageTimeout, RendererUnavailable
from documents.media_types import XLSX
from documents.sandbox.page_stages import ComposeCall, Crop, DraftedPage, InspectedPage, PageReadings
from documents.values import Page, Source

SOURCE = Source(path="/nowhere", media_type="application/pdf")
SEEN = InspectedPage(source=SOURCE, number=1, size=(612, 792), content=b"")
DRAFTED = DraftedPage(source=SOURCE, number=1, size=(612, 792), drafts=(), content=b"")
COMPOSING = ComposeCall(page=DRAFTED, readings=PageReadings(), low_confidence=0.5)
SHEET = Page(number=2, size=(0, 0), form="sheet", name="tariff.csv")
JOB = PageJob(source=SOURCE, number=1, until=time.time() + 600)


class Failing:
    """Every call fails with `error`."""

    def __init__(self, error):
        self._error = error

    def __getattr__(self, name):
        async def call(*args, **kwargs):
            raise self._error

        return call


@pytest.fixture
def renderer(tmp_path):
    return Renderer(Settings(data_dir=tmp_path))


CALLS = {
    "open": lambda renderer: renderer.open(SOURCE),
    "inspect": lambda renderer: renderer.inspect(SOURCE, 1),
    "open_page": lambda renderer: renderer.open_page(JOB),
    "straightened": lambda renderer: renderer.straightened(SEEN.view),
    "crop": lambda renderer: renderer.crop(SEEN.view, Crop()),
    "picture": lambda renderer: renderer.picture(SOURCE, 1),
    "picture_file": lambda renderer: renderer.picture_file(SOURCE, 1),
    "overlay": lambda renderer: renderer.overlay(SOURCE, Page(number=1, size=(612, 792)), dpi=72),
    "draft": lambda renderer: renderer.draft(SEEN, [], text_source="auto", crop_margin=(0, 0)),
    "compose": lambda renderer: renderer.compose(COMPOSING),
    "structure": lambda renderer: renderer.structure(SEEN, []),
}


class Authored:
    """A pool of a file that draws no page; its author wrote only the page of SHEET, or the one of `number`."""

    def __init__(self, number=2):
        self.num_inspected = 0
        self._number = number

    async def inspect(self, *_, **__):
        self.num_inspected += 1
        raise PageNotDrawn("it is not drawn")

    async def authored(self, _, number):
        return SHEET if number == self._number else None


@pytest.mark.parametrize(("media_type", "num_inspected"), [("application/pdf", 1), (XLSX, 0)])
def test_a_page_of_a_file_that_a_pdf_carries_is_as_its_author_wrote_it(
    renderer, monkeypatch, media_type, num_inspected
):
    """And one that is neither drawn nor written fails."""
    pool = Authored()
    monkeypatch.setattr(renderer, "_pool", pool)
    source = Source(path="/nowhere", media_type=media_type)
    sheet = JOB.model_copy(update={"source": source, "number": SHEET.number})
    assert asyncio.run(renderer.open_page(sheet)) == SHEET
    assert pool.num_inspected == num_inspected
    with pytest.raises(PageNotDrawn):
        asyncio.run(renderer.open_page(sheet.model_copy(update={"number": 1})))


def test_a_picture_in_an_office_file_is_a_page_that_is_drawn(renderer, monkeypatch):
    """Guards against a picture that is read as the page of the file that it stands in."""
    monkeypatch.setattr(renderer, "_pool", Authored(number=1))
    picture = JOB.model_copy(update={"source": Source(path="/nowhere", media_type=XLSX)}).picture("1.png")
    with pytest.raises(PageNotDrawn):
        asyncio.run(renderer.open_page(picture))


@pytest.mark.parametrize("error", [RendererUnavailable("no renderer could be started"), PageTimeout("after 60 s")])
@pytest.mark.parametrize("name", CALLS)
def test_errors_keep_their_names(renderer, monkeypatch, name, error):
    """Guards against a want of memory that clients are told of as anything but `renderer_unavailable`."""
    for part in ("_pool", "_structure"):
        monkeypatch.setattr(renderer, part, Failing(error))
    with pytest.raises(type(error)) as caught:
        asyncio.run(CALLS[name](renderer))
    again = pickle.loads(pickle.dumps(caught.value))  # as it crosses to the caller
    assert (again.code, again.message, again.retryable) == (error.code, error.message, True)
