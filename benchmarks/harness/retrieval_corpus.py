"""The corpus as chunks, and what the benchmarks of retrieval have in common: their arguments, and what they need."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.library import read, source_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.server import ROOT
from benchmarks.quality import listed
from configs.settings import Settings
from documents.sandbox.renderer_pool import RendererPool
from retrieval.chunking.chunk import Chunk
from retrieval.chunking.chunk_size import counter_for
from retrieval.chunking.chunker import chunk
from retrieval.embedding.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Corpus:
    """The chunks of each document by its file's name, the model that embeds them, and the files."""

    paths: tuple[Path, ...]
    chunks: dict[str, list[Chunk]]
    model: Embedder


def arguments(description: str | None) -> argparse.ArgumentParser:
    """With `--quick`, `--corpus` and `--json`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--json", type=Path, dest="out")
    return parser


def load(folder: Path) -> Corpus | None:
    """The corpus in `folder`; None, and a line that says so, where it or the embedder's weights are not there."""
    weights = Embedder.find("all-MiniLM-L6-v2")
    if not folder.is_dir() or weights is None:
        print("needs the corpus and the weights of all-MiniLM-L6-v2")
        return None
    paths = tuple(listed(folder, None))
    return Corpus(paths, asyncio.run(read_corpus(paths, weights)), Embedder(weights))


async def read_corpus(paths: Sequence[Path], folder: Path) -> dict[str, list[Chunk]]:
    """The chunks of each document by its file's name."""
    async with reader(folder) as cut:
        return dict([await cut(path) for path in paths])


@contextlib.asynccontextmanager
async def reader(folder: Path) -> AsyncIterator[Callable[[Path], Awaitable[tuple[str, list[Chunk]]]]]:
    """Reads a file: its name, and its chunks as a server without OCR would cut them."""
    networks, counter = PageNetworks.of(Settings()), counter_for(folder)
    pool = RendererPool(1)

    async def cut(path: Path) -> tuple[str, list[Chunk]]:
        document, _ = await read(source_of(path), path.name, pool, networks)
        return path.name, await asyncio.to_thread(chunk, document, counter, counter.max_tokens)

    try:
        yield cut
    finally:
        await pool.close()
