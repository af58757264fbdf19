"""`deployments.errors`: the tree of refusals as it is drawn, and how errors become what a client sees."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from batching import InvalidGuide, PromptTooLong
from deployments import errors
from deployments.errors import Lost, UnknownJob, refusal_of
from documents.errors import Refusal
from retrieval.errors import WriterFailed

ROOMS = ("ingress.app", "jobs.attached_documents", "values.read_options")


def drawn(kind: type[Refusal], indent: str = "") -> Iterator[str]:
    children = sorted(
        (child for child in kind.__subclasses__() if not child.__module__.startswith("tests")),
        key=lambda child: child.__name__,
    )
    for child in children:
        branch, below = ("└── ", "    ") if child is children[-1] else ("├── ", "│   ")
        yield f"{indent + branch + child.__name__:33} {child.status:d}  {getattr(child, 'code', '')}".rstrip()
        yield from drawn(child, indent + below)


def test_every_refusal_is_drawn_with_its_status_and_code() -> None:
    """Guards against an error that a client sees and no reader of the tree does."""
    for room in (*(f"deployments.{room}" for room in ROOMS), "documents.ocr_input.tesseract"):
        importlib.import_module(room)
    assert errors.__doc__ is not None
    assert "\n".join(("Refusal", *drawn(Refusal))) in errors.__doc__


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PromptTooLong("12 tokens"), (422, "prompt_refused", "12 tokens", False)),
        (InvalidGuide("at $"), (422, "invalid_schema", "at $", False)),
        (UnknownJob("job_1"), (404, "not_found", "there is no job job_1", False)),
        (ValueError("a secret"), (500, "internal", "internal error; the server's log has the stack trace", True)),
    ],
)
def test_an_error_is_seen_as_its_refusal(error: Exception, expected: tuple[int, str, str, bool]) -> None:
    """Guards against an inside of the server in an answer, and against two codes for one error."""
    refusal = refusal_of(error)
    assert (refusal.status, refusal.code, refusal.message, refusal.retryable) == expected


@pytest.mark.parametrize(
    "error",
    [
        Lost("full", code="still_busy"),
        WriterFailed("wrote nothing", code="writer_silent", retryable=True),
        Refusal("no", code="x", status=HTTPStatus.GONE),
        UnknownJob("job_1"),
    ],
)
def test_a_refusal_survives_the_way_between_processes(error: Refusal) -> None:
    """Guards against a code that is lost, or words that are doubled, when Ray pickles the error."""
    copy = pickle.loads(pickle.dumps(error))
    names = ("status", "code", "message", "retryable")
    assert type(copy) is type(error)
    assert [getattr(copy, name) for name in names] == [getattr(error, name) for name in names]
