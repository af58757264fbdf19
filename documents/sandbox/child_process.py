"""Starts, watches, kills and replaces one child process: timeouts, memory, CPU time.

It is handed the file of each call that parses, open, can open no other, and serves one namespace until it is replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

from documents import errors
from documents.render_limits import RenderLimits
from documents.sandbox import framing
from documents.sandbox.child_call import ChildCall
from documents.sandbox.child_failures import ChildEnd, ChildLost, blamed, end_of, verdict
from documents.sandbox.spawn import Spawned, spawn
from documents.values import Source

logger = logging.getLogger(__name__)
T = TypeVar("T")
END_TIMEOUT_S = 2.0  # time in which a child ends after it has closed its output
COMPOSE_CPU_S = 2.0  # processor time for reading and writing a page, beside its rules
NO_FILE = "the file cannot be opened"
REPLY_ERRORS = (OSError, ValueError, KeyError, TypeError, RecursionError)  # a reply of the wrong form raises these


class ChildProcess:
    """Serves one call at a time; after a failed call no process is left, and the next call starts a new one."""

    def __init__(self, limits: RenderLimits, on_end: Callable[[str], None] = lambda _: None) -> None:
        self._limits = limits
        self._on_end = on_end
        self._spawned: Spawned | None = None
        self._num_documents = 0
        self._closed = False
        self._starting = asyncio.Lock()  # held while a process is started
        self._rule: str | None = None  # that the child is in, as it says
        self.source: Source | None = None  # whose call was its last; as a rule what it has open
        self.namespace: str | None = None  # whose documents it has seen; None before the first
        self.start_s = 0.0  # that the last start took
        self.walls: tuple[str, ...] | None = None  # of the kernel, around the process; None before the first

    @property
    def running(self) -> bool:
        return self._spawned is not None and self._spawned.process.returncode is None

    async def ask(self, call: ChildCall[T], path: str | None) -> T:
        """What `call.read` makes of the reply; a call that parses is handed the file at `path`, open.

        If the child ends over it, a fresh one is asked once more. Raises the IngestError that the child names, or that
        the ends mean, or RuleEnded: see `child_end`.
        """
        lost: list[ChildLost] = []
        with _opened(call, path) as handle:
            while True:
                spawned = await self._started(call.source)
                try:
                    return await self._answered(spawned, handle, call)
                except ChildLost as ended:
                    lost.append(ended)
                    if (error := verdict(lost, call, self._limits.page_cpu_s)) is not None:
                        raise error from ended

    async def warm(self) -> None:
        """Start a process for whoever calls first; nothing where one has run, and no harm where none can be started."""
        async with self._starting:
            if self._closed or self.running or self.namespace is not None:
                return
            try:
                async with asyncio.timeout(self._limits.start_timeout_s):
                    await self._spawn()
                if self._closed:  # meanwhile
                    await self.stop(ChildEnd.CLOSED)
            except BaseException as error:
                await self.stop(ChildEnd.UNSTARTED)
                if not isinstance(error, (TimeoutError, EOFError, *REPLY_ERRORS)):
                    raise

    async def _started(self, source: Source) -> Spawned:
        """A process that waits for a request; that there is none is never the document's fault."""
        late = f"no renderer was ready within {self._limits.start_timeout_s:g} s"
        try:
            async with asyncio.timeout(self._limits.start_timeout_s):
                return await self._ready(source)
        except TimeoutError:
            await self.stop(ChildEnd.UNSTARTED)
            raise errors.RendererUnavailable(late) from None
        except (EOFError, *REPLY_ERRORS) as error:
            try:
                status, words = await self._ended()
                logger.warning("a renderer could not be started (%s): %r; %s", status, error, words)
            finally:
                await self.stop(ChildEnd.UNSTARTED)
            raise errors.RendererUnavailable("no renderer could be started") from error
        except BaseException:
            await self.stop(ChildEnd.CANCELLED)
            raise

    async def _answered(self, spawned: Spawned, handle: int | None, call: ChildCall[T]) -> T:
        late = f"stopped after {self._limits.page_timeout_s:g} s"
        try:
            async with asyncio.timeout(self._limits.page_timeout_s):
                reply, payload = await self._exchange(spawned, handle, call)
            refusal = _named(reply["error"], call.source) if "error" in reply else None
            answer = None if refusal else await _read(call, reply["ok"], payload)
        except TimeoutError:
            await self.stop(ChildEnd.TIMEOUT)
            raise errors.PageTimeout(late) from None
        except (EOFError, *REPLY_ERRORS) as error:  # it died, or its memory is spoilt
            raise await self._lost(call.source, error) from error
        except BaseException:  # cancelled: the work must not go on
            await self.stop(ChildEnd.CANCELLED)
            raise
        if reply.get("worn"):  # it ran out of memory, or holds too much of it: the next call gets a fresh one
            await self.stop(ChildEnd.RETIRED)
        if refusal:
            raise refusal
        return cast(T, answer)

    async def _lost(self, source: Source, error: Exception) -> ChildLost:
        """Why there was no reply, or a senseless one; its last words are for whoever runs the server."""
        lives = not isinstance(error, (EOFError, OSError))  # and says what it should not
        try:
            status, words = await self._ended(grace_s=0 if lives else END_TIMEOUT_S)
        except BaseException:  # cancelled
            await self.stop(ChildEnd.CANCELLED)
            raise
        end = ChildEnd.SENSELESS if lives or status is None else end_of(status)
        logger.warning("a renderer ended (%s, %s) over %s: %r; %s", end, status, source.path, error, words)
        await self.stop(end)
        return ChildLost(end, status, self._rule)

    async def _ended(self, grace_s: float = END_TIMEOUT_S) -> tuple[int | None, str]:
        """Exit status (negative for a signal) and last words of a process that ends by itself; None if it does not."""
        spawned = self._spawned
        if spawned is None:
            return None, ""
        with suppress(TimeoutError):
            await asyncio.wait_for(spawned.process.wait(), grace_s)
        return spawned.process.returncode, spawned.last_words()

    async def stop(self, why: ChildEnd) -> None:
        """End the process, if there is one."""
        spawned, self._spawned, self.source, self.namespace = self._spawned, None, None, None
        if spawned is None:
            return
        self._on_end(why)
        if spawned.process.returncode is None:
            with suppress(ProcessLookupError):
                spawned.process.kill()
        spawned.close()
        await asyncio.shield(spawned.process.wait())

    async def close(self) -> None:
        """End the process for good; a call that it serves fails."""
        self._closed = True
        await self.stop(ChildEnd.CLOSED)

    async def _ready(self, source: Source) -> Spawned:
        """A process that waits for a request; a worn out one is replaced. One that has had none is nobody's yet."""
        async with self._starting:
            if self._closed:
                raise RuntimeError("the renderer pool is closed")
            worn = source != self.source and self._num_documents >= self._limits.documents_per_child
            foreign = self.namespace not in (None, source.namespace)
            if not self.running or worn or foreign:
                await self.stop(ChildEnd.NAMESPACE if foreign else ChildEnd.RETIRED if worn else ChildEnd.LOST)
                await self._spawn()
            self.namespace = source.namespace
            assert self._spawned is not None
            if source != self.source:
                self._num_documents += 1
                self.source = source
            return self._spawned

    async def _spawn(self) -> None:
        """Start a process that has seen no document."""
        self._num_documents = 0
        begun = time.monotonic()
        self._spawned = await spawn(self._limits)
        header, _ = await framing.receive(self._spawned.replies, 0)
        self.walls = tuple(header["walls"])
        self.start_s = time.monotonic() - begun

    async def _exchange(
        self, spawned: Spawned, handle: int | None, call: ChildCall[Any]
    ) -> tuple[framing.Header, bytes]:
        self._rule = None
        spawned.allow_cpu(self._limits.page_cpu_s + (COMPOSE_CPU_S if call.work == "composing" else 0))
        if handle is not None:
            framing.send_file(spawned.files, handle)
        spawned.requests.writelines(framing.packed(call.header, call.payload))
        await spawned.requests.drain()
        for _ in range(2 * len(call.rules) + 1):  # each rule is named once, and "none" after each stage
            reply, payload = await framing.receive(spawned.replies, call.max_reply)
            if "rule" not in reply or not call.rules:
                return reply, payload
            self._rule = call.rule_of(reply)
        raise ValueError("more rules than there are")


@contextmanager
def _opened(call: ChildCall[Any], path: str | None) -> Iterator[int | None]:
    """The document's file for the time of a call that reads of it; only that there is none is its own fault."""
    if path is None:
        yield None
        return
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        logger.warning("%s: %s (%s)", call.source.path, type(error).__name__, error.strerror)
        is_missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        kind = blamed(call) if is_missing else errors.RendererUnavailable
        raise kind(NO_FILE) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _named(error: Any, source: Source) -> errors.IngestError:
    code, message, detail = error["code"], error["message"], error["detail"]
    if not (isinstance(code, str) and isinstance(message, str) and isinstance(detail, str)):
        raise TypeError("an error must have a message")
    if detail:  # for whoever runs the server: it may name paths, and never leaves it
        logger.warning("%s: %s: %s", source.path, code, detail)
    kinds_by_code = {kind.code: kind for kind in errors.IngestError.__subclasses__()}
    return kinds_by_code.get(code, errors.PageFailed)(message)


async def _read(call: ChildCall[T], facts: Any, payload: bytes) -> T:
    """A large page is parsed beside the event loop; pixels and attachments are taken as they are."""
    if call.is_raw or len(payload) < framing.MIN_THREAD_BYTES:
        return call.read(facts, payload)
    return await asyncio.to_thread(call.read, facts, payload)
