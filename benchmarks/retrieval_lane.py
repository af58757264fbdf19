"""Does ingestion delay queries? Through a real server: the same questions while it is idle, and while it ingests.

`python -m benchmarks.retrieval_lane [--quick] [--json FILE]`
Each query is embedded and searched again (no cache). `embed` is what the query's lane in Embedder took, of the whole
that the client waited. Two cores that layout and parsing keep busy slow everything down: the lane is to keep `embed`
from waiting behind a document, so figures are beside ingestion and beside what one document's embedding takes.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pymupdf

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import DidNotStart, server
from benchmarks.truths.questions import questions

NUM_PAGES = 30  # of a document that is ingested meanwhile: some 100 chunks, one batch after the other
WAIT_S = 600


def main() -> int:
    parser = parser_of(__doc__, quick="two documents instead of six")
    args = parser.parse_args()
    texts = [question.question for question in questions()]
    with tempfile.TemporaryDirectory(prefix="pagemill-lane-") as folder:
        try:
            with server(Path(folder), "--search-cache", "false") as running:
                figures, rows = measure(running.url, texts, 2 if args.quick else 6)
        except DidNotStart as error:
            print(f"the server did not start; the end of its log:\n{error}")
            return 1
    print(report.table(rows))
    print(" ".join(f"{name}={value:.1f}" for name, value in figures.items()))
    if args.out:
        report.record(args.out, "retrieval_lane", figures, rows)
    return 0


def measure(url: str, texts: list[str], num_documents: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures in ms, and a row for each way."""
    with httpx.Client(base_url=url, timeout=WAIT_S, trust_env=False) as client:
        first = ingest(client, 0)
        print(f"one document of {NUM_PAGES} pages: {first['timings']}")
        for text in texts[:5]:  # the model is loaded by whoever asks first
            timed_query(client, text)
        rows = [queried("idle", client, texts, lambda: False)]
        done = threading.Event()

        def bulk() -> None:
            try:
                with httpx.Client(base_url=url, timeout=WAIT_S, trust_env=False) as other:
                    for number in range(1, num_documents + 1):
                        ingest(other, number)
            finally:
                done.set()

        thread = threading.Thread(target=bulk)
        thread.start()
        rows.append(queried("ingesting", client, texts, lambda: not done.is_set()))
        thread.join()
    figures = {f"{name}_{row['server']}": row[name] for row in rows for name in row if name.endswith("_ms")}
    return figures, rows


def queried(name: str, client: httpx.Client, texts: list[str], more: Callable[[], bool]) -> dict[str, Any]:
    """All questions once, and again as long as there is `more`."""
    latencies: list[tuple[float, float]] = [timed_query(client, text) for text in texts]
    while more():
        latencies += [timed_query(client, text) for text in texts[:10]]
    whole, embedding = (np.array(column) * 1000 for column in zip(*latencies, strict=True))
    row: dict[str, Any] = {"server": name, "queries": len(latencies)}
    for what, values in (("query", whole), ("embed", embedding)):
        row |= {f"{what}_p{at}_ms": float(np.quantile(values, at / 100)) for at in (50, 95)}
    return row


def timed_query(client: httpx.Client, text: str) -> tuple[float, float]:
    """Seconds that the client waited, and those of them that went into the vector."""
    begun = time.perf_counter()
    answer = client.post("/v1/query", json={"query": text, "k": 5}).raise_for_status().json()
    return time.perf_counter() - begun, answer["timings"].get("embed_s", 0.0)


def ingest(client: httpx.Client, number: int) -> dict[str, Any]:
    """The job of a document when it has ended; every document has other words."""
    with pymupdf.open() as document:
        for page in range(NUM_PAGES):
            lines = [f"Note {number}-{page}-{line}: {questions()[line % 60].passage}" for line in range(40)]
            document.new_page().insert_textbox((50, 50, 545, 790), "\n".join(lines), fontsize=9)
        content: bytes = document.tobytes()
    answer = client.post("/v1/documents", params={"wait": 120}, files={"file": ("a.pdf", content)})
    job = answer.raise_for_status().json()
    while job["status"] in ("queued", "running"):
        job = client.get(f"/v1/jobs/{job['id']}", params={"wait": 120}).json()
    assert job["status"] == "succeeded", job
    return job


if __name__ == "__main__":
    sys.exit(main())
