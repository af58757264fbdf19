"""/file_parse while it waits: for as long as the client does, while Jobs is replaced, and not for who has left."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.datastructures import FormData

from deployments.calls import call_retries
from deployments.ingress.facades.mineru.routes import router
from tests.deployments.ingress.facades.taken_jobs import TakenJobs, client_of, services_of
from tests.serve.files import pdf

FILE = {"files": ("tides.pdf", pdf())}


@pytest.mark.parametrize("wait_s", [0, 120])
def test_it_waits_by_heartbeats_also_while_jobs_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float
):
    """Guards against a loop of calls without a pause where `limits.wait_s` is 0, and against work that is deleted
    since the replica of Jobs was replaced."""
    monkeypatch.setattr(call_retries, "REPLACEMENT_PAUSE_S", 0)

    async def scenario() -> tuple[int, list[float], list[str], list[str]]:
        jobs = TakenJobs(num_deaths=2)
        services = await asyncio.to_thread(services_of, jobs, tmp_path, wait_s=wait_s, heartbeat_s=7)
        async with client_of(services, router) as client:
            request = asyncio.ensure_future(client.post("/file_parse", files=FILE))
            waiting = asyncio.ensure_future(jobs.until_waits(3))
            await asyncio.wait((request, waiting), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            forgotten = [*jobs.forgotten]
            jobs.let.set()
            answer = await request
        return answer.status_code, jobs.waits, forgotten, jobs.forgotten

    status, waits, forgotten_before, forgotten = asyncio.run(scenario())
    assert (status, waits, forgotten_before) == (422, [7, 7, 7], [])
    assert len(forgotten) == 1


def test_a_client_that_leaves_while_the_form_is_closed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Guards against jobs of which nobody knows: they were taken, and the files of their form are being removed."""

    async def scenario() -> tuple[int, int]:
        jobs = TakenJobs()
        closing = asyncio.Event()

        async def hanging_close(_: FormData) -> None:
            closing.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(FormData, "close", hanging_close)
        services = await asyncio.to_thread(services_of, jobs, tmp_path)
        async with client_of(services, router) as client:
            request = asyncio.ensure_future(client.post("/file_parse", files=[("files", FILE["files"])] * 2))
            await closing.wait()
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
        return len(jobs.jobs), len(jobs.forgotten)

    assert asyncio.run(scenario()) == (2, 2)
