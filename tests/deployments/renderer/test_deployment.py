"""Renderer: what its pool raises comes to the caller as it is, and the ends of children are counted."""

from __future__ import annotations

import asyncio
import pickle
import time

import pytest

from configs import Settings
from deployments.renderer.deployment import Renderer
from deployments.values.page_job import PageJob
from documents.errors import PageTimeout, RendererUnavailable
from documents.sandbox.page_stages import ComposeCall, Crop, DraftedPage, InspectedPage, PageReadings
from documents.values import Source

SOURCE = Source(path="/nowhere", media_type="application/pdf")
SEEN = InspectedPage(source=SOURCE, number=1, size=(612, 792), content=b"")
DRAFTED = DraftedPage(source=SOURCE, number=1, size=(612, 792), drafts=(), content=b"")
COMPOSING = ComposeCall(page=DRAFTED, readings=PageReadings(), low_confidence=0.5)
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
    "authored": lambda renderer: renderer.authored(JOB),
    "open_page": lambda renderer: renderer.open_page(JOB),
    "straightened": lambda renderer: renderer.straightened(SEEN.view),
    "crop": lambda renderer: renderer.crop(SEEN.view, Crop()),
    "picture": lambda renderer: renderer.picture(SOURCE, 1),
    "draft": lambda renderer: renderer.draft(SEEN, [], text_source="auto", crop_margin=(0, 0)),
    "compose": lambda renderer: renderer.compose(COMPOSING),
    "structure": lambda renderer: renderer.structure(SEEN, []),
}


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
