"""Builds a page from what its file, the layout network and OCR say of it, by running all rules of page structure.

Between the rules stand plain steps that no rule can undo: every visible line is in one draft, and every word of the
drafts on the page. Rules see an upright page: all that is known of it is turned on entry, and turned back on exit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from documents.draft.page_draft import PageDraft, RegionDraft
from documents.draft.rule import Rule, RuleClock, RuleFailure, run_rules
from documents.draft.text_source import Layer, Wanted
from documents.draft.whole_page_reading import PageReading
from documents.inspection import Inspection, TextLine
from documents.page.draft_regions import make_drafts
from documents.page.finished_page import LOW_CONFIDENCE, Doubts, finished_page
from documents.page.page_turn import PageTurn
from documents.page.rules import RULES, Stage
from documents.page.unproved_digits import Evidence, evidence_of
from documents.readings.whole_page import whole_page_warnings, with_page_reading, with_regions_beside
from documents.regions.lost_lines import with_all_drafts, with_all_lines
from documents.regions.read_blocks import read_segments
from documents.regions.region_parts import begin_parts
from documents.regions.region_text import make_regions
from documents.regions.reread_words import with_read_words, words_to_read
from documents.regions.unread_regions import dropped_lines, with_layer_lines
from documents.segments.blocks import SegmentBlock
from documents.text.running_text import vocabulary
from documents.values import Detection, Page, PageWarning, Reading

NO_READINGS: Mapping[int, Reading] = MappingProxyType({})
# each of these rules completes a region by itself
TEXT_RULES = ("written_tables", "tables", "running_text", "formulas")
CROP_MARGIN = (4 / 640, 1 / 640)  # text may extend this far out of a detected box, as a share of the page's long side


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
    turn = PageTurn.of(inspection)
    upright, upright_detections = turn.inspection(inspection), turn.all_upright(detections)
    page = PageDraft(
        inspection=upright,
        layer=Layer(upright),
        text_source=text_source,
        crop_margin=crop_margin,
        detections=upright_detections,
        kept=upright_detections,
        blocks=tuple(blocks),
    )
    page = run("parts", begin_parts(run("detections", page)))
    drafted = make_drafts(with_all_lines(page))
    drafts = with_all_drafts(drafted, run("drafts", drafted)).drafts
    return turn.back.all_upright((*drafts, *words_to_read(page, drafts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page once OCR has read it: its lines are known, and what the structure network reads of them is not yet.

    `run` is that of its rules so far; `drafts` and `readings` are as they were before these rules. All is upright.
    """

    turn: PageTurn
    page: PageDraft
    drafts: tuple[RegionDraft, ...]
    readings: Mapping[int, Reading]
    warnings: tuple[PageWarning, ...]  # about the readings of the whole page and of charts
    evidence: Evidence | None  # of the digits that were read
    run: RuleRun

    @property
    def lines(self) -> list[TextLine]:
        """The lines of all drafts in their order, as the page lies in its file: the segments that its blocks count."""
        return list(self.turn.back.all_upright(read_segments(self.page)))


def read_page(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    *,
    page_reading: PageReading | None = None,
    charts: Mapping[int, Reading] = NO_READINGS,
    run: RuleRun | None = None,
) -> ReadPage:
    """The page with what OCR read; `readings` and `crop_sizes` (width, height in pixels) by the index of their drafts.

    A crop is the draft's `crop_box`, turned back by its `angle`, as `RendererPool.picture` draws it. `page_reading` is
    of the whole page, `charts` are readings of figures as tables, by the index of their drafts.
    """
    run = run or RuleRun()
    turn = PageTurn.of(inspection)
    own, all_upright, page_reading = turn.inspection(inspection), turn.all_upright(drafts), turn.reading(page_reading)
    evidence = evidence_of(own.box, own.lines, all_upright, readings, crop_sizes, page_reading, charts)
    upright, upright_drafts, readings, word_warnings = with_read_words(own, all_upright, readings)
    page = PageDraft(
        inspection=upright,
        layer=Layer(upright),
        drafts=upright_drafts,
        readings=readings,
        crop_sizes=crop_sizes,
        page_reading=page_reading,
        charts=charts,
        words=vocabulary(line.text for line in upright.lines if line.hidden is None),
    )
    page = with_page_reading(with_all_drafts(page, run("whole_page", page)))
    warnings = (*word_warnings, *whole_page_warnings(page))
    page = with_layer_lines(page)
    page = with_all_drafts(page, run("readings", page))
    return ReadPage(
        turn=turn,
        page=page,
        drafts=upright_drafts,
        readings=readings,
        warnings=warnings,
        evidence=evidence,
        run=run,
    )


def compose_read_page(
    read: ReadPage,
    warnings: Sequence[PageWarning] = (),
    *,
    blocks: Sequence[SegmentBlock] = (),
    low_confidence: float = LOW_CONFIDENCE,
) -> Page:
    """The page; `blocks` are of `read.lines`.

    A region that was read with less than `low_confidence` gets a warning, and the page one for each rule that failed.
    """
    run, number = read.run, read.page.inspection.number
    page = replace(read.page, blocks=tuple(blocks))
    begun = make_regions(with_all_drafts(page, run("read_blocks", page)))
    page, beside = with_regions_beside(run("regions", begun), functools.partial(run, "regions", only=TEXT_RULES))
    failed = {failure.rule: failure.warning(number) for failure in run.failures}
    all_warnings = (*read.turn.all_upright(warnings), *read.warnings, *failed.values())
    doubts = Doubts(all_warnings, read.readings, low_confidence, read.evidence)
    plain = {**begun.regions, **beside.regions}
    return read.turn.back.page(finished_page(page, plain, tuple(dropped_lines(begun, read.drafts)), doubts))


def compose_page(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    warnings: Sequence[PageWarning] = (),
    *,
    page_reading: PageReading | None = None,
    charts: Mapping[int, Reading] = NO_READINGS,
    blocks: Sequence[SegmentBlock] = (),
    low_confidence: float = LOW_CONFIDENCE,
    run: RuleRun | None = None,
) -> Page:
    """`read_page` and `compose_read_page` in one, where the blocks are known before."""
    read = read_page(inspection, drafts, readings, crop_sizes, page_reading=page_reading, charts=charts, run=run)
    return compose_read_page(read, warnings, blocks=blocks, low_confidence=low_confidence)
