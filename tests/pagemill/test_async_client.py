"""`pagemill.async_client`: the calls of the other client, awaited."""

from __future__ import annotations

import asyncio

import pytest

from pagemill import AsyncClient, Event, Refused
from tests.pagemill.conftest import QUICK
from tests.pagemill.local_ingress import Here
from tests.pagemill.test_client import BUSY, PDF


def test_documents_are_ingested_side_by_side_through_a_busy_server(here: Here) -> None:
    """Guards against an awaited call that is not made again, or sends half a file."""
    here.mischief.refusals = [(503, {"retry-after": "0"}, BUSY)] * 2

    async def scenario() -> list[str]:
        async with AsyncClient(here.url, retries=QUICK) as client:
            jobs = await asyncio.gather(*(client.ingest(PDF + b"%d" % number, wait_s=None) for number in range(3)))
            assert len(await client.jobs()) == 3
            texts = [await client.result(job.id, "text") for job in jobs]
            assert [text.format for text in texts] == ["text"] * 3
            with pytest.raises(Refused, match="no job"):
                await client.cancel("unknown")
            return [job.status for job in jobs]

    assert asyncio.run(scenario()) == ["succeeded"] * 3


def test_events_go_on_where_a_stream_breaks(here: Here) -> None:
    """Guards against events that are told twice, or skipped, when a connection is lost."""

    async def scenario() -> tuple[list[Event], list[Event]]:
        async with AsyncClient(here.url, retries=QUICK) as client:
            job = await client.ingest(PDF, wait_s=None)
            whole = [event async for event in client.events(job.id)]
            here.mischief.break_after = [1, 0, 2]
            return whole, [event async for event in client.events(job.id)]

    whole, broken = asyncio.run(scenario())
    assert whole == broken
    assert whole[-1].last
