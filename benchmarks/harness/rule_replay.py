"""Documents whose pages are inspected and detected once, and composed as often as there are rules to leave out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import PageNetworks
from documents.document.assemble_document import assemble
from documents.draft.page_draft import PageDraft
from documents.draft.rule import Rule
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.page.build_page import RuleRun, compose_page, draft_regions
from documents.page.rules import RULES, Stage
from documents.sandbox.renderer_pool import RendererPool
from documents.segments.blocks import SegmentBlock
from documents.values import Detection, Document, Opened, Page

Rules = Mapping[Stage, Sequence[Rule]]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """All that rules get to know of a page of which nothing is read by OCR."""

    inspection: Inspection
    detections: tuple[Detection, ...]
    crop_margin: tuple[float, float]
    blocks: tuple[SegmentBlock, ...] = ()

    def page(self, rules: Rules = RULES, skipped: Collection[str] = ()) -> Page:
        """The page by all rules but those that are `skipped`; a rule that fails is one that does nothing."""
        run = RuleRun(rules=rules, skipped=skipped)
        drafts = draft_regions(
            self.inspection, self.detections, blocks=self.blocks, crop_margin=self.crop_margin, run=run
        )
        return compose_page(self.inspection, drafts, {}, {}, run=run)


@dataclass(frozen=True, slots=True)
class Replay:
    """One document, its pages by all rules, and the names of the rules that left each page as it was."""

    name: str
    opened: Opened
    facts: tuple[PageFacts, ...]
    rules: Rules
    pages: tuple[Page, ...]
    idle: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, name: str, opened: Opened, facts: Sequence[PageFacts], rules: Rules = RULES) -> Replay:
        pages: list[Page] = []
        idle: list[frozenset[str]] = []
        for fact in facts:
            active: set[str] = set()
            watched: Rules = {stage: [_watched(rule, active) for rule in rules[stage]] for stage in rules}
            pages.append(fact.page(watched))
            idle.append(frozenset(rule.name for stage in rules for rule in rules[stage]) - active)
        return cls(name, opened, tuple(facts), rules, tuple(pages), tuple(idle))

    def document(self) -> Document:
        """By all rules."""
        return assemble(self.name, 1, self.opened, self.pages)

    def without(self, rule: str) -> tuple[Document, int]:
        """The document without one rule, and how many of its pages are another."""
        pages = [
            page if rule in idle else fact.page(self.rules, {rule})
            for fact, page, idle in zip(self.facts, self.pages, self.idle, strict=True)
        ]
        changed = sum(_content(a) != _content(b) for a, b in zip(self.pages, pages, strict=True))
        return assemble(self.name, 1, self.opened, pages), changed


async def facts_of(
    path: Path,
    numbers: Collection[int],
    pool: RendererPool,
    networks: PageNetworks,
    lap: Callable[[str], None] = lambda _: None,
) -> tuple[Opened, list[PageFacts]]:
    """What rules get to know of the pages of a file, of all without `numbers`; a page that fails is left out.

    `lap` is called at the end of each stage with its name: opening, inspection, picture, network, blocks.
    """
    detector = networks.detector
    source = source_of(path)
    opened = await pool.open(source)
    lap("opening")
    facts: list[PageFacts] = []
    for number in range(1, opened.num_pages + 1):
        if numbers and number not in numbers:
            continue
        try:
            inspected = await pool.inspect(source, number)
            inspection = inspected.inspection()
            lap("inspection")
            picture = await pool.picture(source, number, long_side=detector.image_size, angle=inspected.turn)
            lap("picture")
            detections = detector.detect([picture], [inspected.picture_size])[0]
            lap("network")
            blocks = networks.reader.blocks_of(inspected.features)
            lap("blocks")
        except IngestError:
            continue
        if not isinstance(detections, IngestError):
            placed = tuple(inspected.on_page(detections))
            facts.append(PageFacts(inspection, placed, detector.crop_margin, blocks))
    return opened, facts


def _watched(rule: Rule, active: set[str]) -> Rule:
    """The same rule, whose name comes to `active` when it changes a page."""

    def step(page: PageDraft, thresholds: object) -> PageDraft:
        after = rule.step(page, thresholds)
        if after != page:
            active.add(rule.name)
        return after

    return dataclasses.replace(rule, step=step)


def _content(page: Page) -> tuple[object, ...]:
    """All of a page but the rules that it tells it was made by."""
    return tuple(region.model_copy(update={"rules": ()}) for region in page.regions)
