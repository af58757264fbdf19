"""Do the cache, prefetching of queries and the prefetching loader help? Sessions over the corpus.

`python -m benchmarks.retrieval_cache [--quick] [--loader] [--json FILE] [--corpus FOLDER]`
Workload: sessions of five turns, one after the other. A session reads one document (their popularity is Zipf 1.0) and
asks its questions in their order; three turns in ten jump to any question, one in four is put in other words where
benchmarks/pairs.json has some. One turn in a hundred is a commit, which empties the cache.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import report, retrieval_loader
from benchmarks.harness.retrieval_corpus import arguments, load
from benchmarks.truths.questions import questions
from documents.boxes import BoundingBox
from retrieval.chunking.chunk import Chunk, ChunkSpan
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from retrieval.search.query import Query
from retrieval.search.query_cache import RetrievalCache
from retrieval.search.retriever import Retriever

PAIRS = Path(__file__).with_name("pairs.json")
TURNS, COMMIT_EVERY = 5, 100


@dataclass(frozen=True, slots=True)
class Turn:
    """One query of a session; `meaning` is the question that it puts in some words."""

    session: str
    text: str
    meaning: str


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--loader", action="store_true", help="only what reading ahead gains")
    args = parser.parse_args()
    corpus = load(args.corpus)
    if corpus is None:
        return 1
    chunks, model = corpus.chunks, corpus.model
    what = {"paths": corpus.paths, "num_files": 12 if args.quick else 40}
    if args.loader:
        result = asyncio.run(loader_alone(chunks, model, **what))
        print(" ".join(f"{name}={value:.3f}" for name, value in result.items()))
        if args.out:
            report.record(args.out, "retrieval_loader", result, [])
        return 0
    turns = workload(60 if args.quick else 300)
    figures, rows = asyncio.run(measure(chunks, model, turns, **what))
    print(report.table(rows))
    print(" ".join(f"{name}={value:.3f}" for name, value in figures.items()))
    if args.out:
        report.record(args.out, "retrieval_cache", figures, rows)
    return 0


def workload(num_sessions: int) -> list[Turn]:
    """The turns of all sessions, the same at every call."""
    chance = random.Random(8)
    texts_by_user: dict[str, list[str]] = {}
    for question in questions():
        texts_by_user.setdefault(question.documents[0], []).append(question.question)
    others: dict[str, list[str]] = {}
    for question, other in json.loads(PAIRS.read_text(encoding="utf-8"))["paraphrases"]:
        others.setdefault(question, []).append(other)
    names = list(texts_by_user)
    popularity = [1 / (place + 1) for place in range(len(names))]
    turns: list[Turn] = []
    for session in range(num_sessions):
        (name,) = chance.choices(names, popularity)
        for turn in range(TURNS):
            meaning = texts_by_user[name][turn % len(texts_by_user[name])]
            if chance.random() < 0.3:
                meaning = chance.choice(texts_by_user[chance.choice(names)])
            rephrased = meaning in others and chance.random() < 0.25
            turns.append(Turn(f"session{session}", chance.choice(others[meaning]) if rephrased else meaning, meaning))
    return turns


async def measure(
    chunks: Mapping[str, Sequence[Chunk]], model: Embedder, turns: Sequence[Turn], **what: Any
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each way to serve the sessions."""
    ways: dict[str, dict[str, Any]] = {
        "none": {},
        "exact": {"cache": RetrievalCache()},
    }
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    async with filled(chunks, model) as index:
        for name, way in ways.items():
            row = {"way": name} | await served(index, model, turns, **way)
            rows.append(row)
            figures |= {f"{figure}_{name}": float(value) for figure, value in row.items() if figure != "way"}
        figures |= await retrieval_loader.measured(index, model, **what)
    return figures | prefetched(model, [turn.text for turn in turns]), rows


@contextlib.asynccontextmanager
async def filled(chunks: Mapping[str, Sequence[Chunk]], model: Embedder) -> AsyncIterator[Index]:
    """An index of the corpus, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="pagemill-cache-") as folder:
        index = await Index.open(folder)
        for name, cut in chunks.items():
            if cut:
                vectors = model.embed([chunk.embedding_text for chunk in cut])
                await index.replace(name, "default", 1, list(cut), vectors)
        yield index
        await index.close()


async def loader_alone(chunks: Mapping[str, Sequence[Chunk]], model: Embedder, **what: Any) -> dict[str, float]:
    """See `retrieval_loader`."""
    async with filled(chunks, model) as index:
        return await retrieval_loader.measured(index, model, **what)


async def served(index: Index, model: Embedder, turns: Sequence[Turn], **way: Any) -> dict[str, Any]:
    """Latency and hits of the sessions."""
    embedded = 0

    async def embed(text: str) -> Vectors:
        nonlocal embedded
        embedded += 1
        return await asyncio.to_thread(model.embed, [text], "query")

    retriever = Retriever(index, embed, **way)
    seconds: list[float] = []
    num_hits = 0
    for number, turn in enumerate(turns):
        if number % COMMIT_EVERY == COMMIT_EVERY - 1:
            await index.replace("another", "default", number, _commit(number), None)
        begun = time.perf_counter()
        passages = await retriever.retrieve(Query(text=turn.text, k=5, namespace="default"))
        seconds.append(time.perf_counter() - begun)
        num_hits += passages.cache.tier == "exact"
    p50, p95 = np.quantile(seconds, [0.5, 0.95]) * 1000
    return {
        "hit_rate": num_hits / len(turns),
        "mean_ms": 1000 * float(np.mean(seconds)),
        "p50_ms": float(p50),
        "p95_ms": float(p95),
        "embeddings": embedded / len(turns),
    }


def prefetched(model: Embedder, texts: Sequence[str]) -> dict[str, float]:
    """Queries a second that are embedded eight at once, and one by one."""
    prefetched_texts = list(texts[:160])
    rates: dict[str, float] = {}
    for name, size in (("one", 1), ("eight", 8), ("one_again", 1), ("eight_again", 8)):
        begun = time.perf_counter()
        for start in range(0, len(prefetched_texts), size):
            model.embed(prefetched_texts[start : start + size], "query")
        rates[name] = len(prefetched_texts) / (time.perf_counter() - begun)
    one, eight = (max(rates[name], rates[f"{name}_again"]) for name in ("one", "eight"))
    return {"queries_s_one": one, "queries_s_prefetch_8": eight, "prefetch_gain": eight / one}


def _commit(number: int) -> list[Chunk]:
    text = f"A note of turn {number}."
    span = ChunkSpan(page=1, box=BoundingBox(x0=0, y0=0, x1=9, y1=9), text_start=0, text_end=len(text))
    return [Chunk(id="another:0", text=text, heading_path=(), spans=(span,), num_tokens=9, kind="plain text")]


if __name__ == "__main__":
    sys.exit(main())
