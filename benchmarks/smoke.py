"""Does the whole graph work here: a server on a free port, three documents, a table; exit code 1 if one fails."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness.report import table
from benchmarks.harness.server import ROOT, DidNotStart, server

WAIT_S = 120
CORPUS = ROOT.parent / "shared" / "corpus" / "pages"
OF_CORPUS = ("real_two_column_lorem.pdf", "order_sidebar.pdf", "scan_150dpi.pdf")


def documents() -> list[Path]:
    """Three of the corpus where it is, else our own."""
    paths = [CORPUS / name for name in OF_CORPUS]
    if all(path.exists() for path in paths):
        return paths
    return sorted(path for path in (ROOT / "tests" / "data").iterdir() if path.suffix in (".pdf", ".png"))[:3]


def ingest(client: httpx.Client, path: Path, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """The job of a document when it has ended, or the problem document that answers it."""
    form = {"options": json.dumps(options or {})}
    with path.open("rb") as content:
        answer = client.post("/v1/documents", params={"wait": WAIT_S}, files={"file": (path.name, content)}, data=form)
    return answer.json()


def main() -> int:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="pagemill-smoke-") as folder:
        try:
            with server(Path(folder)) as running:
                print(f"ready at {running.url} after {running.seconds:.0f} s")
                with httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False) as client:
                    rows = [_row(client, path) for path in documents()]
        except DidNotStart as error:
            print(f"the server did not start; the end of its log:\n{error}")
            return 1
    print(table(rows))
    return 0 if all(row["status"] == "succeeded" and row["characters"] for row in rows) else 1


def _row(client: httpx.Client, path: Path) -> dict[str, Any]:
    job = ingest(client, path)
    text = client.get(job["links"]["result"], params={"format": "text"}).text if "links" in job else ""
    pages = job.get("pages", [])
    return {
        "document": path.name,
        "status": job.get("status"),
        "pages": len(pages),
        "source": ", ".join(sorted({str(page["text_source"]) for page in pages})) or "-",
        "characters": len(text),
        "seconds": job.get("timings", {}).get("total_s"),
    }


if __name__ == "__main__":
    sys.exit(main())
