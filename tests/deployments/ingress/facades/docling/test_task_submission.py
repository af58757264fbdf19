"""TaskSubmission: files inside of JSON are in memory for few requests at once, until their jobs are taken."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request

from configs import Settings
from deployments.calls.slots import FairLimiter
from deployments.errors import Busy
from deployments.ingress.facades.docling.convert import request_of_body
from deployments.ingress.facades.docling.task import ResponseFormat, Task
from deployments.ingress.facades.docling.task_submission import TaskSubmission
from deployments.ingress.facades.mcp.endpoint import BoundedBodies
from deployments.ingress.operations.services import MAX_LARGE_BODIES, Services
from deployments.ingress.operations.submission import Upload
from deployments.storage.folder_blobs import FolderBlobs
from tests.deployments.ingress.handles import Handle

NUM_REQUESTS = 20
LARGE_BYTES = 1_000_000
SMALL_BYTES = 10_000


class Jobs:
    """There is room for any job."""

    async def check_room(self, *_: object) -> None: ...


class Work:
    """Takes the jobs of a request when it is let; a request that is here has its files in memory."""

    def __init__(self) -> None:
        self.num_inside = 0
        self.max_inside = 0
        self.gate = asyncio.Event()

    async def submitted(self, uploads: Sequence[Upload], *_: object) -> Task:
        self.num_inside += 1
        self.max_inside = max(self.max_inside, self.num_inside)
        await self.gate.wait()
        self.num_inside -= 1
        return Task(job_ids=("job_" + "0" * 32,), form=ResponseFormat())


@pytest.fixture
def services(tmp_path: Path) -> Services:
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
    rooms |= {"jobs": Handle(Jobs())}
    settings = Settings.model_validate({"limits": {"admission_wait_s": 60}})
    return Services(settings=settings, blobs=FolderBlobs(tmp_path), **rooms)


def request_with_file(num_bytes: int) -> Request:
    content = base64.b64encode(b"%PDF-1.4 " + b"x" * num_bytes).decode()
    body = json.dumps({"sources": [{"kind": "file", "base64_string": content, "filename": "a.pdf"}]}).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    headers = [(b"content-length", str(len(body)).encode())]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)


@pytest.mark.parametrize(
    ("num_bytes", "limit"), [(LARGE_BYTES, MAX_LARGE_BODIES), (SMALL_BYTES, NUM_REQUESTS)], ids=["large", "small"]
)
def test_few_large_bodies_are_in_memory_until_their_jobs_are_taken(
    services: Services, num_bytes: int, limit: int
) -> None:
    """Guards against a slot that is free again while the decoded files live on: twenty bodies where four may be."""

    async def scenario() -> int:
        work: Any = Work()
        submission = TaskSubmission(services, work)
        requests = [
            asyncio.create_task(submission.of_sources(request_with_file(num_bytes), request_of_body))
            for _ in range(NUM_REQUESTS)
        ]
        while work.num_inside < limit:  # they decode in threads
            await asyncio.wait(requests, timeout=0.01)
        await asyncio.wait(requests, timeout=0.2)  # time for one too many
        work.gate.set()
        await asyncio.gather(*requests)
        return work.max_inside

    assert asyncio.run(scenario()) == limit


def test_the_bodies_of_tools_and_of_sources_have_one_bound(services: Services) -> None:
    """Guards against two limiters of four, under which eight bodies are in memory."""

    async def scenario() -> None:
        answering, num_inside = asyncio.Event(), 0

        async def protocol(*_: object) -> None:
            nonlocal num_inside
            num_inside += 1
            await answering.wait()

        endpoint: Any = BoundedBodies(protocol, services)
        scope = request_with_file(LARGE_BYTES).scope
        tools = [asyncio.create_task(endpoint(scope, None, None)) for _ in range(MAX_LARGE_BODIES)]
        await asyncio.sleep(0)
        assert num_inside == MAX_LARGE_BODIES
        work: Any = Work()
        submission = TaskSubmission(services, work)
        sources = asyncio.create_task(submission.of_sources(request_with_file(LARGE_BYTES), request_of_body))
        await asyncio.wait({sources}, timeout=0.2)
        assert not work.num_inside
        answering.set()
        work.gate.set()
        await asyncio.gather(*tools, sources)

    asyncio.run(scenario())


def test_a_body_for_which_there_is_no_room_is_refused_unread(services: Services) -> None:
    services.body_slots = FairLimiter(1, wait_s=0, what="bodies with files")

    async def scenario() -> None:
        work: Any = Work()
        submission = TaskSubmission(services, work)
        async with services.body_slots.slot("anyone"):
            with pytest.raises(Busy, match="bodies with files"):
                await submission.of_sources(request_with_file(LARGE_BYTES), request_of_body)

    asyncio.run(scenario())
