"""`pagemill.values`: what the client says is what the server says, though neither imports the other."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, get_args

import pytest

from deployments.ingress import problems, query
from deployments.jobs import result
from deployments.jobs import values as jobs
from documents import values as documents
from pagemill import partial_page, values
from retrieval import chunk, passage, retriever, search

PAIRS: list[tuple[Any, Any]] = [
    (values.Options, jobs.Options),
    (values.BoundingBox, documents.BoundingBox),
    (values.PageWarning, documents.PageWarning),
    (values.JobError, jobs.JobError),
    (values.PageProgress, jobs.PageProgress),
    (values.Job, jobs.Job),
    (values.Event, jobs.Event),
    (partial_page.PartialPage, jobs.PartialPage),
    (partial_page.PartialRegion, jobs.PartialRegion),
    (values.ChunkSpan, chunk.ChunkSpan),
    (values.Chunk, chunk.Chunk),
    (values.PassageBox, passage.PassageBox),
    (values.Scores, passage.Scores),
    (values.StoredChunk, passage.StoredChunk),
    (values.Passage, passage.Passage),
    (values.Group, query.Group),
    (values.CacheNote, retriever.CacheNote),
    (values.Answer, query.Answer),
    (values.Problem, problems.ProblemDocument),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_value_has_the_fields_of_the_server_s(ours: Any, theirs: Any) -> None:
    """Guards against a field that the server has and the client silently drops."""
    assert set(ours.model_fields) == set(theirs.model_fields)
    assert {name for name, field in ours.model_fields.items() if field.is_required()} <= {
        name for name, field in theirs.model_fields.items() if field.is_required()
    }


def test_the_words_are_the_server_s() -> None:
    """Guards against a status or a format that one of them does not know."""
    assert set(get_args(values.Format)) == set(result.MEDIA_TYPES)
    assert get_args(values.JobStatus) == get_args(jobs.JobStatus)
    assert get_args(values.Mode) == get_args(search.Mode)
    assert values.FINAL == jobs.FINAL


def test_a_field_of_a_later_server_does_no_harm() -> None:
    """Guards against clients that stop working on the day a server is updated."""
    fields = {"code": "a", "status": 422, "message": "b", "new": {"deep": 1}}
    assert values.JobError.model_validate(fields).code == "a"


def test_the_client_is_there_without_the_graph() -> None:
    """Guards against a client that loads Ray and torch to send a file."""
    code = "import sys, pagemill; print(sorted({'ray', 'torch', 'lancedb', 'deployments'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
