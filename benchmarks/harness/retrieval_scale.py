"""An index of many chunks: how fast it fills and answers, and how much of what is nearest its vector index finds."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.truths.questions import questions
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index
from retrieval.index.maintenance import MIN_VECTOR_ROWS, tidy
from retrieval.search.query import Query
from retrieval.search.search import Searcher

PER_DOCUMENT = 5_000  # chunks of one commit
SPREAD = 0.6  # length of the noise that is added to a true vector: neighbours of one passage stay nearer than others
NEAR = 0.2  # the same for queries


async def measure(
    chunks: Mapping[str, Sequence[Chunk]], model: Embedder, sizes: Sequence[int], num_queries: int
) -> list[dict[str, Any]]:
    """A row for each number of chunks; `recall10` where a vector index was built."""
    real = [chunk for cut in chunks.values() for chunk in cut]
    vectors = model.embed([chunk.embedding_text for chunk in real])
    question_texts = [question.question for question in questions()]
    near = model.embed(question_texts, "query").values
    noise = np.random.default_rng(0)
    queries = [(text, moved(near[k : k + 1], NEAR, noise)) for k, text in enumerate(question_texts)]
    repeated = [queries[k % len(queries)] for k in range(num_queries)]
    return [await _measured(real, vectors, size, repeated) for size in sizes]


async def _measured(
    real: Sequence[Chunk], vectors: Vectors, size: int, queries: Sequence[tuple[str, np.ndarray]]
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pagemill-retrieval-") as folder:
        index = await Index.open(folder)
        add_s, matrix, keys = 0.0, [], []
        noise, pick = np.random.default_rng(1), random.Random(1)
        for start in range(0, size, PER_DOCUMENT):
            name, count = f"document{start:07d}", min(PER_DOCUMENT, size - start)
            origin = noise.integers(0, len(real), count)
            synthetic = [made(name, k, real, origin[k], pick) for k in range(count)]
            values = moved(vectors.values[origin], SPREAD, noise)
            begun = time.perf_counter()
            await index.replace(name, "default", 1, synthetic, Vectors(values, vectors.embedder))
            add_s += time.perf_counter() - begun
            matrix.append(values)
            keys += [chunk.id for chunk in synthetic]
        begun = time.perf_counter()
        await tidy(index)
        row = {"rows": size, "add_rows_s": size / add_s, "tidy_s": time.perf_counter() - begun}
        searcher, seconds = Searcher(index), []
        for text, vector in queries:
            begun = time.perf_counter()
            await searcher.search(Query(text=text, k=10), Vectors(vector, vectors.embedder))
            seconds.append(time.perf_counter() - begun)
        p50, p95 = np.quantile(seconds, [0.5, 0.95]) * 1000
        row |= {"p50_ms": float(p50), "p95_ms": float(p95), "recall10": None}
        if size >= MIN_VECTOR_ROWS:
            row["recall10"] = await _recall(
                index, np.concatenate(matrix), keys, {vector.tobytes(): vector for _, vector in queries}
            )
        await index.close()
        return row


async def _recall(index: Index, matrix: np.ndarray, keys: Sequence[str], queries: Mapping[bytes, np.ndarray]) -> float:
    """The share of the ten nearest by a matrix product that the index finds."""
    num_found = 0
    for vector in queries.values():
        nearest = {keys[k] for k in np.argpartition(-(matrix @ vector[0]), 10)[:10]}
        num_found += len(nearest & {row["chunk_id"] for row in await index.by_vector(vector[0], None, 10)})
    return num_found / (10 * len(queries))


def moved(vectors: np.ndarray, by: float, noise: np.random.Generator) -> np.ndarray:
    """Each vector with noise of length `by` added, of length one again."""
    step = noise.normal(size=vectors.shape)
    step *= by / np.linalg.norm(step, axis=1, keepdims=True)
    moved = vectors + step
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


def made(name: str, ordinal: int, real: Sequence[Chunk], origin: int, pick: random.Random) -> Chunk:
    """A chunk with some sentences of a real one and some of another."""
    one, other = real[origin].text.split(". "), pick.choice(real).text.split(". ")
    text = ". ".join([*pick.sample(one, -(-len(one) // 2)), *pick.sample(other, len(other) // 2)])
    return real[origin].model_copy(update={"id": f"{name}:{ordinal}", "text": text})
