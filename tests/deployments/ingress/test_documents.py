"""`deployments.ingress.documents`: clients that leave while their upload is being taken."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from configs import Settings
from deployments.blobs import Aside, BlobStore
from deployments.ingress import documents, problems
from deployments.ingress.services import Services
from deployments.ingress.uploads import Door
from deployments.jobs.values import Job, Submission
from tests.deployments.ingress.handles import Handle


class Jobs:
    """Takes a job when it is let."""

    def __init__(self) -> None:
        self.asked, self.let, self.settled = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.cancelled: list[str] = []
        self.bytes_there = False

    async def check_room(self, _: str, __: int | None) -> None: ...

    async def take(self, submission: Submission, aside: Aside) -> Job:
        self.asked.set()
        await self.let.wait()
        self.bytes_there = await asyncio.to_thread(aside.path.exists)
        told: dict[str, Any] = {"id": "j", "document_id": "d", "revision": 1, "file_name": submission.file_name}
        asyncio.get_running_loop().call_soon(self.settled.set)
        return Job.model_validate(told | {"num_pages": None, "status": "queued", "created_at": datetime.now(UTC)})

    async def cancel(self, job_id: str) -> None:
        self.cancelled.append(job_id)


@pytest.mark.parametrize(("wants", "cancelled"), [(True, ["j"]), (False, [])])
def test_a_client_that_leaves_while_its_job_is_taken_is_one_whose_job_was_taken(
    tmp_path: Path, wants: bool, cancelled: list[str]
) -> None:
    """Guards against a job that nobody waits for and nobody cancels, and against one that lost its bytes."""

    blobs = BlobStore(tmp_path)

    async def main() -> Jobs:
        jobs = Jobs()
        rooms: dict[str, Any] = dict.fromkeys(("renderer", "layout", "pipeline", "ocr", "search"))
        services = Services(
            settings=Settings(),
            blobs=blobs,
            door=Door(max_bytes=1000, max_uploads=2),
            jobs=Handle(jobs),
            **rooms,
        )
        app = FastAPI()
        app.include_router(documents.router(services))
        problems.install(app)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            request = asyncio.ensure_future(
                client.post(
                    "/v1/documents",
                    files={"file": ("a.pdf", b"%PDF-1.4 body")},
                    data={"options": json.dumps({"cancel_on_disconnect": wants})},
                )
            )
            await jobs.asked.wait()
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
            jobs.let.set()
            await jobs.settled.wait()
            while left := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(left)
        return jobs

    jobs = asyncio.run(main())
    assert jobs.bytes_there
    assert jobs.cancelled == cancelled
