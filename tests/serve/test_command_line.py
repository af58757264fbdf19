"""The command line and the client against the real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness.server import Running
from pagemill import Client
from tests.serve.files import LINES, pdf, png

pytestmark = pytest.mark.serve
NAMES = tuple(f"book-{number}" for number in range(4))


def command(running: Running, *arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pagemill", *map(str, arguments)],
        env=os.environ | {"PAGEMILL_URL": running.url} | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_ingestion_that_is_killed_goes_on_and_what_it_read_is_found(running: Running, tmp_path: Path) -> None:
    """Guards against documents that a killed command loses, or has read twice."""
    for number, name in enumerate(NAMES):
        (tmp_path / f"{name}.pdf").write_bytes(pdf(6, title=f"The command line, volume {number}"))
    out = tmp_path / "out"
    arguments = ("ingest", tmp_path / "book-*.pdf", "--out", out, "--concurrency", "2")
    killed = command(running, *arguments)
    assert killed.stderr is not None
    assert killed.stderr.readline().startswith("done book-")
    killed.kill()
    killed.communicate()
    again = command(running, *arguments)
    _, lines = again.communicate()
    assert (again.returncode, "done before" in lines) == (0, True), lines
    assert {path.stem for path in out.glob("*.md")} == set(NAMES)
    assert all(LINES[0] in " ".join(path.read_text().split()) for path in out.glob("*.md"))
    with Client(running.url) as client:
        ours = [job for job in client.jobs() if job.file_name.startswith("book-")]
        assert sorted(job.file_name for job in ours) == [f"{name}.pdf" for name in NAMES]
        events = list(client.events(ours[0].id))
        assert [event.kind for event in events].count("page") == 6
        assert list(client.events(ours[0].id, after=events[3].id)) == events[4:]
        assert client.result(ours[0].id, "chunks").chunks()[0].spans[0].page == 1
    process = command(running, "query", "command line volume 2", "--out", out, "--json")
    output, _ = process.communicate()
    links = [passage["link"] for passage in json.loads(output)["passages"]]  # the volumes differ by one figure alone
    assert any("book-2.pdf#page=" in link for link in links), links


def test_a_scan_on_a_terminal_shows_how_many_of_its_regions_are_read(running: Running, tmp_path: Path) -> None:
    """Guards against a bar that stands at no page of one while the server knows how far the reading is."""
    (tmp_path / "long.png").write_bytes(png(title="Regions by and by", repeats=13))
    process = command(running, "ingest", tmp_path / "long.png", "--out", tmp_path / "out", env={"FORCE_COLOR": "1"})
    _, shown = process.communicate()
    counts = re.findall(r"reading, (\d+) of (\d+) regions?", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown))
    assert process.returncode == 0, shown
    assert counts, shown
    assert all(int(num_read) <= int(num_to_read) for num_read, num_to_read in counts)
    assert [int(num_read) for num_read, _ in counts] == sorted(int(num_read) for num_read, _ in counts)
