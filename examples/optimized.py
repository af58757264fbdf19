"""Retrieval as a library, without Ray: a folder of text files, chunked, embedded, indexed and asked; one switch.

`python -m examples.optimized FOLDER "a question" ["another"] [--plain] [--index URI]`
Without `--plain` files are read ahead while others are embedded, queries are embedded as one batch, and results are
kept; with it none of that is done, and all is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import time
from pathlib import Path

from configs.settings import SearchSettings
from documents.boxes import BoundingBox
from documents.region_values import Region, Span, TextRegion
from documents.values import Document, Page
from retrieval.chunking.chunk import Chunk
from retrieval.chunking.chunk_size import counter_for
from retrieval.chunking.chunker import chunk
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.prefetch import prefetched
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from retrieval.search.query import Query
from retrieval.search.query_cache import RetrievalCache
from retrieval.search.retriever import Retriever

WIDTH, LINE = 600.0, 12.0  # points of a page of plain text, and of a line on it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", nargs="+")
    parser.add_argument("--plain", action="store_true", help="with none of the optimisations")
    parser.add_argument("--index", default="data/example-index")
    args = parser.parse_args()
    asyncio.run(use(sorted(args.folder.glob("*.txt")), args.questions, args.index, optimized=not args.plain))


async def use(files: list[Path], questions: list[str], uri: str, *, optimized: bool) -> list[str]:
    """Index the files of plain text, ask, print; returns the ids of the best passages."""
    search = SearchSettings(optimized=optimized)
    weights = Embedder.find("all-MiniLM-L6-v2")
    model = None if weights is None else Embedder(weights)
    counter, index = counter_for(weights), await Index.open(uri)

    async def read(path: Path) -> tuple[str, list[Chunk]]:
        document = await asyncio.to_thread(document_of, path)
        return path.name, await asyncio.to_thread(chunk, document, counter, counter.max_tokens)

    begun = time.perf_counter()
    async with contextlib.aclosing(prefetched(files, read, search.ahead)) as loaded:
        async for name, chunks in loaded:
            texts = [piece.embedding_text for piece in chunks]
            vectors = None if model is None else await asyncio.to_thread(model.embed, texts)
            await index.replace(name, "default", time.time_ns(), chunks, vectors)
    print(f"{await index.count()} chunks after {time.perf_counter() - begun:.2f} s")

    cached_vectors: dict[str, Vectors] = {}
    if model is not None and search.prefetches:
        together = await asyncio.to_thread(model.embed, questions, "query")
        cached_vectors = {text: Vectors(together.values[k : k + 1], model.id) for k, text in enumerate(questions)}

    async def embed(text: str) -> Vectors | None:
        return cached_vectors.get(text) or (
            None if model is None else await asyncio.to_thread(model.embed, [text], "query")
        )

    cache = RetrievalCache(search.cache_entries) if search.caches else None
    retriever, best = Retriever(index, embed, cache=cache), list[str]()
    for question in questions:
        retrieved = await retriever.retrieve(Query(text=question, k=1))
        for hit in retrieved.result.passages:
            print(f"{question}\n  {hit.document_id}, page {hit.page} [{retrieved.cache.tier}]: {hit.text[:100]!r}")
            best.append(hit.chunk_id)
    await index.close()
    return best


def document_of(path: Path) -> Document:
    """A text file as a document of one page, a region a paragraph, a span a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    regions: list[Region] = []
    spans: list[Span] = []
    for number, line in enumerate([*lines, ""]):
        if line.strip():
            box = BoundingBox(x0=0, y0=LINE * number, x1=WIDTH, y1=LINE * (number + 1))
            spans.append(Span(text=line, box=box, source="text_layer"))
        elif spans:
            box = BoundingBox(x0=0, y0=spans[0].box.y0, x1=WIDTH, y1=spans[-1].box.y1)
            text = "\n".join(span.text for span in spans)
            regions.append(
                TextRegion(kind="plain text", box=box, score=1, spans=tuple(spans), text=text, text_source="text_layer",
                       order=len(regions))
            )  # fmt: skip
            spans = []
    page = Page(number=1, size=(WIDTH, LINE * max(1, len(lines))), rotation=0, regions=tuple(regions))
    return Document(id=path.name, revision=1, pages=(page,))


if __name__ == "__main__":
    main()
