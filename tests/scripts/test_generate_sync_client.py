"""`scripts/generate_sync_client.py`: the client that waits in its thread is the other one without `await`."""

from __future__ import annotations

import inspect

import pytest

from pagemill import AsyncClient, Client
from scripts.generate_sync_client import TARGET, NoCounterpart, generated, sync_from_async

ASYNC = '''"""Source."""

async def first(stream: AsyncIterator[int], /) -> int:
    """Does not `await` twice."""
    async with stream as items:
        return [await item.aread() async for item in items] and await anext(stream)  # await no more
'''
SYNC = '''
def first(stream: Iterator[int], /) -> int:
    """Does not `await` twice."""
    with stream as items:
        return [item.read() for item in items] and next(stream)  # await no more
'''


def test_code_loses_its_awaiting_and_texts_stay() -> None:
    assert sync_from_async(ASYNC).split("\n", 1)[1] == SYNC


@pytest.mark.parametrize("code", ["asyncio.sleep(1)", "x: Awaitable[int]", "AsyncExitStack()"])
def test_what_only_awaiting_code_can_use_is_refused(code: str) -> None:
    with pytest.raises(NoCounterpart, match="line 2"):
        sync_from_async(f'"""Source."""\n{code}\n')


def test_the_committed_client_is_the_generated_one() -> None:
    assert TARGET.read_text(encoding="utf-8") == generated()


def test_both_clients_have_the_same_calls_with_the_same_parameters_and_docs() -> None:
    def calls(kind: type[Client | AsyncClient]) -> dict[str, tuple[list[str], str | None]]:
        functions = inspect.getmembers(kind, inspect.isfunction)
        public = {name: body for name, body in functions if not name.startswith("_")}
        return {name: (list(inspect.signature(body).parameters), body.__doc__) for name, body in public.items()}

    assert calls(AsyncClient) == calls(Client)
    assert not any(inspect.iscoroutinefunction(body) for _, body in inspect.getmembers(Client, inspect.isfunction))
