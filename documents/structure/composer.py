"""Rules of pages run in children with a limit of processor time: none of them can hold its caller, or another page.

A child that a rule has ended is replaced, and the page done again without that rule.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from documents.errors import PageFailed, PageTimeout, PageTooCostly, RendererUnavailable
from documents.inspection import Inspection
from documents.sandbox.spawn import allow_cpu, bare_environment
from documents.structure.build_page import CROP_MARGIN
from documents.structure.child import LENGTH, READY, RuleStarts, StructureReply, StructureRequest
from documents.structure.compose import LOW_CONFIDENCE
from documents.structure.page_draft import RegionDraft
from documents.structure.rule import RuleFailure
from documents.structure.text_source import Wanted
from documents.values import Detection, Page, PageWarning, Reading

logger = logging.getLogger(__name__)
MARGIN_S = 2.0  # of processor time beside the rules': reading the request, writing the reply
MAX_FRAME = 256 << 20  # bytes
START_S = 60.0
END_S = 5.0  # for a child that broke off to be gone
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MOST_ENDED = 3  # children that may end over one page


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerLimits:
    """Of the children, and of one call to one of them."""

    num_children: int = 2  # pages that are composed at once: one that costs much does not hold up the next
    page_cpu_s: float = 20.0
    page_timeout_s: float = 60.0
    memory_bytes: int = 1_500_000_000


class StructureError(RuntimeError):
    """A step between the rules failed, which is a bug of ours; the message is its trace."""


class _Ended(Exception):
    """A child ended over a call, in `rule` if in any; `from_outside`: by no fault of the page."""

    def __init__(self, rule: str | None, why: str, *, from_outside: bool) -> None:
        super().__init__(why)
        self.rule, self.why, self.from_outside = rule, why, from_outside


class Composer:
    """Composes pages in its children, each with one page at a time; a free child is started only when there is work."""

    def __init__(
        self,
        limits: ComposerLimits | None = None,
        on_failure: Callable[[RuleFailure, int], None] | None = None,
        *,
        module: str = "documents.structure.child",
    ) -> None:
        self._limits = limits or ComposerLimits()
        self._on_failure, self._module = on_failure or _log_failure, module
        self._environment = bare_environment()
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._places = asyncio.Semaphore(self._limits.num_children)
        self._closed = False

    @property
    def pids(self) -> set[int]:
        """Of the children that are there."""
        return {child.pid for child in (*self._idle, *self._busy)}

    async def draft(
        self,
        inspection: Inspection,
        detections: Sequence[Detection],
        *,
        text_source: Wanted = "auto",
        crop_margin: tuple[float, float] = CROP_MARGIN,
    ) -> tuple[tuple[RegionDraft, ...], tuple[RuleFailure, ...]]:
        """As `draft_regions`, and the rules that failed, which `compose` wants to be told.

        Raises:
            PageTooCostly, PageFailed: the page cannot be composed even without the rules that failed.
            RendererUnavailable: no child could be started; it may be tried again.
        """
        reply, failures = await self._ask(
            StructureRequest(
                call="draft",
                inspection=inspection,
                detections=tuple(detections),
                text_source=text_source,
                crop_margin=crop_margin,
                cpu_s=self._limits.page_cpu_s,
            )
        )
        return reply.drafts, failures

    async def compose(
        self,
        inspection: Inspection,
        drafts: Sequence[RegionDraft],
        readings: Mapping[int, Reading],
        crop_sizes: Mapping[int, tuple[int, int]],
        warnings: Sequence[PageWarning] = (),
        *,
        failures: Sequence[RuleFailure] = (),
        low_confidence: float = LOW_CONFIDENCE,
    ) -> Page:
        """As `compose_page`; `failures` are of the rules that failed over its drafts. Raises as `draft`."""
        reply, _ = await self._ask(
            StructureRequest(
                call="compose",
                inspection=inspection,
                drafts=tuple(drafts),
                readings=dict(readings),
                crop_sizes=dict(crop_sizes),
                warnings=tuple(warnings),
                low_confidence=low_confidence,
                cpu_s=self._limits.page_cpu_s,
                failures=tuple(failures),
            )
        )
        if reply.page is None:
            raise PageFailed("the rules of page structure made no page of it")
        return reply.page

    async def page(self, inspection: Inspection, detections: Sequence[Detection]) -> Page:
        """A page of which nothing is read: its regions in reading order. Raises as `draft`."""
        drafts, failures = await self.draft(inspection, detections)
        return await self.compose(inspection, drafts, {}, {}, failures=failures)

    async def close(self) -> None:
        """End all children; a call under way fails."""
        self._closed = True
        children = [*self._idle, *self._busy]
        self._idle.clear()
        for child in children:
            await _end(child)

    async def _ask(self, request: StructureRequest) -> tuple[StructureReply, tuple[RuleFailure, ...]]:
        """The reply, and the failures of this call: those that a child tells, and those that ended one."""
        skipped: list[RuleFailure] = []
        was_repeated = False  # after an end from outside
        for _ in range(MOST_ENDED):
            known = (*request.failures, *skipped)
            names = tuple(failure.rule for failure in skipped)
            try:
                async with self._places:
                    reply = await self._answered(request.model_copy(update={"failures": known, "skipped": names}))
            except _Ended as ended:
                logger.warning("a composer ended over page %d: %s", request.inspection.number, ended.why)
                if ended.from_outside and was_repeated:
                    raise RendererUnavailable(f"composers are ended from outside: {ended.why}") from ended
                if ended.from_outside:
                    was_repeated = True
                elif ended.rule is None:
                    raise PageTooCostly(f"its structure was not found: {ended.why}") from ended
                else:
                    skipped.append(RuleFailure(rule=ended.rule, trace=ended.why))
                continue
            if reply.out_of_memory:
                raise PageTooCostly("its structure takes more memory than allowed")
            if reply.trace is not None:
                raise StructureError(f"page {request.inspection.number}: {reply.trace}")
            failures = {failure.rule: failure for failure in (*reply.failures, *skipped)}
            for failure in failures.values():
                if failure not in request.failures:
                    self._on_failure(failure, request.inspection.number)
            return reply, tuple(failures.values())
        raise PageTooCostly(f"{MOST_ENDED} rules had to be ended over it")

    async def _answered(self, request: StructureRequest) -> StructureReply:
        child = next((each for each in self._popped() if each.returncode is None), None) or await self._started()
        self._busy.add(child)
        try:
            reply = await self._exchanged(child, request)
        except BaseException:  # it died, or nobody waits for the work any more
            await _end(child)
            raise
        finally:
            self._busy.discard(child)
        self._idle.append(child)
        return reply

    def _popped(self) -> Iterator[Process]:
        while self._idle:
            yield self._idle.pop()

    async def _exchanged(self, child: Process, request: StructureRequest) -> StructureReply:
        assert child.stdin is not None
        rule: str | None = None
        try:
            async with asyncio.timeout(self._limits.page_timeout_s):
                allow_cpu(child.pid, self._limits.page_cpu_s + MARGIN_S)
                frame = request.model_dump_json(exclude_defaults=True).encode()
                child.stdin.writelines((LENGTH.pack(len(frame)), frame))
                await child.stdin.drain()
                while True:
                    answer = await _frame(child)
                    if not answer.startswith(b'{"rule":'):
                        return StructureReply.model_validate_json(answer)
                    rule = RuleStarts.model_validate_json(answer).rule
        except TimeoutError:
            raise PageTimeout(f"its structure was not found in {self._limits.page_timeout_s:g} s") from None
        except (EOFError, OSError, ValueError) as error:
            code = await _code(child)
            from_outside = code is not None and -code in FROM_OUTSIDE
            raise _Ended(rule, f"a child ended with {code} ({error!r})", from_outside=from_outside) from error

    async def _started(self) -> Process:
        if self._closed:
            raise RuntimeError("the composer is closed")
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", self._module, str(self._limits.memory_bytes)),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd="/",
                env=self._environment,
            )
        except OSError as error:
            raise RendererUnavailable("no composer could be started") from error
        try:
            async with asyncio.timeout(START_S):
                if await _frame(child) != READY:
                    raise EOFError
        except (TimeoutError, EOFError, OSError, ValueError) as error:
            await _end(child)
            raise RendererUnavailable("no composer could be started") from error
        except BaseException:
            await _end(child)
            raise
        return child


def _log_failure(failure: RuleFailure, page: int) -> None:
    logger.error("rule `%s` failed over page %d: %s", failure.rule, page, failure.trace)


async def _frame(child: Process) -> bytes:
    assert child.stdout is not None
    (length,) = LENGTH.unpack(await child.stdout.readexactly(LENGTH.size))
    if length > MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    return await child.stdout.readexactly(length)


async def _code(child: Process) -> int | None:
    """With what a child that broke off ended; it is ended here if it did not."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            return await child.wait()
    await _end(child)
    return None


async def _end(child: Process) -> None:
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    await asyncio.shield(child.wait())
