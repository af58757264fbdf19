"""The same chunks in one table and in several: are the hits the same in the same order, and how much more do they cost?

`state`: `compacted`; `new`: as they were written, in no full-text index yet; `some new`: compacted, but for the last
commits, as many as an index has before it is compacted again.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from lancedb.expr import Expr

from benchmarks.harness.retrieval_scale import SPREAD, made, moved
from benchmarks.truths.questions import Question, questions, rank, scores
from deployments.values.shards import possible_shards
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.vectors import Vectors
from retrieval.index.hits import TEXT_ORDER, Row, best_rows
from retrieval.index.maintenance import tidy
from retrieval.index.sharded_index import ShardedIndex
from retrieval.search.passage import Passage
from retrieval.search.query import Mode, Query
from retrieval.search.search import Searcher

MODES: tuple[Mode, ...] = ("full_text", "vector", "hybrid")
NUM_HITS = 10
NUM_CHUNKS = 10_000
PER_DOCUMENT = 100
NUM_NEIGHBOURS = 12  # real chunks that those of a synthetic document are made of: a document is about few things
UNTIDIED_COMMITS = 19  # one fewer than `index.tidy_commits`
Documents = Sequence[tuple[str, Sequence[Chunk], Vectors]]


class SeparateCounts(ShardedIndex):
    """Each table scores by its own counts."""

    async def by_text(self, text: str, where: Expr | None, limit: int) -> list[Row]:
        return await best_rows(await self._each(lambda shard: shard.text_hits(text, where, limit)), TEXT_ORDER, limit)


@dataclass(frozen=True, slots=True)
class Timed:
    """The hits of each question, and what they took."""

    passages: list[tuple[Passage, ...]]
    wall_s: list[float]
    processor_s: list[float]


async def measure(
    chunks: Mapping[str, Sequence[Chunk]], model: Embedder, shards: Sequence[int]
) -> list[dict[str, Any]]:
    """A row per collection, state, number of tables and mode; the others are compared to the first of `shards`."""
    corpus = [(name, cut, model.embed([one.embedding_text for one in cut])) for name, cut in chunks.items() if cut]
    truths = questions()
    question_vectors = [model.embed([question.question], "query") for question in truths]
    many = synthetic(corpus)
    rows: list[dict[str, Any]] = []
    for name, documents, state in (
        ("corpus", corpus, "compacted"),
        ("corpus", corpus, "new"),
        ("synthetic", many, "compacted"),
        ("synthetic", many, "some new"),
    ):
        judged = truths if name == "corpus" else []
        rows += [
            {"collection": name, "chunks": sum(len(cut) for _, cut, _ in documents), "state": state, **row}
            for row in await _compared(documents, state, shards, truths, question_vectors, judged)
        ]
    return rows


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How many questions have the same ten hits in the same order as in one table, and the costs beside it."""
    named: dict[str, float] = {}
    for row in rows:
        counts = "_own_counts" if "own" in row["tables"] else ""
        name = (
            f"{row['mode']}_{row['collection']}_{row['state'].replace(' ', '_')}_{row['tables'].split(',')[0]}{counts}"
        )
        named[f"same_order_{name}"] = row["same_order"]
        named[f"processor_ratio_{name}"] = row["processor_ratio"]
        named[f"p50_ratio_{name}"] = row["p50_ratio"]
        named[f"p95_ratio_{name}"] = row["p95_ratio"]
    return named


def synthetic(corpus: Documents) -> Documents:
    """Documents whose chunks are made of sentences and vectors of a few neighbouring real ones."""
    real = [chunk for _, cut, _ in corpus for chunk in cut]
    values = np.concatenate([vectors.values for _, _, vectors in corpus])
    noise, pick = np.random.default_rng(1), random.Random(1)
    documents: list[tuple[str, Sequence[Chunk], Vectors]] = []
    for start in range(0, NUM_CHUNKS, PER_DOCUMENT):
        name = f"document{start:07d}"
        first = noise.integers(0, len(real))
        origin = (first + noise.integers(0, NUM_NEIGHBOURS, PER_DOCUMENT)) % len(real)
        cut = [made(name, k, real, origin[k], pick) for k in range(PER_DOCUMENT)]
        documents.append((name, cut, Vectors(moved(values[origin], SPREAD, noise), corpus[0][2].embedder)))
    return documents


async def _compared(
    documents: Documents,
    state: str,
    shards: Sequence[int],
    truths: Sequence[Question],
    question_vectors: Sequence[Vectors],
    judged: Sequence[Question],
) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="pagemill-shards-") as folder:
        indices = {f"{count}": await _filled(f"{folder}/{count}", count, documents, state) for count in shards}
        opened = list(indices.values())
        indices |= {f"{count}, own counts": SeparateCounts(indices[f"{count}"].shards) for count in shards if count > 1}
        rows: list[dict[str, Any]] = []
        for mode in MODES:
            timed = await _timed(indices, mode, truths, question_vectors)
            first = timed[f"{shards[0]}"]
            for tables, run in timed.items():
                row = {"tables": tables, "mode": mode, **_sameness(first, run), **_costs(first, run)}
                ranks = [rank(question, hits) for question, hits in zip(judged, run.passages, strict=False)]
                rows.append(row | (scores(ranks) if ranks else dict.fromkeys(("hit1", "hit5", "mrr"))))
        for index in opened:
            await index.close()
        return rows


async def _filled(folder: str, num_shards: int, documents: Documents, state: str) -> ShardedIndex:
    index = await ShardedIndex.open(folder, num_shards=num_shards)
    num_tidied = {"compacted": len(documents), "some new": len(documents) - UNTIDIED_COMMITS, "new": 0}[state]
    for number, (name, cut, vectors) in enumerate(documents, start=1):
        shard = index.shards[possible_shards("default", name, num_shards)[0]]
        await shard.replace(name, "default", 1, list(cut), vectors)
        if number == num_tidied:
            for table in index.shards:
                await tidy(table)
    return index


async def _timed(
    indices: Mapping[str, ShardedIndex], mode: Mode, truths: Sequence[Question], question_vectors: Sequence[Vectors]
) -> dict[str, Timed]:
    """Each question to each index in turn, twice: a busy machine favours none, and the first time only warms up."""
    runs = {name: Timed([], [], []) for name in indices}
    searchers = {name: Searcher(index) for name, index in indices.items()}
    for is_measured in (False, True):
        for question, vectors in zip(truths, question_vectors, strict=True):
            for name, searcher in searchers.items():
                wall, processor = time.perf_counter(), time.process_time()
                result = await searcher.search(Query(text=question.question, mode=mode, k=NUM_HITS), vectors)
                if is_measured:
                    runs[name].passages.append(result.passages)
                    runs[name].wall_s.append(time.perf_counter() - wall)
                    runs[name].processor_s.append(time.process_time() - processor)
                await asyncio.sleep(0)
    return runs


def _sameness(first: Timed, run: Timed) -> dict[str, int]:
    """In how many questions the best hits are the same in the same order, and in any."""
    pairs = [
        ([hit.chunk_id for hit in one], [hit.chunk_id for hit in other])
        for one, other in zip(first.passages, run.passages, strict=True)
    ]
    return {
        "questions": len(pairs),
        "same_order": sum(one == other for one, other in pairs),
        "same_hits": sum(set(one) == set(other) for one, other in pairs),
    }


def _costs(first: Timed, run: Timed) -> dict[str, float]:
    p50, p95 = np.quantile(run.wall_s, [0.5, 0.95])
    first_p50, first_p95 = np.quantile(first.wall_s, [0.5, 0.95])
    return {
        "p50_ms": float(p50 * 1000),
        "p95_ms": float(p95 * 1000),
        "p50_ratio": float(p50 / first_p50),
        "p95_ratio": float(p95 / first_p95),
        "processor_ms": float(np.mean(run.processor_s) * 1000),
        "processor_ratio": float(np.mean(run.processor_s) / np.mean(first.processor_s)),
    }
