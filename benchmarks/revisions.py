"""What a new version of a long document costs, and whether search is right after it.

On two pages of a drawn paper a word is replaced, one page is inserted and one removed; another producer writes the
file, with other object numbers. The server is stopped in the middle of the second revision and started again.
Queries are sentences of the file itself: a hit is stale if it is of the earlier revision, or if PyMuPDF does not find
its words on the page that it names. `python -m benchmarks.revisions [--quick] [--json OUT]`
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import pymupdf

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.server import Running, server
from benchmarks.loads.papers import paper

DOCUMENT_ID = "manual"
NUM_QUERIES = 200
STOP_AFTER_SHARE = 0.3  # of the pages of the second revision
METRIC = re.compile(r'^ray_pagemill_search_chunk_vectors_total\{.*vector="(\w+)".*\} ([\d.e+]+)$', re.MULTILINE)
METRICS_WAIT_S = 60.0
WAIT_S = 3600.0


def main() -> int:
    args = parser_of(__doc__, quick="60 pages, not 500").parse_args()
    num_pages = 60 if args.quick else 500
    with tempfile.TemporaryDirectory(prefix="pagemill-revisions-") as name:
        folder = Path(name)
        before = paper(folder / "before.pdf", num_pages, 7)
        after, moved = revised(before, folder / "after.pdf")
        figures = measured(folder / "data", before, after, moved)
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "revisions", figures)
    return 0


def revised(before: Path, after: Path) -> tuple[Path, dict[int, int]]:
    """The new version, and where the pages that stayed are in it, by their numbers in the old one."""
    with pymupdf.open(before) as pdf:
        count = pdf.page_count
        changed, inserted_at, removed = (count // 5, count // 2), count // 3, (4 * count) // 5
        for number in changed:
            amend(pdf[number - 1])
        pdf.delete_page(removed - 1)
        page = pdf.new_page(inserted_at - 1, width=612, height=792)
        page.insert_text((54, 100), "An inserted page about lighthouses and their keepers.", fontsize=11)
        pdf.set_metadata({"producer": "another", "modDate": "D:20300101000000Z"})
        pdf.save(after, garbage=4, deflate=True)
    stayed = [number for number in range(1, count + 1) if number not in (*changed, removed)]
    return after, {n: n + (n >= inserted_at) - (n > removed) for n in stayed}


def amend(page: pymupdf.Page) -> None:
    """Another word in the place of one in the middle of the page."""
    words = page.get_text("words")
    page.add_redact_annot(pymupdf.Rect(words[len(words) // 2][:4]), text="amended", fontsize=8)
    page.apply_redactions()


def measured(data: Path, before: Path, after: Path, moved: dict[int, int]) -> dict[str, float]:
    """All figures, in one server that is stopped once."""
    with server(data) as running, client_of(running) as client:
        begun = time.perf_counter()
        first = ended(client, sent(client, before))
        first_s = time.perf_counter() - begun
        old_chunks = chunks(client)
        second_id = sent(client, after)
        until_page(client, second_id, round(STOP_AFTER_SHARE * len(first["pages"])))
    with server(data) as running, client_of(running) as client:
        second = ended(client, second_id)
        new_chunks = chunks(client)
        vectors = chunk_vectors(client, len(new_chunks))
        stale, misplaced = queried(client, after)
        third_begun = time.perf_counter()
        third = ended(client, sent(client, before))  # back to the first version: a revision that nothing interrupts
        third_s = time.perf_counter() - third_begun
        gone = client.get(f"/v1/documents/{DOCUMENT_ID}/pages/1/image", params={"revision": 1, "dpi": 36})
    stayed = [chunk for chunk in old_chunks if pages_of(chunk) <= moved.keys()]
    new_ids = {chunk["chunk_id"]: pages_of(chunk) for chunk in new_chunks}
    kept = [c for c in stayed if new_ids.get(c["chunk_id"]) == {moved[number] for number in pages_of(c)}]
    num_read = sum(page["reused_from"] is None for page in second["pages"])
    return {
        "pages": float(len(first["pages"])),
        "pages_read_share": num_read / len(first["pages"]),
        "chunks_embedded_share": vectors["new"] / len(old_chunks),
        "unaffected_ids_kept_share": len(kept) / len(stayed),
        "pages_succeeded_share": sum(page["status"] == "succeeded" for page in second["pages"]) / len(second["pages"]),
        "stale_hits": float(stale),
        "misplaced_hits": float(misplaced),
        "first_revision_s": first_s,
        "later_revision_s": third_s,
        "later_revision_read_share": sum(page["reused_from"] is None for page in third["pages"]) / len(third["pages"]),
        "old_picture_status": float(gone.status_code),
    }


def client_of(running: Running) -> httpx.Client:
    return httpx.Client(base_url=running.url, timeout=180, trust_env=False)


def sent(client: httpx.Client, file: Path) -> str:
    """The id of its job."""
    form = {"options": json.dumps({"document_id": DOCUMENT_ID})}
    content = {"file": ("manual.pdf", file.read_bytes())}
    return client.post("/v1/documents", files=content, data=form).raise_for_status().json()["id"]


def ended(client: httpx.Client, job_id: str) -> dict[str, Any]:
    """The job when it has ended. Raises RuntimeError if it has not succeeded."""
    until = time.monotonic() + WAIT_S
    job: dict[str, Any] = {"status": "queued"}
    while job["status"] in ("queued", "running") and time.monotonic() < until:  # each look waits at the server
        job = client.get(f"/v1/jobs/{job_id}", params={"wait": 60}).raise_for_status().json()
    if job["status"] != "succeeded":
        raise RuntimeError(f"{job_id} {job['status']}")
    return job


def until_page(client: httpx.Client, job_id: str, count: int) -> None:
    """Wait until so many pages of the job are done."""
    with client.stream("GET", f"/v1/jobs/{job_id}/events") as lines:
        for line in lines.iter_lines():
            count -= line == "event: page"
            if count <= 0:
                return


def chunks(client: httpx.Client) -> list[dict[str, Any]]:
    """All chunks of the document as search has them."""
    rows: list[dict[str, Any]] = []
    first: int | None = 0
    while first is not None:
        answer = client.get(f"/v1/documents/{DOCUMENT_ID}/chunks", params={"first": first, "limit": 1000})
        body = answer.raise_for_status().json()
        rows += body["chunks"]
        first = body["next"]
    return rows


def pages_of(chunk: dict[str, Any]) -> set[int]:
    return {place["page"] for place in chunk["boxes"]}


def chunk_vectors(client: httpx.Client, num_chunks: int) -> dict[str, float]:
    """Chunks that were indexed since the server started, by whether their vector is new; waits for the metrics."""
    until = time.monotonic() + METRICS_WAIT_S
    counts = {"new": 0.0, "kept": 0.0}
    while sum(counts.values()) < num_chunks and time.monotonic() < until:
        time.sleep(2)
        counts |= {kind: float(value) for kind, value in METRIC.findall(client.get("/metrics").text)}
    if sum(counts.values()) != num_chunks:
        raise RuntimeError(f"the metrics tell of {counts}, the index has {num_chunks} chunks")
    return counts


def queried(client: httpx.Client, file: Path) -> tuple[int, int]:
    """Hits of the earlier revision, and hits whose words are not on their page."""
    chance = random.Random(3)  # reproducible, not secret
    stale = misplaced = 0
    with pymupdf.open(file) as pdf:
        words = [{word[4] for word in page.get_text("words")} for page in pdf]
        texts = [page.get_text() for page in pdf.pages()]
        for _ in range(NUM_QUERIES):
            text = chance.choice(texts).split()
            start = chance.randrange(max(1, len(text) - 8))
            body = {"query": " ".join(text[start : start + 8]), "k": 10, "cache": "bypass"}
            for passage in client.post("/v1/query", json=body).raise_for_status().json()["passages"]:
                stale += passage["revision"] != 2
                own = {place["page"] for place in passage["boxes"]}
                printed = set[str]().union(*(words[number - 1] for number in own if number <= len(words)))
                misplaced += (
                    len(set(passage["text"].split()) - printed - {"|"}) > len(set(passage["text"].split())) // 3
                )
    return stale, misplaced


if __name__ == "__main__":
    sys.exit(main())
