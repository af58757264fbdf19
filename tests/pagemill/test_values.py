"""`pagemill.values`: what the client says is what the server says, though neither imports the other."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from deployments.ingress.api import extract, query
from deployments.ingress.middleware import error_responses
from deployments.jobs.results import result_formats
from deployments.values import jobs
from documents import region_values
from documents import values as documents
from pagemill import partial_page, places, stored_extraction, values
from retrieval.answers import answer
from retrieval.chunking import chunk
from retrieval.extraction import extractor
from retrieval.search import passage, retriever, search

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
    (values.Problem, error_responses.ProblemDocument),
    (values.Webhook, jobs.Webhook),
    (values.Highlight, passage.Highlight),
    (values.Citation, answer.Citation),
    (values.AnswerError, answer.AnswerError),
    (values.TextRange, region_values.TextRange),
    (values.WrittenAnswer, answer.WrittenAnswer),
    (values.ExtractedField, extractor.ExtractedField),
    (values.Usage, extractor.Usage),
    (values.Extraction, extract.ExtractResult),
    (stored_extraction.StoredExtraction, jobs.ExtractionJob),
]
OPEN = {places.Value, places.Place}  # the base of all; a place of any kind, with that kind's fields


def test_every_value_of_the_client_is_compared() -> None:
    classes = {
        kind
        for module in (places, partial_page, values, stored_extraction)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, BaseModel) and kind.__module__.startswith("pagemill.")
    }
    assert classes - OPEN == {ours for ours, _ in PAIRS}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_value_has_the_fields_of_the_server_s(ours: Any, theirs: Any) -> None:
    """Guards against a field that the server has and the client silently drops."""
    assert set(ours.model_fields) == set(theirs.model_fields)
    assert {name for name, field in ours.model_fields.items() if field.is_required()} <= {
        name for name, field in theirs.model_fields.items() if field.is_required()
    }


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_field_knows_the_words_of_the_server_s_or_takes_any(ours: Any, theirs: Any) -> None:
    for name, field in ours.model_fields.items():
        assert _words(field.annotation) in (set(), _words(theirs.model_fields[name].annotation)), name


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_an_optional_field_has_the_default_of_the_server_s(ours: Any, theirs: Any) -> None:
    for name, field in ours.model_fields.items():
        other = theirs.model_fields[name]
        if not field.is_required() and not other.is_required():
            assert field.get_default(call_default_factory=True) == other.get_default(call_default_factory=True), name


def _words(annotation: Any) -> set[str]:
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return set[str]().union(*map(_words, get_args(annotation)))


def test_the_words_are_the_server_s() -> None:
    """Guards against a status or a format that one of them does not know."""
    assert set(get_args(values.Format)) == set(result_formats.MEDIA_TYPES)
    assert get_args(values.JobStatus) == get_args(jobs.JobStatus)
    assert get_args(values.Mode) == get_args(search.Mode)
    assert values.FINAL_STATUSES == jobs.FINAL_STATUSES


def test_a_field_of_a_later_server_does_no_harm() -> None:
    """Guards against clients that stop working on the day a server is updated."""
    fields = {"code": "a", "status": 422, "message": "b", "new": {"deep": 1}}
    assert values.JobError.model_validate(fields).code == "a"


def test_the_client_is_there_without_the_graph() -> None:
    """Guards against a client that loads Ray and torch to send a file."""
    code = "import sys, pagemill; print(sorted({'ray', 'torch', 'lancedb', 'deployments'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
