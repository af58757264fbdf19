"""`pagemill query`, `jobs` and `cancel`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from pagemill import Client
from pagemill.commands.query import link, show, show_answer
from pagemill.values import WrittenAnswer
from tests.pagemill.commands.test_ingest import pagemill
from tests.pagemill.local_ingress import Here, serving
from tests.pagemill.test_client import PDF


def test_a_passage_is_shown_with_its_page_and_a_link(here: Here) -> None:
    """Guards against a citation that leads nowhere: the link is one that a terminal opens."""
    with Client(here.url) as client:
        answer = client.query("ships")
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=100)
    links = [link(passage, here.url, {}) for passage in answer.passages]
    show(console, answer, links, {})
    assert f"{here.url}/#/documents/harbour%2Frules/pages/2?box=72,90,300,110\x1b\\" in drawn.getvalue()
    assert "]8;" in drawn.getvalue()
    assert all(part in drawn.getvalue() for part in ("page 2", "Rules › Night", "What is told of ships."))


def test_a_passage_of_an_ingested_file_leads_to_the_file(here: Here, tmp_path: Path) -> None:
    """Guards against a record that nobody reads."""
    file = tmp_path / "my paper.pdf"
    file.write_bytes(PDF)
    pagemill("ingest", file, "--out", tmp_path / "out", "--url", here.url)
    document = json.loads((tmp_path / "out" / "pagemill.jsonl").read_text().splitlines()[-1])["document_id"]
    arguments = ("query", "tide", "--document", document, "--out", tmp_path / "out", "--url", here.url)
    body = json.loads(pagemill(*arguments, "--json").stdout)
    assert body["passages"][0]["link"] == f"file://{tmp_path}/my%20paper.pdf#page=2"
    assert "my paper.pdf, page 2" in pagemill(*arguments).stdout


def test_an_answer_is_shown_with_links_to_what_it_names(here: Here) -> None:
    """Guards against an answer whose proof cannot be looked at."""
    with Client(here.url) as client:
        result = client.query("tide", answer=True)
    assert result.answer is not None
    assert (result.answer.outcome, result.answer.text) == ("answered", "Ships wait [1] for the tide [1].")
    drawn = io.StringIO()
    show_answer(Console(file=drawn, force_terminal=True, width=100), result.answer, ["http://there/page"])
    assert drawn.getvalue().count("http://there/page") == 2
    assert "passages that do not exist: 4" in drawn.getvalue()
    shown = pagemill("query", "tide", "--answer", "--url", here.url).stdout
    assert shown.index("Ships wait [1]") < shown.index("1. ")
    body = json.loads(pagemill("query", "tide", "--answer", "--json", "--url", here.url).stdout)
    assert body["answer"]["citations"][0]["document_id"] == body["passages"][0]["document_id"]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ({"outcome": "not_found"}, "the passages do not contain the answer"),
        ({"outcome": "uncited", "text": "So."}, "uncited: the answer cites no passage"),
        ({"outcome": "answered", "text": "So", "finish_reason": "length"}, "cut off"),
        ({"outcome": "failed", "error": {"code": "writer_slow", "message": "too slow"}}, "too slow (writer_slow)"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: dict, shown: str) -> None:
    """Guards against an invention that looks like an answer."""
    drawn = io.StringIO()
    show_answer(Console(file=drawn, width=100), WrittenAnswer.model_validate({"model": "m"} | answer), [])
    assert shown in drawn.getvalue()


def test_nothing_found_is_said_and_no_error(here: Here) -> None:
    """Guards against a search that fails because it finds nothing."""
    ran = pagemill("query", "nothing", "--url", here.url)
    assert (ran.exit_code, "nothing found" in ran.stdout) == (0, True)


def test_a_job_is_listed_and_cancelled(tmp_path: Path) -> None:
    """Guards against a cancel that reaches another job, or none."""
    with serving(tmp_path, gated=True) as here, Client(here.url) as client:
        first, second = client.ingest(PDF), client.ingest(PDF + b"2")
        ran = pagemill("cancel", first.id, "--url", here.url, "--json")
        assert [job["status"] for job in json.loads(ran.stdout)["jobs"]] == ["cancelled"]
        assert client.job(second.id).status in ("queued", "running")
        assert first.id in pagemill("jobs", "--status", "cancelled", "--url", here.url).stdout
        assert pagemill("cancel", "unknown", "--url", here.url).exit_code == 1
        ran = pagemill("cancel", "unknown", second.id, "--url", here.url)
        assert (ran.exit_code, second.id in ran.stdout, "no job unknown" in ran.stderr) == (1, True, True)
        assert client.job(second.id).status == "cancelled", "also behind one that is not known"
