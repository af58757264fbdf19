"""`benchmarks.strangers`: what a server says of a document is counted as what it is, and nothing lost stays unseen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest

from benchmarks import strangers
from benchmarks.harness import server_log
from benchmarks.harness.outcomes import BrokenResult, Outcome, by_ending, of_job, of_refusal, troubles
from benchmarks.truths.drawable import drawable_pages
from pagemill.client import Client
from pagemill.ingesting.input_files import NoSuchFile
from pagemill.values import Job, Options, Problem

# What a server answers to a letter, to two pages of which one broke, to a PDF with a password, and to plain text.
JOB: dict[str, Any] = {
    "id": "01K0J",
    "document_id": "5f0c",
    "revision": 1,
    "file_name": "letter.pdf",
    "status": "succeeded",
    "num_pages": 1,
    "pages": [{"number": 1, "status": "succeeded", "text_source": "text_layer", "warnings": [], "error": None}],
    "warnings": [],
    "error": None,
    "timings": {"total_s": 0.9},
    "created_at": "2026-08-20T10:00:00Z",
    "finished_at": "2026-08-20T10:00:01Z",
    "links": {"self": "/v1/jobs/01K0J"},
}
INTERNAL = {"code": "internal", "status": 500, "message": "internal error; see the log", "retryable": True}
NO_PASSWORD = {"code": "encrypted_document", "status": 422, "message": "a password is needed", "retryable": False}
PARTIAL = JOB | {
    "status": "partial",
    "num_pages": 2,
    "pages": [
        {"number": 1, "status": "succeeded", "text_source": "text_layer", "warnings": [], "error": None},
        {"number": 2, "status": "failed", "text_source": None, "warnings": [], "error": INTERNAL},
    ],
    "warnings": [{"code": "page_failed", "message": "the page could not be read", "page": 2, "box": None}],
}
RULE_FAILED = {
    "code": "rule_failed",
    "message": "the rule `line_numbers` failed; the page is there without it",
    "page": 1,
    "box": None,
}
TEXT_FILE = {
    "type": "about:blank",
    "title": "Unsupported Media Type",
    "status": 415,
    "detail": "this is no PDF, PNG, JPEG, TIFF or WebP",
    "code": "unsupported_media_type",
    "retryable": False,
    "request_id": "b7",
}


def outcome(job: dict[str, Any], file: str = "a.pdf", **further: Any) -> Outcome:
    return of_job("set", file, Job.model_validate(job), 1.0, **further)


def test_outcomes_are_told_apart() -> None:
    warned = JOB | {"warnings": [{"code": "repaired", "message": "damaged", "page": None, "box": None}]}
    failed = JOB | {"status": "failed", "num_pages": None, "pages": [], "error": NO_PASSWORD}
    cancelled = JOB | {"status": "cancelled"}
    endings = [outcome(job).ending for job in (JOB, warned, PARTIAL, failed, cancelled)]
    assert endings == ["done", "done with warnings", "partial", "failed: encrypted_document", "not ended"]
    assert (
        of_refusal("set", "a.txt", Problem.model_validate(TEXT_FILE), 0.1).ending == "refused: unsupported_media_type"
    )


def test_a_page_that_broke_is_internal_and_lost() -> None:
    """Guards against a table that is green where a document went on without one of its pages."""
    problems = troubles(outcome(PARTIAL), drawable={1, 2})
    assert [(one.kind, one.page) for one in problems] == [("internal", 2), ("lost", 2)]


def test_a_page_that_nobody_can_draw_is_not_lost() -> None:
    broken = PARTIAL["pages"][1] | {"error": INTERNAL | {"code": "page_failed", "status": 422}}
    assert troubles(outcome(PARTIAL | {"pages": [PARTIAL["pages"][0], broken]}), drawable={1}) == []


def test_all_pages_of_a_file_that_was_refused_are_lost_if_they_can_be_drawn() -> None:
    refused = of_refusal("set", "a.pdf", Problem.model_validate(TEXT_FILE), 0.1)
    assert [one.page for one in troubles(refused, drawable={1, 2})] == [1, 2]
    too_large = Problem.model_validate(TEXT_FILE | {"code": "file_too_large", "status": 413})
    assert troubles(of_refusal("set", "a.pdf", too_large, 0.1), drawable={1, 2}) == []


def test_a_job_of_which_no_page_was_read_names_the_pages_that_broke() -> None:
    """Guards against `all_pages_failed` hiding that they failed for a reason of ours."""
    every = {"code": "all_pages_failed", "status": 503, "message": "no page could be read", "retryable": True}
    problems = troubles(
        outcome(PARTIAL | {"status": "failed", "error": every, "pages": PARTIAL["pages"][1:]}), drawable=()
    )
    assert [(one.kind, one.page) for one in problems] == [("internal", 2)]


def test_a_failed_rule_and_a_broken_result_are_troubles_of_a_document_that_is_done() -> None:
    problems = troubles(
        outcome(JOB | {"warnings": [RULE_FAILED]}, broken_results=[BrokenResult("docling", "internal", "b8")]), ()
    )
    assert [(one.kind, one.page, one.request_id) for one in problems] == [
        ("internal", None, "b8"),
        ("rule_failed", 1, None),
    ]


def test_the_table_counts_every_file_and_page_once() -> None:
    outcomes = [outcome(JOB), outcome(JOB, "b.pdf"), outcome(PARTIAL, "c.pdf")]
    rows = by_ending(outcomes, troubles(outcomes[2], {2}))
    assert [
        (row["outcome"], row["files"], row["pages_done"], row["pages_failed"], row["pages_lost"]) for row in rows
    ] == [
        ("done", 2, 2, 0, 0),
        ("partial", 1, 1, 1, 1),
    ]


def test_a_trace_is_found_by_job_and_page_or_by_its_call(tmp_path: Path) -> None:
    """The lines are those of Ray Serve's JSON logs: one of Pipeline knows only its call, another line names its job."""
    lines = [
        {"message": "page 1 of 01K0J in 0.2 s", "request_id": "r1", "job": "01K0J", "page": 1},
        {"message": "the rule columns failed\nTraceback (most recent call last)\nKeyError", "request_id": "r1"},
        {"message": "the rule line_numbers failed\nTraceback (most recent call last)\nValueError", "request_id": "r1"},
        {"message": "page 2 of job 01K0J failed", "job": "01K0J", "page": 2, "exc_text": "ValueError: two"},
        {"message": "GET /v1/jobs/01K0J/result failed", "request_id": "b8", "exc_text": "KeyError: three"},
    ]
    log = "\n".join(["INFO a line of text", *map(json.dumps, lines), '{"message": "half a li'])
    (tmp_path / "replica_pagemill_Jobs.log").write_text(log, encoding="utf-8")
    traces = server_log.traces(tmp_path)
    broken = outcome(PARTIAL | {"warnings": [RULE_FAILED]}, broken_results=[BrokenResult("md", "internal", "b8")])
    result = {(one.kind, one.page): strangers.trace_of(one, traces) for one in troubles(broken, {2})}
    assert result["internal", 2] == "page 2 of job 01K0J failed\nValueError: two"
    assert result["internal", None] == "GET /v1/jobs/01K0J/result failed\nKeyError: three"
    assert result["rule_failed", 1] == lines[2]["message"]
    assert result["lost", 2] is None


def test_files_are_spread_over_a_folder_in_an_order_that_does_not_change(tmp_path: Path) -> None:
    for name in ("c.pdf", "a.pdf", "d.png", "b.pdf", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for _, path in strangers.listed([str(tmp_path)], None)] == ["a.pdf", "b.pdf", "c.pdf", "d.png"]
    assert [path.name for _, path in strangers.listed([str(tmp_path)], 2)] == ["a.pdf", "c.pdf"]
    with pytest.raises(NoSuchFile):
        strangers.listed([str(tmp_path / "none")], None)


def test_pages_are_drawable_where_something_is_printed(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Printed")
        document.new_page()
        document.save(tmp_path / "two.pdf")
        document.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    (tmp_path / "page.pdf").write_text("<html><body>no PDF</body></html>", encoding="utf-8")
    assert drawable_pages(tmp_path / "two.pdf") == {1}
    assert drawable_pages(tmp_path / "locked.pdf") == frozenset()
    assert drawable_pages(tmp_path / "page.pdf") == frozenset()


def test_each_result_that_cannot_be_had_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "letter.pdf"
    file.write_bytes(b"%PDF-1.7")

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/result"):
            problem = TEXT_FILE | INTERNAL | {"title": "Internal Server Error", "detail": "an internal error"}
            is_broken = request.url.params["format"] == "chunks"
            return httpx.Response(500, json=problem) if is_broken else httpx.Response(200, text="Text")
        return httpx.Response(200, json=JOB)

    with Client("http://here", retries=strangers.RETRIES, transport=httpx.MockTransport(answer)) as client:
        done = strangers.sent(client, "set", file, Options())
    assert done.ending == "done"
    assert done.broken_results == (BrokenResult("chunks", "internal", "b7"),)
