"""An index in a fresh folder."""

import asyncio

import pytest

from retrieval.index.index import Index


@pytest.fixture
def with_index(tmp_path):
    """Runs `use(index)` on the index of this test's folder."""

    def run_with(use):
        async def run():
            index = await Index.open(str(tmp_path / "index"))
            try:
                return await use(index)
            finally:
                await index.close()

        return asyncio.run(run())

    return run_with
