"""`pagemill.ingesting.ingest_summary`: no warning of an ingestion goes unsaid."""

from __future__ import annotations

from datetime import UTC, datetime

from pagemill.ingesting.ingest_log import Entry
from pagemill.ingesting.ingest_summary import pages_by_warning, summary
from pagemill.values import Job, PageProgress, PageWarning


def entry(output: str, status: str = "succeeded", **warnings: tuple[int, ...]) -> Entry:
    facts = {"source": f"/in/{output}", "output": output, "options": "", "sha256": "", "status": status}
    return Entry.model_validate(facts | {"warnings": warnings})


def test_each_warning_is_said_with_its_files_and_pages() -> None:
    """Guards against a half-read file that ends as done and says nothing else."""
    entries = [
        entry("a.md", rule_failed=(2, 7), truncated=()),
        entry("b.md", "partial", rule_failed=(1,)),
        entry("c.md"),
    ]
    assert summary(entries) == [
        "3 documents: 2 succeeded, 1 partial",
        "warning rule_failed: a.md (page 2, 7), b.md (page 1)",
        "warning truncated: a.md",
    ]


def test_the_rule_that_failed_is_named() -> None:
    """Guards against a summary of a thousand files that says a rule failed, and leaves one to look for which."""
    facts = {"source": "/in/a", "output": "a.md", "options": "", "sha256": "", "status": "succeeded"}
    failed = Entry.model_validate(facts | {"warnings": {"rule_failed lines": (2,)}})
    assert summary([failed])[1] == "warning rule_failed lines: a.md (page 2)"


def test_a_thousand_files_make_no_thousand_names() -> None:
    entries = [entry(f"{k}.md", rule_failed=tuple(range(1, 30))) for k in range(1000)]
    line = summary(entries)[1]
    assert line.endswith("4.md (page 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) and 995 more")


def test_names_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in summary([entry("a\x1b[2J.md", rule_failed=(1,))])[1]


def test_warnings_of_pages_and_of_the_document_are_counted_once_per_page() -> None:
    failed = PageWarning(code="rule_failed", message="", page=3, rule="lines")
    other = failed.model_copy(update={"rule": "captions"})
    job = Job(
        id="j",
        document_id="d",
        revision=1,
        file_name="a.pdf",
        status="succeeded",
        num_pages=3,
        pages=(PageProgress(number=3, status="succeeded", warnings=(failed, failed, other)),),
        warnings=(failed, PageWarning(code="repaired", message="")),
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert pages_by_warning(job) == {"repaired": (), "rule_failed captions": (3,), "rule_failed lines": (3,)}


def test_pages_are_counted_by_the_source_of_their_text_with_time_and_rate() -> None:
    entries = [
        entry("a.md").model_copy(update={"text_sources": {"text_layer": 3}}),
        entry("b.md").model_copy(update={"text_sources": {"text_layer": 1, "ocr": 1}}),
    ]
    assert summary(entries, 2.0)[1:] == ["5 pages, text from: OCR 1, text layer 4", "2.0 s, 2.5 pages per second"]
    earlier = [entry.model_copy(update={"is_earlier": True}) for entry in entries]
    assert summary(earlier, 0.5)[2] == "0.5 s", "pages of a run before have no rate"


def test_a_damaged_file_is_named_with_what_was_saved_of_it() -> None:
    """Guards against a half-cut file among thousands that looks like the others."""
    cut = entry("cut.md", "partial", repaired=()).model_copy(update={"num_pages": 5, "failed_pages": (4, 5)})
    assert summary([cut])[1:] == [
        "damaged, recovered in part: cut.md (3 of 5 pages)",
        "warning repaired: cut.md",
    ]
