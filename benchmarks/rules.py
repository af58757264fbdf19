"""Does each rule of page structure earn its place? Every one is switched off alone, on documents with a truth.

`python -m benchmarks.rules FOLDER... [--corpus FOLDER] [--json benchmarks/results/rules.json]`
The folders hold development material that rules were not tuned on: PDFs with their truth beside them (`NAME.pdf.md`),
and tagged ones, whose authors' trees are the truth. Pages are read by their text layer, without OCR. Differences are
`off - on` of the mean over documents: minus says that the rule helps. Documents are split in two halves, every other
one, so that what helps shows in both; the public corpus, on which rules were tuned, is a guard and no judge.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pymupdf

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_replay import Replay, Rules, facts_of
from benchmarks.harness.server import ROOT
from benchmarks.truths.rules import (
    SCORES,
    Material,
    Score,
    Scores,
    Truth,
    corpus_score,
    development,
    public_corpus,
    scores_of,
)
from configs.settings import Settings
from documents.errors import IngestError
from documents.page.rules import RULES
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document

GAIN = 0.0005  # a mean that moves by no more than this has not moved
HALVES = ("even", "odd")
GUARD = "corpus"
Means = dict[str, dict[str, float]]  # by half (or guard) and score


@dataclass(frozen=True, slots=True)
class Judged:
    """A document that can be replayed, its truths, and the half that it belongs to."""

    replay: Replay
    truths: tuple[Truth, ...]
    part: str


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    args = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    materials, guard = development(args.folders, args.corpus), public_corpus(args.corpus)
    parts = [HALVES[k % 2] for k in range(len(materials))] + [GUARD] * len(guard)
    documents = asyncio.run(read([*materials, *guard], parts))
    means, rows = compared(documents, RULES, corpus_score(args.corpus))
    figures = sizes(documents) | {f"{name}_{part}": value for part in means for name, value in means[part].items()}
    print(report.table([{"figure": name, "value": round(value, 4)} for name, value in figures.items()]))
    print(report.table([{name: _shown(row[name]) for name in row if name != "purpose"} for row in rows]))
    idle = [row["rule"] + " (harms)" * only_harms(row) for row in rows if gains_nothing(row)]
    print(f"these gain nothing here: {', '.join(idle) or 'none'}")
    if args.out:
        report.record(args.out, "rules", figures, rows)
    return 0


async def read(materials: Sequence[Material], parts: Sequence[str]) -> list[Judged]:
    """Each document once by the library's way; files that cannot be opened are left out."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    documents: list[Judged] = []
    try:
        for material, part in zip(materials, parts, strict=True):
            try:
                opened, facts = await facts_of(material.path, material.pages, pool, networks)
            except IngestError as error:
                print(f"{material.path.name}: {error.code}", file=sys.stderr)
                continue
            documents.append(Judged(Replay.of(material.path.name, opened, facts), material.truths, part))
    finally:
        await pool.close()
    return documents


def compared(documents: Sequence[Judged], rules: Rules, score: Score) -> tuple[Means, list[dict[str, Any]]]:
    """Means by all rules, and a row for each rule: the pages it changes, and what each mean gains without it."""
    whole = [document.replay.document() for document in documents]
    scores = [
        document_scores(document, sample.truths, score) for document, sample in zip(whole, documents, strict=True)
    ]
    means = _means(documents, scores)
    rows: list[dict[str, Any]] = []
    for rule in (rule for stage in rules.values() for rule in stage):
        changed: dict[str, int] = dict.fromkeys((*HALVES, GUARD), 0)
        off: list[Scores] = []
        for sample, document, on in zip(documents, whole, scores, strict=True):
            other, num_changed = sample.replay.without(rule.name)
            changed[sample.part] += num_changed
            same = other == document
            off.append(on if same else document_scores(other, sample.truths, score))
        row: dict[str, Any] = {"rule": rule.name, "purpose": rule.purpose}
        row |= {f"pages_{part}": num for part, num in changed.items()}
        rows.append(row | _differences(_means(documents, off), means))
    return means, rows


def document_scores(document: Document, truths: Sequence[Truth], score: Score) -> Scores:
    """The mean of each score over the truths that say something of it."""
    rows = [scores_of(document, truth, score) for truth in truths]
    return {name: _mean([row[name] for row in rows]) for name in SCORES}


def gains_nothing(row: Mapping[str, Any]) -> bool:
    """Whether no score of either half is worse without the rule: it does nothing, or only harm."""
    return all(difference >= -GAIN for difference in _of_halves(row))


def only_harms(row: Mapping[str, Any]) -> bool:
    """Whether a score is better without the rule and none worse."""
    return gains_nothing(row) and any(difference > GAIN for difference in _of_halves(row))


def _of_halves(row: Mapping[str, Any]) -> list[float]:
    """What each score of either half is more without the rule."""
    return [row[f"{name}_{half}"] for name in SCORES for half in HALVES if f"{name}_{half}" in row]


def sizes(documents: Sequence[Judged]) -> dict[str, float]:
    """How many documents and pages each part has."""
    counts: dict[str, float] = {}
    for part in (*HALVES, GUARD):
        documents_of_part = [document for document in documents if document.part == part]
        counts |= {
            f"documents_{part}": len(documents_of_part),
            f"pages_{part}": sum(len(document.replay.pages) for document in documents_of_part),
        }
    return counts


def _means(documents: Sequence[Judged], scores: Sequence[Scores]) -> Means:
    means: Means = {}
    for part in (*HALVES, GUARD):
        rows_of_part = [row for document, row in zip(documents, scores, strict=True) if document.part == part]
        by_name = {name: _mean([row[name] for row in rows_of_part]) for name in SCORES}
        means[part] = {name: value for name, value in by_name.items() if value is not None}
    return means


def _differences(off: Means, on: Means) -> dict[str, float]:
    pairs = [(part, name) for name in SCORES for part in (*HALVES, GUARD) if name in on[part]]
    return {f"{name}_{part}": round(off[part][name] - on[part][name], 5) for part, name in pairs}


def _shown(value: Any) -> Any:
    return (f"{value:+.4f}" if value else "") if isinstance(value, float) else value


def _mean(values: Sequence[float | None]) -> float | None:
    known_values = [value for value in values if value is not None]
    return fmean(known_values) if known_values else None


if __name__ == "__main__":
    sys.exit(main())
