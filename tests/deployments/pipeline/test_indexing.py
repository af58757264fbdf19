"""A finished document goes into the index table of its job's shard, and is forgotten there."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from configs import Settings
from deployments.pipeline.deployment import Pipeline
from deployments.search.deployment import Search
from deployments.values.jobs import Options, Plan
from deployments.values.shards import new_id
from documents.boxes import BoundingBox
from documents.region_values import TextRegion
from documents.values import Opened, Page
from tests.deployments.ingress.handles import Handle

SHARD = 2
REGION = TextRegion(
    kind="plain text", box=BoundingBox(x0=60, y0=60, x1=300, y1=80), score=1, text="Fog lifts.", order=1
)
PAGE = Page(number=1, size=(612, 792), regions=(REGION,))
OPENED = Opened(num_pages=1)


class OneJob:
    """Jobs with one job of one page."""

    async def facts(self, *_: object) -> tuple[Plan, Opened, list[int]]:
        return plan_of(SHARD), OPENED, [1]

    async def page_texts(self, *_: object) -> list[str]:
        return [PAGE.model_dump_json()]


class NoEmbedder:
    """Search is full text alone."""

    async def embed(self, _: list[str]) -> None:
        return None

    async def embed_query(self, _: str) -> None:
        return None


def plan_of(shard: int) -> Plan:
    return Plan(
        job_id=new_id("job", shard),
        namespace="default",
        document_id="doc",
        revision=1,
        attempt=1,
        sha256="",
        media_type="application/pdf",
        options=Options.model_validate({}),
        created_at=datetime.now(UTC),
    )


def test_a_document_is_indexed_in_the_shard_of_its_job_and_forgotten_there(tmp_path: Path) -> None:
    """Guards against all documents in the table of shard 0, and against deletions that reach another table."""
    values = {"data_dir": str(tmp_path), "shards": 3, "database_url": "postgresql://nowhere/none"}

    async def main() -> None:
        settings = Settings.model_validate(values)
        embedder: Any = Handle(NoEmbedder())
        search = Search(settings, embedder)
        handles: Any = (Handle(None), Handle(None), Handle(None), Handle(search))
        pipeline = await asyncio.to_thread(Pipeline, settings, *handles)
        jobs: Any = Handle(OneJob())
        pipeline._owners[SHARD] = jobs

        async def counts() -> list[int]:
            return [await shard.count() for shard in (await search._opened()).index.shards]

        await pipeline.finish(plan_of(SHARD), OPENED)
        assert await counts() == [0, 0, 1]
        (passage,) = (await search.query("fog")).result.passages
        assert passage.document_id == "doc"
        await pipeline.forget("doc", namespace="default", shard=0)
        assert await counts() == [0, 0, 1]
        await pipeline.forget("doc", namespace="default", shard=SHARD)
        assert await counts() == [0, 0, 0]

    asyncio.run(main())
