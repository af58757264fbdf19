"""`benchmarks.chaos`: its count finds what is lost or doubled."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.chaos import Chaos, _killed
from benchmarks.loads.letters import Letter, letter


def counted(
    monkeypatch: pytest.MonkeyPatch, posted: list[tuple[Letter, str]], results: dict[str, list[int]]
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures and rows of letters sent as jobs, where each job's result holds these pages."""
    by_job = {job: document for document, job in posted}

    def answer(request: httpx.Request) -> httpx.Response:
        job, _, rest = request.url.path.removeprefix("/v1/jobs/").partition("/")
        if not rest:
            return httpx.Response(200, json={"id": job, "status": "succeeded", "links": links(job)})
        if request.url.params["format"] == "json":
            return httpx.Response(200, json={"pages": [{"number": n} for n in results[job]]})
        return httpx.Response(200, text="\n".join(by_job[job].marks[n - 1] for n in set(results[job])))

    @contextlib.contextmanager
    def client() -> Iterator[httpx.Client]:
        with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://here") as opened:
            yield opened

    chaos = Chaos(Path(), random.Random(0))
    monkeypatch.setattr(chaos, "_client", client)
    chaos._rows.append(_killed("Jobs", 1))
    chaos._sent.extend((document, {"id": job, "links": links(job)}) for document, job in posted)
    return chaos._counted(), chaos._rows


def links(job: str) -> dict[str, str]:
    return {"self": f"/v1/jobs/{job}", "result": f"/v1/jobs/{job}/result"}


def test_whole_results_count_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    figures, rows = counted(monkeypatch, [(letter(1, 2), "a"), (letter(2), "b")], {"a": [1, 2], "b": [1]})
    expected = {"jobs": 2, "finished": 2, "pages_expected": 3, "pages_delivered": 3, "losses": 0, "duplicates": 0}
    assert figures == expected | {"kills": 1, "stuck": 0}
    assert len(rows) == 1


def test_a_missing_page_is_a_loss_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a benchmark that cannot fail."""
    figures, rows = counted(monkeypatch, [(letter(1, 3), "a")], {"a": [1, 3]})
    assert (figures["losses"], figures["duplicates"]) == (1, 0)
    assert "2 of 3 pages" in rows[-1]["detail"]


def test_a_page_or_a_job_that_is_there_twice_is_a_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a doubled page that a set of numbers hides, and two uploads told as one job."""
    figures, _ = counted(monkeypatch, [(letter(1, 2), "a")], {"a": [1, 2, 2]})
    assert figures["duplicates"] == 1
    figures, _ = counted(monkeypatch, [(letter(1), "a"), (letter(1), "a")], {"a": [1]})
    assert figures["duplicates"] == 1


def test_a_sender_that_breaks_off_is_no_quiet_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a run whose load ended early and which lost nothing therefore."""
    chaos = Chaos(Path(), random.Random(0))

    def break_off() -> None:
        raise KeyError("links")

    monkeypatch.setattr(chaos, "_send_until_over", break_off)
    with pytest.raises(RuntimeError, match="a sender failed"), chaos._sending():
        chaos._over.wait(60)
