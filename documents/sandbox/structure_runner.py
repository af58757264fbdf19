"""Runs the rules of page structure in child processes; a rule that crashes or loops is skipped at the next try."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from documents.draft.rule import MAX_TRACE_CHARACTERS, RuleFailure
from documents.draft.text_source import Wanted
from documents.errors import PageTooCostly
from documents.page.rules import RULES
from documents.sandbox import framing
from documents.sandbox.child_call import ChildCall
from documents.sandbox.child_failures import RuleEnded
from documents.sandbox.page_stages import ComposeCall, DraftedPage, InspectedPage, PageReadings, PageView
from documents.sandbox.renderer_pool import RendererPool
from documents.sandbox.structure_call import StructureReply, StructureRequest
from documents.segments.blocks import SegmentBlock
from documents.values import Detection, Page, Source

logger = logging.getLogger(__name__)
T = TypeVar("T")
MAX_ENDED = 3  # children that rules may end over one page


class StructureError(RuntimeError):
    """A step between the rules failed, which is a bug of ours; the message is its trace."""


class StructureRunner:
    """Asks the children of a pool for the structure of pages; each call belongs to the namespace of its document.

    Any call raises PageTooCostly or PageFailed where the page cannot be composed even without the rules that failed,
    and what any call of the pool raises.
    """

    def __init__(self, pool: RendererPool, on_failure: Callable[[RuleFailure, int], None] | None = None) -> None:
        """`on_failure` is called with each rule that fails, and the number of the page."""
        self._pool = pool
        self._on_failure = on_failure or _log_failure
        self._rules = frozenset(rule.name for rules in RULES.values() for rule in rules)

    async def draft(
        self,
        page: InspectedPage,
        detections: Sequence[Detection],
        *,
        blocks: Sequence[SegmentBlock] = (),
        text_source: Wanted,
        crop_margin: tuple[float, float],
    ) -> DraftedPage:
        """The regions of a page before any of them is read, as `draft_regions`."""
        request = StructureRequest(
            call="draft",
            detections=tuple(detections),
            blocks=tuple(blocks),
            text_source=text_source,
            crop_margin=crop_margin,
            cpu_s=self._pool.limits.page_cpu_s,
        )

        def read(reply: StructureReply, content: bytes) -> DraftedPage:
            return DraftedPage(
                source=page.source,
                number=page.number,
                size=page.size,
                pose=page.pose,
                turn=page.turn,
                drafts=reply.drafts,
                printed_lines=reply.printed_lines,
                content=content,
            )

        drafted, failures = await self._ask(page, request, page.content, read)
        return drafted.model_copy(update={"failures": failures})

    async def segments(self, page: DraftedPage, readings: PageReadings) -> bytes:
        """The features of the page's lines once OCR has read them, for the structure network."""
        read = readings.model_copy(update={"charts": {}, "warnings": ()})  # which are no lines
        request = StructureRequest(call="segments", readings=read, cpu_s=self._pool.limits.page_cpu_s)
        features, _ = await self._ask(page, request, page.content, lambda _, content: content)
        return features

    async def compose(self, call: ComposeCall) -> Page:
        """The page once its regions are read, as `compose_page`; of a straightened one in points of the page itself."""
        page = call.page
        request = StructureRequest(
            call="compose",
            readings=call.readings,
            blocks=call.blocks,
            low_confidence=call.low_confidence,
            pose=page.pose,
            page_size=page.size,
            cpu_s=self._pool.limits.page_cpu_s,
            failures=page.failures,
        )
        composed, _ = await self._ask(page, request, page.content, _page_of(page.number))
        return composed

    async def structure(
        self, page: InspectedPage, detections: Sequence[Detection], *, blocks: Sequence[SegmentBlock] = ()
    ) -> Page:
        """A page of which nothing is read: its regions in reading order, without their spans."""
        request = StructureRequest(
            call="structure",
            detections=tuple(detections),
            blocks=tuple(blocks),
            cpu_s=self._pool.limits.page_cpu_s,
        )
        composed, _ = await self._ask(page, request, page.content, _page_of(page.number))
        return composed

    async def _ask(
        self,
        page: PageView,
        request: StructureRequest,
        content: bytes,
        read: Callable[[StructureReply, bytes], T],
    ) -> tuple[T, tuple[RuleFailure, ...]]:
        """The result, and the failures of this call: those that a child tells, and those that ended one."""
        skipped: list[RuleFailure] = []
        while len(skipped) < MAX_ENDED:
            names = tuple(failure.rule for failure in skipped)
            attempt = request.model_copy(update={"failures": (*request.failures, *skipped), "skipped": names})
            try:
                reply, result = await self._pool.ask(self._call(page.source, attempt, content, read))
            except RuleEnded as ended:
                skipped.append(RuleFailure(rule=ended.rule, trace=str(ended)))
                continue
            if result is None:
                raise StructureError(f"page {page.number}: {_printable(reply.trace or '')}")
            failures = {failure.rule: failure for failure in (*reply.failures, *skipped)}
            for failure in failures.values():
                self._on_failure(failure, page.number)
            return result, tuple(failures.values())
        raise PageTooCostly(f"{MAX_ENDED} rules had to be ended over it")

    def _call(
        self,
        source: Source,
        request: StructureRequest,
        content: bytes,
        read: Callable[[StructureReply, bytes], T],
    ) -> ChildCall[tuple[StructureReply, T | None]]:
        def parsed(ok: Any, payload: bytes) -> tuple[StructureReply, T | None]:
            reply = StructureReply.model_validate(ok)
            if not self._rules.issuperset(failure.rule for failure in reply.failures):
                raise ValueError("a rule that does not exist")
            failures = tuple(
                RuleFailure(rule=failure.rule, trace=_printable(failure.trace)) for failure in reply.failures
            )
            result = None if reply.trace is not None else read(reply, payload)
            return reply.model_copy(update={"failures": failures}), result

        return ChildCall(
            source=source,
            work="composing",
            header=request.model_dump(mode="json", exclude_defaults=True),
            payload=content,
            read=parsed,
            max_reply=framing.MAX_PAGE_BYTES
            if request.call in ("draft", "segments")
            else framing.MAX_FINISHED_PAGE_BYTES,
            rules=self._rules,
        )


def _page_of(number: int) -> Callable[[StructureReply, bytes], Page]:
    def read(_: StructureReply, content: bytes) -> Page:
        page = Page.model_validate_json(content)
        if page.number != number:
            raise ValueError("another page")
        return page

    return read


def _printable(trace: str) -> str:
    """The end of a trace as the log may show it: each line begins with spaces, so that a child forges none of ours."""
    lines = trace[-MAX_TRACE_CHARACTERS:].splitlines()
    return "\n".join("  " + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)


def _log_failure(failure: RuleFailure, page: int) -> None:
    logger.error("rule `%s` failed on page %d: %s", failure.rule, page, failure.trace)
