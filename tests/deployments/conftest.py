"""A blocking call in the event loop fails the test that makes it; a fresh database for each."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from sqlalchemy import inspect
from sqlalchemy.schema import DropSchema

from deployments.jobs.store.database_schema import connect, metadata
from tests.deployments.loop_work import LoopWork, counted_loop_work
from tests.deployments.postgres import database as postgres_database
from tests.deployments.postgres import programs


@pytest.fixture(autouse=True)
def blocking_calls_fail() -> Iterator[BlockBuster]:
    with blockbuster_ctx("deployments") as guard:
        yield guard


@pytest.fixture(scope="session")
def batch_runner() -> Iterator[asyncio.Runner]:
    """One loop for all tests of methods under `@serve.batch`: their queues belong to the first loop that used them."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with postgres_database() as url:
        yield url


@pytest.fixture
def shards(request: pytest.FixtureRequest) -> str:
    """PostgreSQL without a table or a schema of ours; a test that needs it is slow."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed here")
    url = request.getfixturevalue("postgres")
    engine = connect(url)
    with engine.begin() as db:
        for schema in inspect(db).get_schema_names():
            if schema.startswith("pagemill_"):
                db.execute(DropSchema(schema, cascade=True))
        metadata.drop_all(db)
    engine.dispose()
    return url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}" if request.param == "sqlite" else request.getfixturevalue("shards")


@pytest.fixture
def work() -> Iterator[LoopWork]:
    """What the event loops of this test compute."""
    with counted_loop_work() as work:
        yield work
