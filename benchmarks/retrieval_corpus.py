"""The corpus as chunks, and what the benchmarks of retrieval have in common: their arguments, and what they need."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.library import read
from benchmarks.quality import listed
from benchmarks.server import ROOT
from configs.settings import Settings, checkpoint_path
from documents.detector import Detector
from documents.media import sniff
from documents.rendering.pool import RendererPool
from documents.values import Source
from retrieval.chunk import Chunk
from retrieval.chunker import chunk
from retrieval.embedder import Embedder
from retrieval.tokens import counter_for


@dataclass(frozen=True, slots=True)
class Corpus:
    """The chunks of each document by its file's name, and the model that embeds them."""

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
    return Corpus(asyncio.run(read_corpus(listed(folder, None), weights)), Embedder(weights))


async def read_corpus(paths: Sequence[Path], folder: Path) -> dict[str, list[Chunk]]:
    """The chunks of each document by its file's name, as a server without OCR would cut them."""
    detector, counter = Detector(checkpoint_path(Settings().layout.model)), counter_for(folder)
    pool = RendererPool(1)
    try:
        found: dict[str, list[Chunk]] = {}
        for path in paths:
            source = Source(path=str(path.resolve()), media_type=sniff(path.read_bytes()[:2048]) or "")
            document, _ = await read(source, path.name, pool, detector)
            found[path.name] = chunk(document, counter, counter.max_tokens)
        return found
    finally:
        await pool.close()
