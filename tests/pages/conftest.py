"""One pool of a single child and one pair of networks for all pages, which are read by their text layers."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.stage_clock import StageClock
from benchmarks.structure import read_pages
from configs.settings import Settings
from documents.exports.markdown import markdown
from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document

sys.path.insert(
    0, str(Path(__file__).parent)
)  # for accepted_pages: with importlib mode no folder of tests is on the path

Read = Callable[[Path], Document]


@pytest.fixture(scope="session")
def read() -> Iterator[Read]:
    """Reads the document of a file as the library does; a file is read once per session."""
    documents: dict[Path, Document] = {}
    with contextlib.ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        networks = PageNetworks.of(Settings())
        pool = RendererPool(1, RenderLimits())
        stack.callback(lambda: runner.run(pool.close()))

        def document_of(path: Path) -> Document:
            if path not in documents:
                documents[path] = runner.run(read_pages(path, pool, networks, StageClock()))
            return documents[path]

        yield document_of


@pytest.fixture(scope="session")
def read_markdown(read: Read) -> Callable[[Path], str]:
    """Reads the Markdown of a file."""
    return lambda path: markdown(read(path))
