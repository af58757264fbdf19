"""`benchmarks.overload`: an accepted job that comes to no good end is lost; memory is told by process."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from benchmarks import overload


@pytest.mark.parametrize(("status", "good"), [("succeeded", True), ("failed", False), ("partial", False)])
def test_only_a_job_that_succeeds_is_not_lost(status: str, good: bool) -> None:
    """Guards against a failure that counts as served."""

    async def ends() -> bool:
        content = httpx.Response(200, json={"status": status, "finished_at": "2026-01-01T00:00:00Z"})
        transport = httpx.MockTransport(lambda _: content)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await overload._ends(client, "job")

    assert asyncio.run(ends()) is good


def test_growth_is_told_by_process_the_largest_first() -> None:
    """Guards against a growth that nobody can explain."""
    before, after = {"Jobs": 100.0, "Ocr": 300.0, "all": 400.0}, {"Jobs": 101.0, "Ocr": 390.0, "New": 5.0, "all": 496.0}
    assert [(row["what"], row["number"]) for row in overload._grown(before, after)] == [
        ("MB grown: Ocr", 90.0),
        ("MB grown: New", 5.0),
        ("MB grown: Jobs", 1.0),
    ]
