"""Small documents made on the spot, and a way to use a renderer pool from a plain test."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pymupdf
import pytest

from documents.media_types import sniff
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Source

sys.path.insert(0, str(Path(__file__).parent))  # for page_making: with importlib mode no folder of tests is on the path

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def data():
    return DATA


@pytest.fixture
def pdf_of(tmp_path):
    """Writes the PDF that `draw(page)` draws; more pages, rotation, crop and saving options by name."""

    def make(draw=None, *, name="made.pdf", size=(612, 792), num_pages=1, rotation=0, crop=None, **save):
        with pymupdf.open() as pdf:
            for _ in range(num_pages):
                page = pdf.new_page(width=size[0], height=size[1])
                if draw:
                    draw(page)
                if crop:
                    page.set_cropbox(pymupdf.Rect(*crop))
                page.set_rotation(rotation)
            pdf.save(tmp_path / name, **save)
        return source_of(tmp_path / name)

    return make


def source_of(path, password=None):
    media_type = sniff(Path(path).read_bytes()[:2048])
    return Source(path=str(path), media_type=media_type or "application/pdf", password=password)


@pytest.fixture
def source():
    return source_of


@pytest.fixture(scope="session")
def shared():
    """One loop and one pool of a single child for all tests that ask for nothing special."""
    with asyncio.Runner() as runner:
        pool = RendererPool(1, RenderLimits())
        yield runner, pool
        runner.run(pool.close())


@pytest.fixture
def with_pool(shared):
    """Runs `use(pool)`: with a pool and loop of its own where limits or children are named, else the shared ones."""

    def run(use, *, num_children=None, **limits):
        if num_children is None and not limits:
            return shared[0].run(use(shared[1]))

        async def main():
            pool = RendererPool(num_children or 1, RenderLimits(**limits))
            try:
                return await use(pool)
            finally:
                await pool.close()

        return asyncio.run(main())

    return run
