"""The real ingress and the real job runner behind a real port, without Ray: the pages are those of a gated work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from configs import Settings
from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.api import documents, job_events, jobs, query
from deployments.ingress.app import guard
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.services import Services
from deployments.jobs.ingestion import IngestionLimits
from deployments.jobs.runner import JobRunner
from deployments.jobs.store.store import JobStore
from deployments.storage.folder_blobs import FolderBlobs
from documents.boxes import BoundingBox
from retrieval.answers.answer import Answerer
from retrieval.search.passage import Passage, PassageBox, Scores
from retrieval.search.query import CacheNote, Query, Result, Retrieved
from tests.deployments.gated_work import GatedExtract, GatedWork
from tests.deployments.ingress.handles import Streams
from tests.retrieval.answers.test_answer import Writer

KEY = "key-of-the-tests"


class Handle:
    """`handle.method.remote(...)` is a task on the object's method."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __getattr__(self, name: str) -> Any:
        async def run(*args: Any, **options: Any) -> Any:
            result = getattr(self._body, name)(*args, **options)
            return await result if asyncio.iscoroutine(result) else result

        return SimpleNamespace(remote=lambda *args, **options: asyncio.ensure_future(run(*args, **options)))

    def options(self, *, stream: bool) -> Streams:
        """The same methods as generators."""
        assert stream
        return Streams(self._body)


class Taking:
    """The runner under the names of the Jobs deployment."""

    def __init__(self, runner: JobRunner) -> None:
        self._runner = runner
        self.take = runner.submit

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner if hasattr(self._runner, name) else self._runner.watch, name)


class Found:
    """A search that finds one passage, and notes what it was asked."""

    async def query(self, query: Query, **_: Any) -> Retrieved:
        box = BoundingBox(x0=72, y0=90, x1=300, y1=110)
        hit = Passage(
            chunk_id="c",
            ordinal=0,
            document_id="harbour/rules" if not query.filter.document_id else query.filter.document_id[0],
            revision=1,
            text=f"What is told\nof {query.text}.",
            page=2,
            boxes=(PassageBox(page=2, box=box),),
            heading_path=("Rules", "Night"),
            kind="plain text",
            score=0.5,
            scores=Scores(full_text=0.5),
        )
        result = Result(passages=(hit,) * (query.text != "nothing"), mode="full_text", embedder=None, index_version=3)
        return Retrieved(result=result, cache=CacheNote(), timings={"total_s": 0.1})


class Mischief:
    """Stands before the app: answers a call by itself, or breaks its stream after so many events."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.refusals: list[tuple[int, dict[str, str], bytes]] = []  # given first, one a call
        self.break_after: list[int] = []  # events of each of the next streams
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.followed = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.asked.append((scope["method"], scope["path"], headers))
        if scope["path"].endswith("/events"):
            self.followed.set()
        if self.refusals:
            status, refusal_headers, body = self.refusals.pop(0)
            pairs = [(name.encode(), value.encode()) for name, value in refusal_headers.items()]
            await send({"type": "http.response.start", "status": status, "headers": pairs})
            await send({"type": "http.response.body", "body": body})
            return
        left = self.break_after.pop(0) if scope["path"].endswith("/events") and self.break_after else None

        async def broken(message: Message) -> None:
            nonlocal left
            if left is not None and message["type"] == "http.response.body" and b"\nevent:" in message["body"]:
                if left == 0:
                    raise ConnectionResetError("as if a cable was pulled")
                left -= 1
            await send(message)

        await self._app(scope, receive, send if left is None else broken)


class Here:
    """What a test holds of the server."""

    def __init__(self, url: str, mischief: Mischief, work: GatedWork, loop: asyncio.AbstractEventLoop) -> None:
        self.url, self.mischief, self.work, self._loop = url, mischief, work, loop
        self.stop = loop.stop  # replaced by a soft one

    def let_go(self) -> None:
        """The gated pages go on."""
        assert self.work.gate is not None
        self._loop.call_soon_threadsafe(self.work.gate.set)

    def wait_for_follower(self) -> None:
        """Until somebody follows the events of a job."""
        assert self.mischief.followed.wait(120)

    def calls(self, method: str, end: str = "") -> int:
        return sum(request[0] == method and request[1].endswith(end) for request in self.mischief.asked)


@contextmanager
def serving(folder: Path, *, keys: bool = False, gated: bool = False, work: GatedWork | None = None) -> Iterator[Here]:
    """The server until the block is left; its pages are those of `work`, three empty ones where none is given."""
    up = threading.Event()
    servers: list[Here] = []
    work = work or GatedWork(num_pages=3)

    async def main() -> None:
        if gated:
            work.gate = asyncio.Event()
        store, blobs = JobStore(f"sqlite:///{folder / 'jobs.sqlite'}", max_unfinished=20), FolderBlobs(folder / "blobs")
        limits = IngestionLimits(max_pages_in_flight=2, page_attempts=1)
        runner = JobRunner(store, blobs, work, GatedExtract(), limits, max_queued_jobs=20)
        await runner.start()
        mischief = Mischief(_app(runner, blobs, keys=keys))
        config = uvicorn.Config(mischief, port=0, log_level="critical", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup()
        port = server.servers[0].sockets[0].getsockname()[1]
        servers.append(Here(f"http://127.0.0.1:{port}", mischief, work, asyncio.get_running_loop()))
        stop = asyncio.Event()
        servers[0].stop = lambda: servers[0]._loop.call_soon_threadsafe(stop.set)
        up.set()
        await stop.wait()
        server.force_exit = True
        await server.shutdown()
        await runner.close()

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert up.wait(120)
    try:
        yield servers[0]
    finally:
        servers[0].stop()
        thread.join(30)
        assert not thread.is_alive()


def _app(runner: JobRunner, blobs: FolderBlobs, *, keys: bool) -> FastAPI:
    answers = Answerer(Writer("Ships wait [1]", " for the tide [1][4]."), max_tokens=50, prompt_tokens=1000)
    settings = Settings.model_validate({"limits": {"heartbeat_s": 0.2, "max_file_mb": 1}, "embedder": {"model": None}})
    rooms: dict[str, Any] = dict.fromkeys(("pipeline", "ocr", "renderer", "layout")) | {"search": Handle(Found())}
    entry = KeyEntry.model_validate({"name": "me", "sha256": hash_of(KEY), "namespace": "default", "roles": ["ingest"]})
    services = Services(
        settings=settings,
        jobs=Handle(Taking(runner)),  # pyright: ignore[reportArgumentType]
        blobs=blobs,
        keys=KeyRing([entry]) if keys else None,
        answers=answers,
        **rooms,
    )
    app = FastAPI()
    for room in (documents, jobs, job_events, query):
        app.include_router(room.router(services))
    error_responses.install(app)
    guard(app, services)
    return app
