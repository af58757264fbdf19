"""One rendering child as its parent sees it: started when first asked, killed when a call ends badly, then replaced.

It is handed the file of each call open, can open no other, and serves one namespace until it is replaced.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, cast

import documents
from documents import errors
from documents.rendering import wire
from documents.rendering.limits import RenderLimits
from documents.values import Source

logger = logging.getLogger(__name__)
T = TypeVar("T")
END_S = 2.0  # for a child that closed its output to be gone
NO_FILE = "the file cannot be opened"
BROKEN = (OSError, ValueError, KeyError, TypeError, RecursionError)  # what a reply of the wrong form raises


class ChildProcess:
    """Serves one call at a time; after a failed call no process is left, and the next call starts a new one."""

    def __init__(self, limits: RenderLimits) -> None:
        self._limits = limits
        self._process: Process | None = None
        self._files: socket.socket | None = None  # over which it is handed files
        self._num_documents = 0
        self.source: Source | None = None  # what it has open
        self.namespace: str | None = None  # whose documents it has seen; None before the first
        self.walls: tuple[str, ...] | None = None  # of the kernel, around the process; None before the first

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, source: Source, request: wire.Header, read: Callable[[Any, bytes], T]) -> T:
        """What `read` makes of the reply and its payload; it raises one of BROKEN if their form is wrong.

        Raises the IngestError that the child names, or that its end means.
        """
        with _opened(source, request) as handle:
            process = await self._started(source)
            return await self._answered(process, handle, source, request, read)

    async def _started(self, source: Source) -> Process:
        """A process that waits for a request; that there is none is never the document's fault."""
        late = f"no renderer was ready within {self._limits.start_timeout_s:g} s"
        try:
            async with asyncio.timeout(self._limits.start_timeout_s):
                return await self._ready(source)
        except TimeoutError:
            await self.stop()
            raise errors.RendererUnavailable(late) from None
        except (EOFError, *BROKEN) as error:
            status = await self.stop(grace_s=END_S)
            logger.warning("a renderer could not be started (%s): %r", status, error)
            raise errors.RendererUnavailable("no renderer could be started") from error
        except BaseException:
            await self.stop()
            raise

    async def _answered(
        self, process: Process, handle: int, source: Source, request: wire.Header, read: Callable[[Any, bytes], T]
    ) -> T:
        late = f"stopped after {self._limits.page_timeout_s:g} s"
        try:
            async with asyncio.timeout(self._limits.page_timeout_s):
                reply, payload = await self._exchange(process, handle, {**request, "source": source.model_dump()})
            refusal = _named(reply["error"], source) if "error" in reply else None
            answer = None if refusal else read(reply["ok"], payload)
        except TimeoutError:
            await self.stop()
            raise errors.PageTimeout(late) from None
        except (EOFError, *BROKEN) as error:  # it died, or its memory is spoilt
            status = await self.stop(grace_s=END_S)
            if status == -signal.SIGXCPU:
                late = f"stopped after {self._limits.page_cpu_s:g} s of processor time"
                raise errors.PageTimeout(late) from None
            raise _wrong(request)(f"the renderer ended ({status}) while it read this") from error
        except BaseException:  # cancelled: the work must not go on
            await self.stop()
            raise
        if reply.get("worn"):  # it ran out of memory, or holds too much of it: the next call gets a fresh one
            await self.stop()
        if refusal:
            raise refusal
        return cast(T, answer)

    async def stop(self, grace_s: float = 0) -> int | None:
        """End the process, if there is one; returns its exit status, negative for a signal.

        One that is ending by itself has `grace_s` to do so, for its own status tells why.
        """
        process, self._process, self.source, self.namespace = self._process, None, None, None
        if self._files is not None:
            self._files.close()
            self._files = None
        if process is None:
            return None
        if grace_s:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace_s)
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        process._transport.close()  # pyright: ignore[reportAttributeAccessIssue] (no public way to close the pipes)
        return await asyncio.shield(process.wait())

    async def _ready(self, source: Source) -> Process:
        """A process that waits for a request; a worn out one is replaced."""
        worn = source != self.source and self._num_documents >= self._limits.documents_per_child
        if not self.running or worn or self.namespace != source.namespace:
            await self.stop()
            self._num_documents, self.namespace = 0, source.namespace
            self._process, self._files = await _start(self._limits)
            told, _ = await wire.receive(_stdout(self._process), 0)
            self.walls = tuple(told["walls"])
        assert self._process is not None
        if source != self.source:
            self._num_documents += 1
            self.source = source
        return self._process

    async def _exchange(self, process: Process, handle: int, request: wire.Header) -> tuple[wire.Header, bytes]:
        assert process.stdin is not None
        assert self._files is not None
        wire.send_file(self._files, handle)
        process.stdin.writelines(wire.packed(request))
        await process.stdin.drain()
        most = 4 * self._limits.max_pixels if request["call"] == "picture" else wire.MAX_HEADER
        return await wire.receive(_stdout(process), most)


async def _start(limits: RenderLimits) -> tuple[Process, socket.socket]:
    """A fresh interpreter with a bare environment: nothing of the parent's memory, secrets or files goes along."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    given = (json.dumps(asdict(limits)), str(os.getpid()), str(theirs.fileno()))
    command = [sys.executable, "-P", "-m", "documents.rendering.child", *given]
    env, passed = _environment(), (theirs.fileno(),)
    try:
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, cwd="/", env=env, limit=1 << 20, pass_fds=passed
            )
    except BaseException:
        ours.close()
        raise
    return process, ours


@contextmanager
def _opened(source: Source, request: wire.Header) -> Iterator[int]:
    """The document's file for the time of one call."""
    try:
        handle = os.open(source.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        logger.warning("%s: %s", source.path, type(error).__name__)
        raise _wrong(request)(NO_FILE) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _environment() -> dict[str, str]:
    root = str(Path(documents.__file__).resolve().parent.parent)
    return {
        "PYTHONPATH": os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p),
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_MMAP_THRESHOLD_": str(16 << 20),  # a page's pictures take memory that the page before has used:
        "MALLOC_TRIM_THRESHOLD_": str(64 << 20),  # asking the kernel anew is 5 ms of 80
    }


def _stdout(process: Process) -> asyncio.StreamReader:
    assert process.stdout is not None
    return process.stdout


def _wrong(request: wire.Header) -> type[errors.IngestError]:
    return errors.UnreadableDocument if request["call"] == "open" else errors.PageFailed


def _named(error: Any, source: Source) -> errors.IngestError:
    code, message, detail = error["code"], error["message"], error["detail"]
    if not (isinstance(code, str) and isinstance(message, str) and isinstance(detail, str)):
        raise TypeError("an error is told in words")
    if detail:  # for whoever runs the server: it may name paths, and never leaves it
        logger.warning("%s: %s: %s", source.path, code, detail)
    known = {kind.code: kind for kind in errors.IngestError.__subclasses__()}
    return known.get(code, errors.PageFailed)(message)
