"""One data folder, two lives of the server: what was begun goes on, and what must be forgotten is nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import httpx_sse
import pytest

from benchmarks.harness.server import server
from configs.api_keys import new_key
from tests.serve.files import pdf

pytestmark = [pytest.mark.serve, pytest.mark.slow]

NUM_PAGES = 6
PASSWORD = "sesame-of-the-harbour"


def test_a_stopped_server_goes_on_with_the_next_page_and_keeps_no_secret(tmp_path: Path) -> None:
    """Guards against work that is lost or done twice, streams that begin again, and secrets in logs or database."""
    key, key_hash = new_key()
    keys = tmp_path / "keys.yaml"
    keys.write_text(json.dumps({"keys": [{"name": "ann", "sha256": key_hash, "roles": ["admin"]}]}), encoding="utf-8")
    options = ("--keys-file", str(keys), "--limits-max-pages-in-flight", "1")
    with server(tmp_path / "data", *options) as running, _client(running.url, key) as client:
        upload_options = {"text_source": "ocr", "password": PASSWORD}
        files = {"file": ("a.pdf", pdf(NUM_PAGES, password=PASSWORD, repeats=3))}
        job = client.post("/v1/documents", files=files, data={"options": json.dumps(upload_options)}).json()
        first = _events(client, job, until="page")
    with server(tmp_path / "data", *options) as running, _client(running.url, key) as client:
        then = _events(client, job, after=first[-1][0])
        ended = client.get(job["links"]["self"]).json()
        pages = client.get(job["links"]["result"], params={"format": "json"}).json()["pages"]
    assert ended["status"] == "succeeded"
    assert [page["number"] for page in pages] == list(range(1, NUM_PAGES + 1))
    assert then[0][0] > first[-1][0]
    done = [body["number"] for _, kind, body in (*first, *then) if kind == "page"]
    assert sorted(done) == list(range(1, NUM_PAGES + 1)), "each page once, over both lives"
    assert _holding(tmp_path / "data", PASSWORD) == []
    assert _holding(tmp_path / "data", key) == []


def _client(url: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=200, trust_env=False, headers={"X-API-Key": key})


def _events(
    client: httpx.Client, job: dict[str, Any], *, after: int = 0, until: str | None = None
) -> list[tuple[int, str, dict]]:
    """What is told of the job since `after`, to its end or to the first of a kind."""
    events: list[tuple[int, str, dict]] = []
    with client.stream("GET", job["links"]["events"], headers={"Last-Event-ID": str(after)}) as answer:
        for event in httpx_sse.EventSource(answer).iter_sse():
            if event.id and event.data:
                events.append((int(event.id), event.event, json.loads(event.data)))
                if event.event == until:
                    break
    return events


def _holding(folder: Path, secret: str) -> list[Path]:
    """The files in which the secret is to be read."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path in files if secret.encode() in path.read_bytes()]
