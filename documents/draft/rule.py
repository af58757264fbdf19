"""A rule of page structure: a named step from page to page; one that fails or is too slow leaves the page as it was."""

from __future__ import annotations

import dataclasses
import signal
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from documents.boxes import Value
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.region_values import Region
from documents.values import PageWarning

RULE_CPU_SHARE = 0.25  # share of a page's processor time that one rule may use
# share of the remaining time that one rule may use: even if many rules loop, the page is composed in time
REMAINING_CPU_SHARE = 0.5
MAX_TRACE_CHARACTERS = 4000  # only the end of a longer trace is kept

Named = TypeVar("Named", RegionDraft, Region)
RULE_FAILURE = PageWarning(code="rule_failed", message="")


@dataclass(frozen=True, slots=True)
class NoThresholds:
    """Of a rule that compares nothing with a number of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`purpose` is one sentence; `step` gets the page and `thresholds`, and makes the page that comes after."""

    name: str
    purpose: str
    step: Callable[[PageDraft, Any], PageDraft]
    thresholds: Any = NoThresholds()

    def apply(self, page: PageDraft) -> PageDraft:
        """The page after the rule; whatever it raises is the rule's failure."""
        return self.step(page, self.thresholds)


class RuleFailure(Value):
    """A rule that did not do its part of a page; `trace` is for the log alone."""

    rule: str
    trace: str

    def warning(self, number: int) -> PageWarning:
        """What the page says of it."""
        message = f"the rule `{self.rule}` failed and was skipped on this page"
        return RULE_FAILURE.model_copy(update={"message": message, "page": number, "rule": self.rule})


class RuleTimeout(BaseException):
    """A rule used up its share of processor time; no `except Exception` of a rule catches it."""


class RuleClock:
    """Interrupts rules of the main thread that use more than their share of `cpu_s` seconds of processor time.

    A step in C that never looks at signals is not interrupted: whoever started the process has to end it.
    """

    def __init__(self, cpu_s: float) -> None:
        self._cpu_s = cpu_s
        self._end = time.process_time() + cpu_s
        self._armed = False
        signal.signal(signal.SIGPROF, self._ring)

    @contextmanager
    def share(self) -> Iterator[None]:
        """Within the block RuleTimeout is raised as soon as its share is used up."""
        left = max(0.001, self._end - time.process_time())
        share = min(RULE_CPU_SHARE * self._cpu_s, REMAINING_CPU_SHARE * left)
        self._armed = True
        signal.setitimer(signal.ITIMER_PROF, share, share / 10)  # again, should the rule swallow it
        try:
            yield
        finally:
            self.stop()

    def stop(self) -> None:
        """No more interruptions."""
        self._armed = False
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _ring(self, _: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._armed:
            raise RuleTimeout


def run_rules(
    rules: Sequence[Rule],
    page: PageDraft,
    *,
    skipped: Collection[str] = (),
    clock: RuleClock | None = None,
    on_start: Callable[[str], None] = lambda _: None,
) -> tuple[PageDraft, list[RuleFailure]]:
    """The page after all rules in their order, and those that failed; `on_start` gets the name of each before it runs.

    Without a clock a rule may take as long as it likes.
    """
    failures: list[RuleFailure] = []
    for rule in rules:
        if rule.name in skipped:
            continue
        on_start(rule.name)
        try:
            if clock is None:
                after = rule.apply(page)
            else:
                with clock.share():
                    after = rule.apply(page)
            page = _recorded(page, after, rule.name)
        except (Exception, RuleTimeout):  # a rule's bug costs what the rule would have done, and never the page
            if clock is not None:
                clock.stop()
            failures.append(RuleFailure(rule=rule.name, trace=traceback.format_exc()[-MAX_TRACE_CHARACTERS:]))
    return page, failures


def _recorded(before: PageDraft, after: PageDraft, name: str) -> PageDraft:
    """The page after a rule, whose name is added to each region that it made or gave another kind.

    A region is known by its detection or index, never by its place: rules sort.
    """
    parts, drafts, regions = after.parts, after.drafts, after.regions
    if before.parts and parts is not before.parts:
        old = {id(part) for part in before.parts}
        kinds = {(id(part.detection), part.kind) for part in before.parts} if len(parts) == len(old) else set()
        parts = tuple(
            part
            if id(part) in old or (id(part.detection), part.kind) in kinds
            else dataclasses.replace(part, rules=(*part.rules, name))
            for part in parts
        )
    if before.drafts and drafts is not before.drafts:
        old_kinds = {draft.index: draft.kind for draft in before.drafts}
        drafts = tuple(_renamed(draft, old_kinds.get(draft.index), name) for draft in drafts)
    if before.regions and regions is not before.regions:
        regions = {
            k: _renamed(region, before.regions[k].kind, name) if k in before.regions else region
            for k, region in regions.items()
        }
    return dataclasses.replace(after, parts=parts, drafts=drafts, regions=regions)


def _renamed(region: Named, kind: str | None, name: str) -> Named:
    return region if region.kind == kind else region.model_copy(update={"rules": (*region.rules, name)})
