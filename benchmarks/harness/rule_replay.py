"""Documents whose pages are inspected, detected and read once, and composed as often as rules are changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchmarks.harness.exact_ocr import exact_readings
from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_variants import Rules, RuleSet, Variant
from benchmarks.truths.drawn_truth import TruePage
from documents.document.assemble_document import assemble
from documents.draft.page_draft import PageDraft
from documents.draft.rule import Rule
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.page.build_page import RuleRun, compose_page, compose_read_page, draft_regions, read_page
from documents.page.rules import RULES
from documents.regions.scanned_lines import plan_reading
from documents.sandbox.renderer_pool import RendererPool
from documents.segments.blocks import SegmentBlock
from documents.segments.packed_features import packed_segments
from documents.values import Detection, Document, Opened, Page

Step = tuple[PageDraft, PageDraft]  # a page before a rule and behind it


class BlockReader(Protocol):
    """Reads the blocks of a page by its packed features."""

    def blocks_of(self, packed: bytes) -> tuple[SegmentBlock, ...]: ...


@dataclass(slots=True)
class Scan:
    """What OCR knows of a page that is a picture, and the structure network of the lines that were read."""

    truth: TruePage
    reader: BlockReader
    page_reading: PageReading | None = None
    _blocks: dict[bytes, tuple[SegmentBlock, ...]] = field(default_factory=dict[bytes, tuple[SegmentBlock, ...]])

    def blocks_of(self, packed: bytes) -> tuple[SegmentBlock, ...]:
        """Each page of the same lines is read once."""
        if packed not in self._blocks:
            self._blocks[packed] = self.reader.blocks_of(packed)
        return self._blocks[packed]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """All that rules get to know of a page; without a `scan` nothing of it is read by OCR."""

    inspection: Inspection
    detections: tuple[Detection, ...]
    crop_margin: tuple[float, float]
    blocks: tuple[SegmentBlock, ...] = ()
    scan: Scan | None = None

    def page(self, rules: Rules = RULES) -> Page:
        """The page by these rules; a rule that fails is one that does nothing."""
        run = RuleRun(rules=rules)
        drafts = draft_regions(
            self.inspection, self.detections, blocks=self.blocks, crop_margin=self.crop_margin, run=run
        )
        if self.scan is None:
            return compose_page(self.inspection, drafts, {}, {}, run=run)
        plan = plan_reading(self.inspection, drafts, self.crop_margin)
        page_reading = self.scan.page_reading
        readings, sizes = ({}, {}) if page_reading is not None else exact_readings(plan, self.scan.truth)
        read = read_page(self.inspection, plan.drafts, readings, sizes, page_reading=page_reading, run=run)
        blocks = self.scan.blocks_of(packed_segments(self.inspection, read.lines)) if readings else ()
        return compose_read_page(read, blocks=blocks)


@dataclass(frozen=True, slots=True)
class Replay:
    """One document, its pages by all rules, and what each rule got and made on each page."""

    name: str
    opened: Opened
    facts: tuple[PageFacts, ...]
    rules: RuleSet
    pages: tuple[Page, ...]
    steps: tuple[Mapping[str, Sequence[Step]], ...]  # of each page, by the name of the rule

    @classmethod
    def of(cls, name: str, opened: Opened, facts: Sequence[PageFacts], rules: RuleSet | None = None) -> Replay:
        rules = rules or RuleSet()
        pages: list[Page] = []
        steps: list[Mapping[str, Sequence[Step]]] = []
        for fact in facts:
            own_steps: dict[str, list[Step]] = {rule.name: [] for rule in rules}
            watched: Rules = {
                stage: [_watched(rule, own_steps[rule.name]) for rule in stage_rules]
                for stage, stage_rules in rules.pages.items()
            }
            pages.append(fact.page(watched))
            steps.append(own_steps)
        return cls(name, opened, tuple(facts), rules, tuple(pages), tuple(steps))

    def document(self) -> Document:
        """By all rules."""
        return self._assembled(self.pages, self.rules)

    def with_variant(self, variant: Variant) -> tuple[Document | None, int]:
        """The document by changed rules, and how many of its pages are another; None if all of it is the same."""
        if self.rules.furniture is not None and variant.rule == self.rules.furniture.name:
            return self._with_furniture(self.rules.with_variant(variant))
        step = self.rules.step_of(variant)
        numbers = [number for number, steps in enumerate(self.steps) if _is_other(steps[variant.rule], step, variant)]
        if not numbers:
            return None, 0
        rules, pages = self.rules.with_variant(variant), list(self.pages)
        for number in numbers:
            pages[number] = self.facts[number].page(rules.pages)
        changed = sum(_content(a) != _content(b) for a, b in zip(self.pages, pages, strict=True))
        return (self._assembled(pages, rules), changed) if changed else (None, 0)

    def _with_furniture(self, rules: RuleSet) -> tuple[Document | None, int]:
        printed = sorted((page for page in self.pages if page.form == "print"), key=lambda page: page.number)
        usual, other = self.rules.furniture, rules.furniture
        if usual is not None and other is not None and usual.apply(printed) == other.apply(printed):
            return None, 0
        before, document = self.document(), self._assembled(self.pages, rules)
        changed = sum(_content(a) != _content(b) for a, b in zip(before.pages, document.pages, strict=True))
        return (document, changed) if changed else (None, 0)

    def _assembled(self, pages: Sequence[Page], rules: RuleSet) -> Document:
        return assemble(self.name, 1, self.opened, pages, rules.furniture)


async def facts_of(
    path: Path,
    numbers: Collection[int],
    pool: RendererPool,
    networks: PageNetworks,
    lap: Callable[[str], None] = lambda _: None,
) -> tuple[Opened, list[PageFacts]]:
    """What rules get to know of the pages of a file, of all without `numbers`; a page that fails is left out.

    `lap` is called at the end of each stage with its name: opening, inspection, blocks, picture, network.
    """
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
            blocks = networks.reader.blocks_of(inspected.features)
            lap("blocks")
            detections = await networks.regions(pool, inspected, blocks, lap)
        except IngestError:
            continue
        facts.append(PageFacts(inspection, tuple(detections), networks.detector.crop_margin, blocks))
    return opened, facts


def _watched(rule: Rule, steps: list[Step]) -> Rule:
    """The same rule, whose pages come to `steps`."""

    def step(page: PageDraft, thresholds: Any) -> PageDraft:
        steps.append((page, page))  # should it fail
        after = rule.step(page, thresholds)
        steps[-1] = (page, after)
        return after

    return dataclasses.replace(rule, step=step)


def _is_other(steps: Sequence[Step], step: Callable[[PageDraft, Any], PageDraft], variant: Variant) -> bool:
    """Whether a changed rule makes another page of any that it got: if of none, all rules behind it do the same."""
    if variant.thresholds is None:
        return any(after != before for before, after in steps)
    return any(_after(step, before, variant.thresholds) != after for before, after in steps)


def _after(step: Callable[[PageDraft, Any], PageDraft], page: PageDraft, thresholds: Any) -> PageDraft:
    try:
        return step(page, thresholds)
    except Exception:
        return page


def _content(page: Page) -> tuple[object, ...]:
    """All of a page but the rules that it tells it was made by."""
    return tuple(region.model_copy(update={"rules": ()}) for region in page.regions)
