"""One rendering child as its parent sees it: started when first asked, killed when a call ends badly, then replaced."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import documents
from documents import errors
from documents.rendering import wire
from documents.rendering.limits import RenderLimits
from documents.values import Source

logger = logging.getLogger(__name__)
END_S = 2.0  # for a child that closed its output to be gone


class ChildProcess:
    """Serves one call at a time; after a failed call no process is left, and the next call starts a new one."""

    def __init__(self, limits: RenderLimits) -> None:
        self._limits = limits
        self._process: Process | None = None
        self._num_documents = 0
        self.source: Source | None = None  # what it has open
        self.walls: tuple[str, ...] | None = None  # of the kernel, around the process; None before the first

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, source: Source, request: wire.Header) -> tuple[wire.Header, bytes]:
        """The reply and its payload; raises the IngestError that the child names, or that its end means."""
        late = f"no renderer was ready within {self._limits.start_timeout_s:g} s"
        try:
            async with asyncio.timeout(self._limits.start_timeout_s):
                process = await self._ready(source)
            late = f"stopped after {self._limits.page_timeout_s:g} s"
            async with asyncio.timeout(self._limits.page_timeout_s):
                reply, payload = await self._exchange(process, {**request, "source": source.model_dump()})
        except TimeoutError:
            await self.stop()
            raise errors.PageTimeout(late) from None
        except (EOFError, ConnectionError, ValueError) as error:  # it died, or its memory is spoilt
            status = await self.stop(grace_s=END_S)
            if status == -signal.SIGXCPU:
                late = f"stopped after {self._limits.page_cpu_s:g} s of processor time"
                raise errors.PageTimeout(late) from None
            raise _death(request)(f"the renderer ended ({status}) while it read this") from error
        except BaseException:  # cancelled: the work must not go on
            await self.stop()
            raise
        if reply.get("worn"):  # it ran out of memory, or holds too much of it: the next call gets a fresh one
            await self.stop()
        if "error" in reply:
            if reply["error"]["detail"]:  # for whoever runs the server: it may name paths, and never leaves it
                logger.warning("%s: %s: %s", source.path, reply["error"]["code"], reply["error"]["detail"])
            raise _named(reply["error"])
        return reply["ok"], payload

    async def stop(self, grace_s: float = 0) -> int | None:
        """End the process, if there is one; returns its exit status, negative for a signal.

        One that is ending by itself has `grace_s` to do so, for its own status tells why.
        """
        process, self._process, self.source = self._process, None, None
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
        if not self.running or (source != self.source and self._num_documents >= self._limits.documents_per_child):
            await self.stop()
            self._num_documents = 0
            self._process = await _start(self._limits)
            told, _ = await wire.receive(_stdout(self._process), 0)
            self.walls = tuple(told["walls"])
        assert self._process is not None
        if source != self.source:
            self._num_documents += 1
            self.source = source
        return self._process

    async def _exchange(self, process: Process, request: wire.Header) -> tuple[wire.Header, bytes]:
        assert process.stdin is not None
        process.stdin.writelines(wire.packed(request))
        await process.stdin.drain()
        return await wire.receive(_stdout(process), 4 * self._limits.max_pixels)


async def _start(limits: RenderLimits) -> Process:
    """A fresh interpreter with a bare environment: nothing of the parent's memory, secrets or files goes along."""
    command = [sys.executable, "-P", "-m", "documents.rendering.child", json.dumps(asdict(limits)), str(os.getpid())]
    env = _environment()
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, cwd="/", env=env, limit=1 << 20)


def _environment() -> dict[str, str]:
    root = str(Path(documents.__file__).resolve().parent.parent)
    return {
        "PYTHONPATH": os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p),
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _stdout(process: Process) -> asyncio.StreamReader:
    assert process.stdout is not None
    return process.stdout


def _death(request: wire.Header) -> type[errors.IngestError]:
    return errors.UnreadableDocument if request["call"] == "open" else errors.PageFailed


def _named(error: dict[str, str]) -> errors.IngestError:
    known = {kind.code: kind for kind in errors.IngestError.__subclasses__()}
    return known.get(error["code"], errors.PageFailed)(error["message"])
