"""The child that runs the rules of pages: one request, one reply; started as `python -m documents.structure.child`.

A frame is its length and its bytes. Before each rule the child says its name, so that whoever has to end the child
knows which rule it was in.
"""

from __future__ import annotations

import gc
import os
import resource
import struct
import sys
import traceback
from collections.abc import Mapping
from typing import BinaryIO, Literal

from documents.inspection import Inspection
from documents.structure.build_page import RuleRun, compose_page, draft_regions
from documents.structure.compose import LOW_CONFIDENCE
from documents.structure.page_draft import RegionDraft
from documents.structure.rule import MAX_TRACE, RuleClock, RuleFailure
from documents.structure.text_source import Wanted
from documents.values import Detection, Page, PageWarning, Reading, Value

LENGTH = struct.Struct(">I")
READY = b"ready"
GARBAGE = 50_000  # objects between two looks for garbage


class StructureRequest(Value):
    """A page to draft, or to compose from its drafts and what was read of them; all is as `build_page` takes it."""

    call: Literal["draft", "compose"]
    inspection: Inspection
    detections: tuple[Detection, ...] = ()
    text_source: Wanted = "auto"
    crop_margin: tuple[float, float] = (0.0, 0.0)
    drafts: tuple[RegionDraft, ...] = ()
    readings: Mapping[int, Reading] = {}
    crop_sizes: Mapping[int, tuple[int, int]] = {}
    warnings: tuple[PageWarning, ...] = ()
    low_confidence: float = LOW_CONFIDENCE
    cpu_s: float  # that all rules of this request may use
    skipped: tuple[str, ...] = ()  # rules that ended a child before
    failures: tuple[RuleFailure, ...] = ()  # of rules that are left out, or failed while the page was drafted


class StructureReply(Value):
    """Drafts or a page, and the rules that failed over it now; or the trace of what failed between the rules."""

    drafts: tuple[RegionDraft, ...] = ()
    page: Page | None = None
    failures: tuple[RuleFailure, ...] = ()
    trace: str | None = None
    out_of_memory: bool = False


class RuleStarts(Value):
    """The rule that runs from now on, or none: what comes between them."""

    rule: str | None


def answer(request: StructureRequest, run: RuleRun) -> StructureReply:
    """What `build_page` makes of it; `run.failures` are told by the page's warnings."""
    if request.call == "draft":
        drafts = draft_regions(
            request.inspection,
            request.detections,
            text_source=request.text_source,
            crop_margin=request.crop_margin,
            run=run,
        )
        return StructureReply(drafts=drafts, failures=tuple(run.failures))
    num_known = len(run.failures)
    page = compose_page(
        request.inspection,
        request.drafts,
        request.readings,
        request.crop_sizes,
        request.warnings,
        low_confidence=request.low_confidence,
        run=run,
    )
    return StructureReply(page=page, failures=tuple(run.failures[num_known:]))


def main() -> None:
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(10)  # other work of the replica goes first
    gc.freeze()
    gc.set_threshold(GARBAGE)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    serve(requests, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until there are no more."""

    def say(frame: bytes) -> None:
        replies.write(LENGTH.pack(len(frame)))
        replies.write(frame)
        replies.flush()

    say(READY)
    while frame := _frame(requests):
        request = StructureRequest.model_validate_json(frame)
        run = RuleRun(
            skipped=frozenset(request.skipped),
            clock=RuleClock(request.cpu_s),
            on_start=lambda name: say(RuleStarts(rule=name).model_dump_json().encode()),
            failures=list(request.failures),
        )
        try:
            reply = answer(request, run)
        except MemoryError:
            reply = StructureReply(out_of_memory=True)
        except Exception:
            reply = StructureReply(trace=traceback.format_exc()[-MAX_TRACE:])
        say(reply.model_dump_json(exclude_defaults=True).encode())


def _frame(stream: BinaryIO) -> bytes | None:
    start = stream.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(start)
    frame = stream.read(length)
    return frame if len(frame) == length else None


if __name__ == "__main__":
    main()
