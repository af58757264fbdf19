"""`benchmarks.docling_serve`: what the stand-in passes on, and what is read of pytest's report."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from benchmarks.docling_serve import rows_of
from benchmarks.peers.docling_serve_app import create_app


class _Echo(BaseHTTPRequestHandler):
    """Answers 418 with the method, the path and the body."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        content = f"{self.command} {self.path} {self.headers['X-Api-Key']} ".encode() + body
        self.send_response(418)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class calls it so
        pass


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PAGEMILL_URL", f"http://127.0.0.1:{server.server_port}")
        yield
        server.shutdown()


def test_the_stand_in_passes_requests_and_answers_on_unchanged(echo: None) -> None:
    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app=create_app())
        async with httpx.AsyncClient(transport=transport, base_url="http://app.io") as client:
            return await client.post("/v1/a?b=c%20d", content=b"\0file", headers={"X-Api-Key": "key"})

    answer = asyncio.run(post())
    assert (answer.status_code, answer.content) == (418, b"POST /v1/a?b=c%20d key \0file")


def test_a_test_that_failed_or_was_skipped_has_not_passed(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        """<testsuites><testsuite><testcase classname="tests.test_a" name="good"/>
        <testcase classname="tests.test_a" name="bad"><failure message="assert 1 == 2&#10;more"/></testcase>
        <testcase classname="tests.test_a" name="late"><error message="setup"/></testcase>
        <testcase classname="tests.test_a" name="none"><skipped message="no file"/></testcase>
        </testsuite></testsuites>"""
    )
    assert [(row["test"], row["outcome"], row["why"]) for row in rows_of(report)] == [
        ("test_a::good", "passed", ""),
        ("test_a::bad", "failure", "assert 1 == 2"),
        ("test_a::late", "error", "setup"),
        ("test_a::none", "skipped", "no file"),
    ]
