"""Renderer: that no child can be started is told as load, which callers wait out."""

from __future__ import annotations

import asyncio

import pytest

from configs import Settings
from deployments.errors import Busy
from deployments.renderer import Renderer
from documents.errors import PageTimeout, RendererUnavailable
from documents.values import Source

SOURCE = Source(path="/nowhere", media_type="application/pdf")


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
    "pose": lambda renderer: renderer.pose(SOURCE, 1),
    "picture": lambda renderer: renderer.picture(SOURCE, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_renderer_without_children_is_busy(renderer, monkeypatch, name):
    """Guards against a sound document that fails for good while the machine lacks memory."""
    monkeypatch.setattr(renderer, "_pool", Failing(RendererUnavailable("no renderer could be started")))
    with pytest.raises(Busy, match="no renderer could be started"):
        asyncio.run(CALLS[name](renderer))


def test_other_errors_pass(renderer, monkeypatch):
    """Guards against a page's own fault that is tried again for ten minutes."""
    monkeypatch.setattr(renderer, "_pool", Failing(PageTimeout("stopped after 60 s")))
    with pytest.raises(PageTimeout):
        asyncio.run(renderer.open(SOURCE))
