"""`pagemill query`, `jobs` and `cancel`."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console

from pagemill import Client
from pagemill.search import link, show
from tests.pagemill.local_ingress import Here, serving
from tests.pagemill.test_client import PDF
from tests.pagemill.test_ingest import pagemill


def test_a_passage_is_shown_with_its_page_and_a_link(here: Here) -> None:
    """Guards against a citation that leads nowhere: the link is one that a terminal opens."""
    with Client(here.url) as client:
        answer = client.query("ships")
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=100)
    links = [link(passage, here.url, {}) for passage in answer.passages]
    show(console, answer, links, {})
    assert f"{here.url}/v1/documents/harbour/rules/pages/2/image\x1b\\" in drawn.getvalue()
    assert "]8;" in drawn.getvalue()
    assert all(each in drawn.getvalue() for each in ("page 2", "Rules › Night", "What is told of ships."))


def test_a_passage_of_an_ingested_file_leads_to_the_file(here: Here, tmp_path: Path) -> None:
    """Guards against a record that nobody reads."""
    file = tmp_path / "my paper.pdf"
    file.write_bytes(PDF)
    pagemill("ingest", file, "--out", tmp_path / "out", "--url", here.url)
    document = json.loads((tmp_path / "out" / "pagemill.jsonl").read_text().splitlines()[-1])["document_id"]
    arguments = ("query", "tide", "--document", document, "--out", tmp_path / "out", "--url", here.url)
    told = json.loads(pagemill(*arguments, "--json").stdout)
    assert told["passages"][0]["link"] == f"file://{tmp_path}/my%20paper.pdf#page=2"
    assert "my paper.pdf, page 2" in pagemill(*arguments).stdout


def test_nothing_found_is_said_and_no_error(here: Here) -> None:
    """Guards against a search that fails because it finds nothing."""
    ran = pagemill("query", "nothing", "--url", here.url)
    assert (ran.exit_code, "nothing found" in ran.stdout) == (0, True)


def test_a_job_is_listed_and_cancelled(tmp_path: Path) -> None:
    """Guards against a cancel that reaches another job, or none."""
    with serving(tmp_path, gated=True) as here, Client(here.url) as client:
        first, second = client.ingest(PDF), client.ingest(PDF + b"2")
        ran = pagemill("cancel", first.id, "--url", here.url, "--json")
        assert [each["status"] for each in json.loads(ran.stdout)["jobs"]] == ["cancelled"]
        assert client.job(second.id).status in ("queued", "running")
        assert first.id in pagemill("jobs", "--status", "cancelled", "--url", here.url).stdout
        assert pagemill("cancel", "unknown", "--url", here.url).exit_code == 1
