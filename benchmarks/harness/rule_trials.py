"""Tries all variants of the rules on documents: each is read once, then composed and scored as often as it changes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from benchmarks.harness.exact_ocr import exact_page_reading
from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_replay import PageFacts, Replay, Scan, facts_of
from benchmarks.harness.rule_variants import Variant, variants
from benchmarks.truths.drawn_scores import Counts, drawn_counts
from benchmarks.truths.drawn_truth import DrawnTruth, TruePage
from benchmarks.truths.rules import SCORES, Material, corpus_score, scores_of
from configs.settings import Settings
from documents.errors import IngestError
from documents.regions.scanned_lines import text_alone
from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool
from documents.straighten.pose import Pose
from documents.tables.judged.network import CellJudge, CellScores
from documents.tables.judged.weights import cell_judge
from documents.values import Document, Opened

PATIENCE_S = 600.0  # for a page: the machine may be shared
CountsOf = Callable[[Document], Counts]


@dataclass(frozen=True, slots=True)
class TrialDocument:
    """A document with a truth, and the part of the set that it belongs to."""

    path: Path
    part: str
    truth: DrawnTruth | Material


@dataclass(frozen=True, slots=True)
class VariantResult:
    """What a variant makes of a document: how many pages are another, and its counts."""

    variant: tuple[str, str, str]  # rule, number, direction
    num_pages: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """The counts of a document by all rules, and of each variant that changes it."""

    name: str
    part: str
    num_pages: int
    counts: Counts
    results: tuple[VariantResult, ...]


def tried(documents: Sequence[TrialDocument], corpus: Path) -> list[DocumentResult]:
    """Of each document that can be read; one thread computes, so that each process takes one core."""
    torch.set_num_threads(1)
    return asyncio.run(_tried(documents, corpus))


async def _tried(documents: Sequence[TrialDocument], corpus: Path) -> list[DocumentResult]:
    reader, remembered = FactsReader(), RememberedScores(cell_judge())
    results: list[DocumentResult] = []
    try:
        for document in documents:
            try:
                opened, facts = await reader.read(document)
            except IngestError as error:
                print(f"{document.path.name}: {error.code}", file=sys.stderr)
                continue
            replay = Replay.of(document.path.name, opened, facts)
            results.append(result_of(replay, document.part, counts_by(document.truth, corpus)))
            remembered.forget()
    finally:
        await reader.close()
    return results


def result_of(replay: Replay, part: str, counts: CountsOf) -> DocumentResult:
    """A variant that changes nothing is not scored."""
    results: list[VariantResult] = []
    for variant in variants(replay.rules):
        document, num_pages = replay.with_variant(variant)
        if document is not None:
            results.append(VariantResult(key_of(variant), num_pages, counts(document)))
    return DocumentResult(replay.name, part, len(replay.pages), counts(replay.document()), tuple(results))


def key_of(variant: Variant) -> tuple[str, str, str]:
    return variant.rule, variant.number, variant.direction or ""


def counts_by(truth: DrawnTruth | Material, corpus: Path) -> CountsOf:
    """How a document is scored: by its drawing, or as the corpus' script scores its Markdown, each truth alike."""
    if isinstance(truth, DrawnTruth):
        return lambda document: drawn_counts(document, truth.pages)
    score = corpus_score(corpus)

    def counts(document: Document) -> Counts:
        rows = [scores_of(document, one, score) for one in truth.truths]
        values = {name: [value for row in rows if (value := row[name]) is not None] for name in SCORES}
        return {name: (sum(own) / len(own), 1.0) for name, own in values.items() if own}

    return counts


class RememberedScores:
    """The judge of cells, which most variants ask the same again, computes each answer once per document."""

    def __init__(self, judge: CellJudge) -> None:
        self._compute = judge.scores
        self._scores: dict[bytes, CellScores] = {}
        judge.scores = self.scores

    def scores(self, numbers: np.ndarray, buckets: np.ndarray) -> CellScores:
        key = numbers.tobytes() + buckets.tobytes()
        if key not in self._scores:
            self._scores[key] = self._compute(numbers, buckets)
        return self._scores[key]

    def forget(self) -> None:
        self._scores.clear()


class FactsReader:
    """Reads what rules get to know of documents; owns the networks and the children that open files."""

    def __init__(self) -> None:
        self._networks = PageNetworks.of(Settings())
        self._pool = RendererPool(1, RenderLimits(page_timeout_s=PATIENCE_S))
        self._untagged = RendererPool(1, RenderLimits(page_timeout_s=PATIENCE_S, structure_trees=False))

    async def close(self) -> None:
        await self._pool.close()
        await self._untagged.close()

    async def read(self, document: TrialDocument) -> tuple[Opened, list[PageFacts]]:
        """Raises IngestError where the file cannot be opened."""
        truth = document.truth
        if isinstance(truth, Material):
            return await facts_of(document.path, truth.pages, self._pool, self._networks)
        if truth.form in ("scanned", "read whole"):
            return await self._scan(document.path, truth)
        pool = self._pool if truth.form == "tagged" else self._untagged
        return await facts_of(document.path, {page.number for page in truth.pages}, pool, self._networks)

    async def _scan(self, path: Path, truth: DrawnTruth) -> tuple[Opened, list[PageFacts]]:
        source, detector = source_of(path), self._networks.detector
        opened = await self._untagged.open(source)
        facts: list[PageFacts] = []
        for page in truth.pages:
            plain = await self._untagged.inspect(source, page.number)
            pose = Pose.of_page(plain.width, plain.height)  # it is drawn straight
            inspected = await self._untagged.inspect(source, page.number, pose=pose)
            picture = await self._untagged.picture(source, page.number, long_side=detector.image_size, pose=pose)
            detections = detector.detect([picture], [inspected.picture_size])[0]
            if isinstance(detections, IngestError):
                continue
            inspection, placed = text_alone(inspected.inspection(), detections)
            scan = self._scan_of(page, truth, inspected.width, inspected.height)
            facts.append(PageFacts(inspection, tuple(placed), detector.crop_margin, scan=scan))
        return opened, facts

    def _scan_of(self, page: TruePage, truth: DrawnTruth, width: float, height: float) -> Scan:
        if truth.form == "scanned":
            return Scan(page, self._networks.reader)
        with_places = page.number % 2 == 0  # families of models differ in whether they say where blocks stand
        return Scan(page, self._networks.reader, exact_page_reading(page, width, height, with_places=with_places))
