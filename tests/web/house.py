"""The real routes, jobs, renderer and page composing in this process; Layout and Ocr are stood in for, page by page.

Pages are let through by the test, so that it sees the web page in the middle of a job.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import uvicorn

from configs import Settings
from deployments.ingress.app import create_app
from deployments.ingress.facades.docling.callbacks import FORM, CallbackMessages
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.generated_answers import answers_by
from deployments.ingress.operations.services import Services
from deployments.jobs.deployment import Jobs
from deployments.jobs.results.fetched_result import fetched_result
from deployments.jobs.results.result_formats import document_of
from deployments.lm.deployment import Lm
from deployments.renderer.deployment import Renderer
from deployments.storage.bucket_objects import BucketObjects
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import PartialPage
from deployments.writers.json_writers import extractor_by
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox import RendererPool
from documents.values import PageWarning, Reading
from retrieval.chunking.chunk_size import counter_for
from retrieval.chunking.chunker import chunk
from retrieval.search.passage import Passage, PassageBox, Scores
from retrieval.search.query import CacheNote, Query, Result, Retrieved
from tests.deployments.ingress.handles import all_running, values_of

READ_AGAIN = "Lamps burn until the morning."


class Handle:
    """`handle.method.remote(...)` is a task of this loop, and `options(stream=True)` gives what is yielded."""

    def __init__(self, body: Any, *, stream: bool = False) -> None:
        self._body, self._stream = body, stream

    def options(self, *, stream: bool) -> Handle:
        return Handle(self._body, stream=stream)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._body, name)

        async def answer(*args: Any, **options: Any) -> Any:
            return await method(*await values_of(args), **options)

        async def items(*args: Any, **options: Any) -> AsyncIterator[Any]:
            async with contextlib.aclosing(method(*await values_of(args), **options)) as pieces:
                async for piece in pieces:
                    yield piece

        if self._stream:
            return SimpleNamespace(remote=lambda *args, **options: Items(items(*args, **options)))
        return SimpleNamespace(remote=lambda *args, **options: asyncio.ensure_future(answer(*args, **options)))


class Items:
    """What a streaming call gives; `cancel` ends it."""

    def __init__(self, items: AsyncIterator[Any]) -> None:
        self._items = items

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._items

    def cancel(self) -> None:
        self.ending = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        with contextlib.suppress(RuntimeError):  # it is being waited for; then that one is cancelled
            await self._items.aclose()  # pyright: ignore[reportAttributeAccessIssue]


class JobsHere(Jobs):
    """Without a cluster there is nothing to tell of where it is."""

    def _write_server_file(self) -> None:
        pass


class Parts:
    """Every deployment but Jobs and Renderer; made in the loop that it is called in."""

    def __init__(self, pool: RendererPool) -> None:
        self._pool = pool
        self.gate = asyncio.Semaphore(0)
        self.tokens = asyncio.Semaphore(0)
        self.engine = {"num_running": 0, "num_waiting": 0, "num_blocks": 64, "num_free_blocks": 64, "num_steps": 0}
        self.warnings: tuple[PageWarning, ...] = ()
        self.starting: set[str] = set()  # deployments of which no replica runs
        self.all_alike, self._first = False, None  # pages that look like the first cost nothing
        self.jobs: Any = None  # set once there are jobs
        self._chunks: list[Any] = []
        self._counter = counter_for(None)

    async def running(self) -> dict[str, dict[str, Any]]:
        return await all_running() | {name: {"status": "starting"} for name in self.starting}

    async def about(self) -> dict[str, Any]:
        return {"max_running": 16, "pages": 8, "batches": 2, "largest_batch": 5, **self.engine}

    async def open(self, source: Any) -> Any:
        return await self._pool.open(source)

    async def fingerprint(self, source: Any, number: int) -> str | None:
        return await self._pool.fingerprint(source, number)

    async def page(self, task: Any) -> Any:
        await self.gate.acquire()
        if self.all_alike and self._first is not None:
            return self._first.model_copy(update={"number": task.number}), {}
        authored = await self._pool.authored(task.source, task.number)
        if authored is not None:  # a file that says its text itself
            return authored, {}
        inspection = (await self._pool.inspect(task.source, task.number)).inspection()
        page = compose_page(inspection, draft_regions(inspection, []), {}, {}, self.warnings)
        self._first = page
        return page, {"layout_s": 0.1}

    async def finish(self, plan: Any, opened: Any) -> None:
        _, _, pages = await fetched_result(self.jobs, plan.job_id)
        chunks = chunk(document_of(plan, opened, pages), self._counter, self._counter.max_tokens)
        self._chunks += [(plan, piece) for piece in chunks]

    async def forget(self, document_id: str, *, namespace: str, shard: int = 0) -> None:
        self._chunks = [entry for entry in self._chunks if entry[0].document_id != document_id]

    async def read(self, picture: Any, **options: Any) -> Any:
        return (1, 1), Reading(text=READ_AGAIN)

    async def stream(self, picture: Any, **options: Any) -> AsyncIterator[str]:
        for word in READ_AGAIN.split(" "):
            await self.tokens.acquire()
            yield word + " "

    async def query(self, query: Query, **options: Any) -> Retrieved:
        entries = [entry for entry in self._chunks if query.text.lower() in entry[1].text.lower()][: query.k]
        result = Result(
            passages=tuple(passage(*entry) for entry in entries), mode="full_text", embedder=None, index_version=1
        )
        return Retrieved(result=result, cache=CacheNote(), timings={})


class RendererHere(Renderer):
    """Over a pool that others use, too."""

    def __init__(self, pool: RendererPool, settings: Settings) -> None:
        self._pool = pool
        self._num_children = 1
        self._bucket_objects = BucketObjects(settings)


def passage(plan: Any, piece: Any) -> Passage:
    """A chunk as search answers it."""
    boxes = tuple(PassageBox(page=span.page, box=span.box) for span in piece.spans)
    about = {name: getattr(piece, name) for name in ("text", "heading_path", "kind")}
    about |= {"document_id": plan.document_id, "revision": plan.revision, "page": boxes[0].page, "boxes": boxes}
    return Passage(chunk_id=piece.id, ordinal=0, score=1, scores=Scores(full_text=1), **about)


class House:
    """A server that a test lets go on page by page."""

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop, parts: Parts, jobs: Jobs) -> None:
        self.url, self._loop, self.parts, self._jobs = url, loop, parts, jobs

    def let_pages(self, count: int) -> None:
        self._loop.call_soon_threadsafe(lambda: [self.parts.gate.release() for _ in range(count)])

    def show(self, job_id: str, partial_page: PartialPage) -> None:
        """As the pipeline does while OCR reads a page."""
        asyncio.run_coroutine_threadsafe(self._jobs.partial_page(job_id, partial_page), self._loop).result(30)

    def forget_superseded(self, namespace: str, document_id: str) -> None:
        """As retention does once the earlier revisions are old enough."""
        forgetting = self._jobs._runner._owned_blobs.forget(namespace, document_id, datetime.now(UTC))
        asyncio.run_coroutine_threadsafe(forgetting, self._loop).result(30)

    def let_tokens(self, count: int) -> None:
        self._loop.call_soon_threadsafe(lambda: [self.parts.tokens.release() for _ in range(count)])


@contextlib.contextmanager
def house(folder: Path, keys: KeyRing | None = None, **settings: Any) -> Iterator[House]:
    """A server with these settings on a free port of loopback until the block is left."""
    begun: threading.Event = threading.Event()
    state: dict[str, Any] = {}

    def serve() -> None:
        with asyncio.Runner() as runner:
            runner.run(_serve(folder, keys, settings, state, begun))

    thread = threading.Thread(target=serve, name="house")
    thread.start()
    try:
        assert begun.wait(60), "the server did not start"
        yield House(state["url"], state["loop"], state["parts"], state["jobs"])
    finally:
        if "server" in state:
            state["server"].should_exit = state["server"].force_exit = True
        thread.join(30)


async def _serve(
    folder: Path, keys: KeyRing | None, changes: dict[str, Any], state: dict[str, Any], begun: threading.Event
) -> None:
    settings = Settings.model_validate({"data_dir": str(folder), "limits": {"max_pages_in_flight": 2}} | changes)
    pool = RendererPool(1)
    parts = Parts(pool)
    lm = await asyncio.to_thread(Lm, settings) if settings.lm.model else None
    lm_handle: Any = None if lm is None else Handle(lm)
    handle = Handle(parts)
    jobs = JobsHere(settings, cast("Any", handle), lm_handle, {FORM: CallbackMessages()})
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search"), handle)
    parts.jobs = Handle(jobs)
    rooms |= {"jobs": parts.jobs, "renderer": Handle(RendererHere(pool, settings))}
    blobs = FolderBlobs(settings.blob_dir)
    services = Services(
        settings=settings,
        blobs=blobs,
        keys=keys,
        running=parts.running,
        lm=lm_handle,
        answers=answers_by(settings.answers, lm_handle, os.environ),
        extractor=extractor_by(settings, lm_handle, os.environ),
        **rooms,
    )
    server = uvicorn.Server(
        uvicorn.Config(create_app(services), log_level="warning", lifespan="on", timeout_graceful_shutdown=1)
    )
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        for part in (jobs, lm):
            if part is not None:
                await part.check_health()
        state |= {"url": url, "loop": asyncio.get_running_loop(), "parts": parts, "jobs": jobs, "server": server}
        begun.set()
        await server.serve(sockets=[listening])
    finally:
        await jobs.__del__()
        if lm is not None:
            await lm._served.engine.close()
        await pool.close()
