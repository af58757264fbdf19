"""Reads pages as the library does, by their text layers, in one process and without a server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.stage_clock import StageClock
from benchmarks.structure import read_pages
from configs.settings import Settings
from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document


@contextlib.contextmanager
def page_reader() -> Iterator[Callable[[Path], Document]]:
    """A pool of a single child and the two networks, for as many files as come; a file is read once."""
    documents: dict[Path, Document] = {}
    with contextlib.ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        networks = PageNetworks.of(Settings())
        pool = RendererPool(1, RenderLimits())
        stack.callback(lambda: runner.run(pool.close()))

        def read(path: Path) -> Document:
            if path not in documents:
                documents[path] = runner.run(read_pages(path, pool, networks, StageClock()))
            return documents[path]

        yield read
