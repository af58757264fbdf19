"""What one page or document costs what there is only one of: the owner of jobs, the writer of the index, the proxy."""

from __future__ import annotations

import asyncio
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np

from deployments.jobs.store.store import JobStore
from deployments.values.jobs import Options, Submission
from documents.boxes import BoundingBox
from documents.region_values import TextRegion
from documents.values import Opened, Page
from retrieval.chunking.chunk import Chunk, ChunkSpan
from retrieval.embedding.vectors import Vectors
from retrieval.index.index import Index

NUM_PAGES, NUM_DOCUMENTS, NUM_CHUNKS = 200, 40, 24
WIDTH = 384  # of a vector
CALLERS, CALLS = 8, 400
TEXT = "The harbour master keeps the log of ships that wait for the tide while lamps burn until morning. " * 3


def commit_s() -> float:
    """Seconds of the store's one thread for each page of a job: its row and its event, on this disk."""
    with tempfile.TemporaryDirectory(prefix="pm-") as folder:
        store = JobStore(f"sqlite:///{Path(folder) / 'jobs.sqlite'}", max_unfinished=10)
        store.acquire(60)
        submission = Submission(
            sha256="0" * 64, size=1, media_type="application/pdf", file_name="a.pdf", options=Options.model_validate({})
        )
        store.submit(submission)
        (plan,), _ = store.resume()
        numbers = range(1, NUM_PAGES + 1)
        store.begin(plan, Opened(num_pages=NUM_PAGES), numbers)
        begun = time.perf_counter()
        for number in numbers:
            store.note(plan, "reading", {"number": number})
            store.finish_page(plan, number, _page(number), {"layout_s": 0.1})
        seconds = time.perf_counter() - begun
        store.close()
    return seconds / NUM_PAGES


def index_commit_s() -> float:
    """Seconds of a table's one writer for each document."""
    return asyncio.run(_index_commit_s())


async def _index_commit_s() -> float:
    chance = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="pm-") as folder:
        index = await Index.open(folder)
        documents = [f"document {number}" for number in range(NUM_DOCUMENTS)]
        chunks = {name: [_chunk(name, at) for at in range(NUM_CHUNKS)] for name in documents}
        begun = time.perf_counter()
        for name in documents:
            vectors = Vectors(chance.normal(size=(NUM_CHUNKS, WIDTH)).astype(np.float32), "capacity")
            await index.replace(name, "default", 1, chunks[name], vectors)
        return (time.perf_counter() - begun) / NUM_DOCUMENTS


def request_s(url: str) -> float:
    """Seconds of the proxy and one ingress for each small request, when many come at once."""
    with httpx.Client(base_url=url, timeout=30, trust_env=False) as client, ThreadPoolExecutor(CALLERS) as callers:
        begun = time.perf_counter()
        for answer in callers.map(lambda _: client.get("/livez"), range(CALLS)):
            answer.raise_for_status()
        return (time.perf_counter() - begun) / CALLS


def _page(number: int) -> Page:
    box = BoundingBox(x0=72, y0=72, x1=520, y1=120)
    regions = tuple(
        TextRegion(kind="plain text", box=box, score=0.9, text=TEXT, text_source="text_layer", order=at)
        for at in range(8)
    )
    return Page(number=number, size=(595, 842), regions=regions)


def _chunk(name: str, at: int) -> Chunk:
    box = BoundingBox(x0=72, y0=72, x1=520, y1=120)
    spans = (ChunkSpan(page=1 + at // 2, box=box, text_start=0, text_end=len(TEXT)),)
    return Chunk(id=f"{name}:{at}", text=TEXT, heading_path=("Harbour",), spans=spans, num_tokens=60, kind="plain text")
