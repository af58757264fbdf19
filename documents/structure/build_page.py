"""Builds a page from what its file, the layout network and OCR say of it, by running all rules of page structure.

Between the rules stand plain steps that no rule can undo: every visible line is in one draft, and every word of the
drafts on the page.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from documents.inspection import Inspection, TextLine
from documents.segments.blocks import SegmentBlock
from documents.structure.draft_regions import make_drafts
from documents.structure.finished_page import LOW_CONFIDENCE, Doubts, finished_page
from documents.structure.lost_lines import with_all_drafts, with_all_lines
from documents.structure.page_draft import PageDraft, RegionDraft
from documents.structure.read_blocks import read_segments
from documents.structure.region_parts import begin_parts
from documents.structure.region_text import make_regions
from documents.structure.rule import Rule, RuleClock, RuleFailure, run_rules
from documents.structure.rules import RULES, Stage
from documents.structure.text_source import Layer, Wanted
from documents.structure.unread_regions import dropped_lines, with_layer_lines
from documents.structure.whole_page import whole_page_warnings, with_page_reading, with_regions_beside
from documents.structure.whole_page_reading import PageReading
from documents.text.running_text import vocabulary
from documents.values import Detection, Page, PageWarning, Reading

NOTHING_READ: Mapping[int, Reading] = MappingProxyType({})
TEXT_RULES = ("running_text", "tables", "formulas")  # that make a region whole by itself
CROP_MARGIN = (4 / 640, 1 / 640)  # of the page's long side: how far text may stick out of a detected box


@dataclass(frozen=True, slots=True)
class RuleRun:
    """How rules are run: which are skipped, the clock, and who gets their failures; by default none of these."""

    rules: Mapping[Stage, Sequence[Rule]] = field(default_factory=lambda: RULES)
    skipped: Collection[str] = ()
    clock: RuleClock | None = None
    on_start: Callable[[str | None], None] = lambda _: None  # None: no rule runs from now on
    failures: list[RuleFailure] = field(default_factory=list)

    def __call__(self, stage: Stage, page: PageDraft, only: Collection[str] | None = None) -> PageDraft:
        rules = [rule for rule in self.rules[stage] if only is None or rule.name in only]
        after, failures = run_rules(rules, page, skipped=self.skipped, clock=self.clock, on_start=self.on_start)
        self.on_start(None)
        self.failures.extend(failures)
        return after


def draft_regions(
    inspection: Inspection,
    detections: Sequence[Detection],
    *,
    text_source: Wanted = "auto",
    blocks: Sequence[SegmentBlock] = (),
    crop_margin: tuple[float, float] = CROP_MARGIN,
    run: RuleRun | None = None,
) -> tuple[RegionDraft, ...]:
    """Detections, blocks of the visible lines, and text layer made one.

    `crop_margin` is in shares of the page's long side (see the detector). Rules that failed are in `run.failures`.
    """
    run = run or RuleRun()
    page = PageDraft(
        inspection=inspection,
        layer=Layer(inspection),
        text_source=text_source,
        crop_margin=crop_margin,
        detections=tuple(detections),
        kept=tuple(detections),
        blocks=tuple(blocks),
    )
    page = run("parts", begin_parts(run("detections", page)))
    drafted = make_drafts(with_all_lines(page))
    return with_all_drafts(drafted, run("drafts", drafted)).drafts


def compose_page(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    warnings: Sequence[PageWarning] = (),
    *,
    page_reading: PageReading | None = None,
    charts: Mapping[int, Reading] = NOTHING_READ,
    blocks: Sequence[SegmentBlock] = (),
    low_confidence: float = LOW_CONFIDENCE,
    run: RuleRun | None = None,
) -> Page:
    """The page; `readings` and `crop_sizes` (width, height in pixels) are of the drafts that OCR read, by index.

    A region that was read with less than `low_confidence` gets a warning, and the page one for each rule that failed. A
    crop is the draft's `crop_box`, turned back by its `angle`, as `RendererPool.picture` draws it. `page_reading` is of
    the whole page, `charts` are readings of figures as tables, by the index of their drafts.
    """
    run = run or RuleRun()
    page = PageDraft(
        inspection=inspection,
        layer=Layer(inspection),
        drafts=tuple(drafts),
        readings=readings,
        crop_sizes=crop_sizes,
        page_reading=page_reading,
        charts=charts,
        words=vocabulary(line.text for line in inspection.lines if line.hidden is None),
        blocks=tuple(blocks),
    )
    page = with_page_reading(with_all_drafts(page, run("whole_page", page)))
    unread = whole_page_warnings(page)
    page = with_layer_lines(page)
    begun = make_regions(with_all_drafts(page, run("readings", page)))
    page, beside = with_regions_beside(run("regions", begun), functools.partial(run, "regions", only=TEXT_RULES))
    failed = {failure.rule: failure.warning(inspection.number) for failure in run.failures}
    doubts = Doubts((*warnings, *unread, *failed.values()), readings, low_confidence)
    plain = {**begun.regions, **beside.regions}
    return finished_page(page, plain, tuple(dropped_lines(begun, drafts)), doubts)


def lines_after_ocr(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    *,
    page_reading: PageReading | None = None,
    run: RuleRun | None = None,
) -> list[TextLine]:
    """The lines of all drafts once OCR has read some of them; all is as `compose_page` takes it."""
    run = run or RuleRun()
    page = PageDraft(
        inspection=inspection,
        layer=Layer(inspection),
        drafts=tuple(drafts),
        readings=readings,
        crop_sizes=crop_sizes,
        page_reading=page_reading,
    )
    page = with_layer_lines(with_page_reading(with_all_drafts(page, run("whole_page", page))))
    return read_segments(with_all_drafts(page, run("readings", page)))
