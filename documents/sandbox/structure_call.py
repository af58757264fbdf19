"""The call that builds a page's structure in a child process: request, reply, and the child's part.

Before each rule the child says its name, so that its parent knows in which rule it ended.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

from documents.boxes import BoundingBox, Value
from documents.draft.page_draft import RegionDraft
from documents.draft.rule import MAX_TRACE_CHARACTERS, RuleClock, RuleFailure
from documents.draft.text_source import Wanted
from documents.errors import PageFailed, PageTooCostly, TooLargeUnpacked
from documents.inspection import Inspection
from documents.page.build_page import CROP_MARGIN, RuleRun, compose_page, draft_regions, read_page
from documents.page.finished_page import LOW_CONFIDENCE
from documents.regions.scanned_lines import plan_reading, text_alone
from documents.sandbox import framing
from documents.sandbox.page_stages import PageReadings
from documents.segments.blocks import SegmentBlock
from documents.segments.packed_features import packed_segments
from documents.straighten.pose import Pose, on_page
from documents.values import Detection, Page

AnyValue = TypeVar("AnyValue", bound=Value)
NAMES = ("draft", "segments", "compose", "structure")


class StructureRequest(Value):
    """What is asked for beside the page's content; all is as `build_page` takes it.

    `draft` makes regions of an inspection, `segments` the features of the lines of regions that were read, `compose` a
    page of these regions, `structure` a page of which nothing is read, and whose regions come without spans.
    """

    call: Literal["draft", "segments", "compose", "structure"]
    detections: tuple[Detection, ...] = ()
    blocks: tuple[SegmentBlock, ...] = ()
    text_source: Wanted = "auto"
    crop_margin: tuple[float, float] = CROP_MARGIN
    readings: PageReadings = PageReadings()
    low_confidence: float = LOW_CONFIDENCE
    pose: Pose | None = None  # of the straightened page that the content is of
    page_size: tuple[float, float] = (0.0, 0.0)  # of the page as the file shows it, where there is a pose
    cpu_s: float  # that all rules of this call may use
    skipped: tuple[str, ...] = ()  # rules that ended a child before
    failures: tuple[RuleFailure, ...] = ()  # of rules that are left out, or failed while the page was drafted


class StructureReply(Value):
    """The rules that failed now, and drafts without their lines; or the trace of what failed between the rules."""

    failures: tuple[RuleFailure, ...] = ()
    drafts: tuple[RegionDraft, ...] = ()
    printed_lines: Mapping[int, tuple[BoundingBox, ...]] = {}  # as in `ReadingPlan`
    trace: str | None = None


class PageContent(Value):
    """All that is known of a page whose regions are found."""

    inspection: Inspection
    drafts: tuple[RegionDraft, ...]
    printed_lines: Mapping[int, tuple[BoundingBox, ...]] = {}  # as in `ReadingPlan`


def answer(
    header: framing.Header, content: bytes, say: Callable[[framing.Header], None]
) -> tuple[framing.Header, bytes]:
    """The child's reply, with the page's content or the page as JSON; `say` writes a message that goes before it.

    Raises PageFailed if the content is of another form, PageTooCostly if memory does not suffice, as `deliverable`.
    """
    try:
        request = StructureRequest.model_validate(header)
        run = RuleRun(
            skipped=frozenset(request.skipped),
            clock=RuleClock(request.cpu_s),
            on_start=lambda name: say({"rule": name}),
            failures=list(request.failures),
        )
        if request.call == "segments":
            return {"ok": StructureReply().model_dump(mode="json")}, _segments(request, content, run)
        result = _draft(request, content, run) if request.call == "draft" else _compose(request, content, run)
        reply = StructureReply(failures=tuple(run.failures[len(request.failures) :]))
        if isinstance(result, PageContent):
            drafts = tuple(draft.model_copy(update={"lines": (), "layer_lines": ()}) for draft in result.drafts)
            reply = reply.model_copy(update={"drafts": drafts, "printed_lines": result.printed_lines})
            payload = result.model_dump_json(exclude_defaults=True).encode()
        else:
            payload = deliverable(result.model_dump_json(exclude_defaults=True).encode())
    except (PageFailed, TooLargeUnpacked):
        raise
    except MemoryError:
        raise PageTooCostly("its structure takes more memory than allowed") from None
    except Exception:
        reply, payload = StructureReply(trace=traceback.format_exc()[-MAX_TRACE_CHARACTERS:]), b""
    return {"ok": reply.model_dump(mode="json", exclude_defaults=True)}, payload


def deliverable(page: bytes) -> bytes:
    """A finished page as JSON. Raises TooLargeUnpacked if it is too long to be delivered: few bytes may repeat a long
    text many times.
    """
    if len(page) > framing.MAX_FINISHED_PAGE_BYTES:
        raise TooLargeUnpacked(f"the page has over {framing.MAX_FINISHED_PAGE_BYTES >> 20} MB of text and places")
    return page


def _draft(request: StructureRequest, content: bytes, run: RuleRun) -> PageContent:
    inspection, detections = text_alone(_parsed(Inspection, content), request.detections)
    drafts = draft_regions(
        inspection,
        detections,
        text_source=request.text_source,
        blocks=request.blocks,
        crop_margin=request.crop_margin,
        run=run,
    )
    plan = plan_reading(inspection, drafts, request.crop_margin)
    return PageContent(inspection=inspection, drafts=plan.drafts, printed_lines=plan.lines)


def _segments(request: StructureRequest, content: bytes, run: RuleRun) -> bytes:
    """The features of the lines of a page that was read."""
    drafted = _parsed(PageContent, content)
    read = read_page(
        drafted.inspection,
        drafted.drafts,
        request.readings.readings,
        request.readings.sizes,
        page_reading=request.readings.page,
        run=run,
    )
    return packed_segments(drafted.inspection, read.lines)


def _compose(request: StructureRequest, content: bytes, run: RuleRun) -> Page:
    drafted = _parsed(PageContent, content) if request.call == "compose" else _draft(request, content, run)
    readings = request.readings
    page = compose_page(
        drafted.inspection,
        drafted.drafts,
        readings.readings,
        readings.sizes,
        readings.warnings,
        page_reading=readings.page,
        charts=readings.charts,
        blocks=request.blocks if request.call == "compose" else (),
        low_confidence=request.low_confidence,
        run=run,
    )
    if request.pose is not None and request.pose.changes(*request.page_size):
        page = on_page(page, request.pose, request.page_size)
    if request.call == "structure":  # which is read in the ingress: 20,000 spans would hold its event loop
        page = page.model_copy(
            update={"regions": tuple(region.model_copy(update={"spans": ()}) for region in page.regions)}
        )
    return page


def _parsed(kind: type[AnyValue], content: bytes) -> AnyValue:
    try:
        return kind.model_validate_json(content)
    except ValueError:  # its words would hold the document's
        raise PageFailed("the child's answer about the page is invalid") from None
