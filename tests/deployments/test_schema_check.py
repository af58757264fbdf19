"""`deployments.schema_check`: schemas and patterns that take a validator longer than anyone waits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from batching import Guide, InvalidGuide
from benchmarks.harness.server import ROOT
from deployments.schema_check import CPU_S, MAX_CHECKS, SchemaCheck
from retrieval.errors import ExtractionRefused, WriterFailed

T = TypeVar("T")
LATE_S = 0.5  # of a loop that is only ever kept for milliseconds, on a busy machine


def doubling(keyword: str, levels: int = 30) -> dict[str, Any]:
    """A schema each level of which refers twice to the level below."""
    steps = {
        f"l{k}": {keyword: [{"$ref": f"#/$defs/l{k - 1}"}, {"$ref": f"#/$defs/l{k - 1}"}]} for k in range(1, levels)
    }
    leaf = {"type": "object", "properties": {"v": {"type": "string"}}, "required": ["v"]}
    return {"$defs": {**steps, "l0": leaf}, "$ref": f"#/$defs/l{levels - 1}"}


def pattern(expression: str) -> dict[str, Any]:
    """A title that matches, or any: what a model follows, and a validator tries."""
    title = {"anyOf": [{"type": "string", "pattern": expression}, {"type": "string"}]}
    return {"type": "object", "properties": {"title": title}}


def answered(work: Awaitable[T]) -> tuple[T | Exception, float]:
    """What comes of it, and how long the event loop stood still meanwhile."""

    async def run() -> tuple[T | Exception, float]:
        longest = 0.0

        async def tick() -> None:
            nonlocal longest
            while True:
                before = time.monotonic()
                await asyncio.sleep(0.01)
                longest = max(longest, time.monotonic() - before)

        ticking = asyncio.create_task(tick())
        (result,) = await asyncio.gather(work, return_exceptions=True)
        ticking.cancel()
        return result, longest  # pyright: ignore[reportReturnType]  a BaseException would have ended the test

    return asyncio.run(asyncio.wait_for(run(), 20 * CPU_S))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param(doubling("anyOf"), "{}", id="anyOf"),
        pytest.param(doubling("allOf"), '{"v": "a"}', id="allOf"),
        pytest.param(pattern("^(a+)+$"), '{"title": "' + "a" * 40 + '!"}', id="pattern"),
        pytest.param(pattern("^(?:x|x|xx)*y$"), '{"title": "' + "x" * 60 + '"}', id="alternatives"),
    ],
)
def test_a_check_that_would_not_end_is_ended_and_the_loop_goes_on(schema: dict[str, Any], text: str) -> None:
    """A schema of 2.6 KB stopped all of HTTP for ever: the validator ran on the event loop (A1, A2)."""
    result, longest = answered(SchemaCheck().violation(text, schema))
    assert isinstance(result, ExtractionRefused)
    assert result.code == "invalid_schema"
    assert longest < LATE_S


def test_a_schema_whose_patterns_no_compiler_gets_through_is_refused() -> None:
    """A hundred patterns that must hold together kept a thread of the ingress busy without end."""
    parts = [{"properties": {"a": {"type": "string", "pattern": f"a.{{{k}}}b"}}} for k in range(100)]
    result, longest = answered(SchemaCheck().guides([Guide.json_schema({"type": "object", "allOf": parts})]))
    assert isinstance(result, InvalidGuide)
    assert longest < LATE_S


def test_what_violates_the_schema_is_told_with_its_place() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert answered(SchemaCheck().violation('{"n": "x"}', schema))[0] == "'x' is not of type 'integer' at $.n"
    assert answered(SchemaCheck().violation('{"n": 1}', schema))[0] is None


def test_a_schema_that_cannot_be_checked_is_refused_and_not_fetched() -> None:
    """A pattern of another syntax, or a reference to nowhere, was an error 500."""
    for schema in ({"$ref": "http://127.0.0.1:9/schema"}, {"pattern": r"\p{L}"}):
        assert isinstance(answered(SchemaCheck().violation('"a"', schema))[0], ExtractionRefused)


def test_a_guide_that_a_model_can_follow_passes() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert answered(SchemaCheck().guides([Guide.json_schema(schema)]))[0] is None


def test_a_check_that_the_machine_has_no_room_for_is_to_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against an internal error where no process can be started for the moment."""
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    result, _ = answered(SchemaCheck().violation("{}", {}))
    assert isinstance(result, WriterFailed)
    assert result.retryable


def test_a_check_that_is_broken_is_an_error_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against an installation whose every schema is refused as too costly."""
    (tmp_path / "jsonschema.py").write_text("raise ImportError")
    monkeypatch.setattr("deployments.schema_check._ROOT", f"{tmp_path}{os.pathsep}{ROOT}")
    result, _ = answered(SchemaCheck().violation("{}", {}))
    assert isinstance(result, RuntimeError)


@pytest.mark.parametrize("levels", [100, 5000])
def test_a_schema_that_is_nested_too_deeply_is_refused(levels: int) -> None:
    """Guards against an internal error: a library reads 128 levels, and another follows 1,000."""
    text = '{"properties": {"a": ' * levels + "{}" + "}}" * levels
    result, _ = answered(SchemaCheck().guides([Guide("json_schema", text)]))
    assert isinstance(result, InvalidGuide)


def running_checks() -> list[psutil.Process]:
    """Other tests may have left children of their own."""
    checks: list[psutil.Process] = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            checks += [child] if "deployments.schema_check" in child.cmdline() else []
    return checks


def test_a_check_whose_caller_leaves_ends_with_it() -> None:
    """Guards against processes that go on for nobody, and a place that stays taken."""

    async def scenario() -> None:
        check = SchemaCheck()
        for _ in range(2 * MAX_CHECKS):
            leaving = asyncio.create_task(check.violation("{}", doubling("anyOf")))
            while not running_checks():  # noqa: ASYNC110  no event tells of it
                await asyncio.sleep(0.01)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            assert not running_checks()
        assert await check.violation("{}", {}) is None

    asyncio.run(scenario())
