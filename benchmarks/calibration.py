"""How sure is sure: confidence of read words fitted on scans with a truth, and its error on others.

`python -m benchmarks.calibration FOLDER [--pages 30] [--write checkpoints/ocr-compact] [--json FILE]`
FOLDER is as `benchmarks.paper` takes it; `benchmarks.loads.drawn_scans` adds clean print as a kind
`drawn`. The weights are fitted on pages of the split `tune`, every kind weighing the same, and judged on `judge`: the
expected calibration error is the mean distance, over ten bins of confidence, of the confidence from the share of words
that are right, weighted by the words of the bin.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import report
from benchmarks.harness.library_ocr import ScanReader
from benchmarks.harness.options import parser_of
from benchmarks.paper import KINDS, sample
from benchmarks.truths.paper_words import words_of
from configs.settings import Settings
from documents.ocr_input.word_confidence import DEFAULT_THRESHOLD, FEATURES, FILE_NAME, Calibration, ReadPart, features

BINS = 10
RIDGE = 1.0
STEPS = 30


@dataclass(frozen=True, slots=True)
class Recorder(Calibration):
    """Keeps every part that is read."""

    parts: list[ReadPart] = field(default_factory=list[ReadPart])

    def words(self, part: ReadPart) -> tuple[float, ...]:
        self.parts.append(part)
        return Calibration.words(self, part)


@dataclass(frozen=True, slots=True)
class Words:
    """Read words of one kind of pages: their features, float64 (n, FEATURES), and which are right, bool (n,)."""

    features: np.ndarray
    right: np.ndarray


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--pages", type=int, default=30, help="maximum pages per kind and split")
    parser.add_argument("--write", type=Path, help="checkpoint to which the weights belong")
    parser.add_argument("--threshold", type=float, default=DEFAULT_THRESHOLD, help="confidence that a word must reach")
    args = parser.parse_args()
    tune = collected(args.folder, args.kinds, "tune", args.pages)
    judge = collected(args.folder, args.kinds, "judge", args.pages)
    weights = fitted(list(tune.values()))
    rows = judged(judge, weights)
    print(report.table(rows))
    if args.write:
        write(args.write / FILE_NAME, weights, args.threshold, rows)
    if args.out:
        figures = {f"{name}_{row['kind']}": value for row in rows for name, value in row.items() if name != "kind"}
        report.record(args.out, "calibration", figures)
    return 0


def collected(folder: Path, kinds: Sequence[str], split: str, num_pages: int) -> dict[str, Words]:
    """What is read of pages of one split, by kind; nothing is left out as unreadable."""
    recorder = Recorder(threshold=0.0)
    reader = ScanReader(Settings(), recorder)
    words_by_kind: dict[str, Words] = {}
    try:
        for kind in kinds:
            pages: list[Words] = []
            for page in sample(folder / kind, split, num_pages):
                recorder.parts.clear()
                reader.document(folder / kind / page["file"])
                pages.append(labelled(recorder.parts, page["text"]))
            if pages:  # drawn scans are for the fit alone
                words_by_kind[kind] = joined(pages)
    finally:
        reader.close()
    return words_by_kind


def labelled(parts: Sequence[ReadPart], truth: str) -> Words:
    """Each read word with letters or digits, and whether the truth has it, as a multiset; the surest come first."""
    rows = [row for part in parts for row in zip(part.text.split(), features(part), strict=True)]
    rows = [(word, row) for word, row in rows if words_of(word)]
    rows.sort(key=lambda row: -row[1][FEATURES.index("least")])
    left = Counter(words_of(truth))
    right: list[bool] = []
    for word, _ in rows:
        own = Counter(words_of(word))
        right.append(own <= left)
        if own <= left:
            left -= own
    return Words(np.array([row for _, row in rows], float).reshape(-1, len(FEATURES)), np.array(right, bool))


def joined(parts: Sequence[Words]) -> Words:
    return Words(np.concatenate([part.features for part in parts]), np.concatenate([part.right for part in parts]))


def fitted(kinds: Sequence[Words]) -> np.ndarray:
    """Weights, float64 (FEATURES,), of the likeliest logistic function with a ridge; every kind weighs the same."""
    whole = joined(kinds)
    mass = np.concatenate([np.full(len(words.right), 1000.0 / max(1, len(words.right))) for words in kinds])
    weights = np.zeros(len(FEATURES))
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-whole.features @ weights))
        slope = whole.features.T @ (mass * (whole.right - likely)) - RIDGE * weights
        curve = (whole.features * (mass * likely * (1 - likely))[:, None]).T @ whole.features
        weights = weights + np.linalg.solve(curve + RIDGE * np.eye(len(FEATURES)), slope)
    return weights


def judged(kinds: dict[str, Words], weights: np.ndarray) -> list[dict[str, Any]]:
    """By kind and for all: words, the share of right ones, and the calibration errors of the fit and without it."""
    rows: list[dict[str, Any]] = []
    for kind, words in (*kinds.items(), ("all", joined(list(kinds.values())))):
        likely = 1 / (1 + np.exp(-words.features @ weights))
        plain = np.exp(words.features[:, FEATURES.index("line")])
        rows.append(
            {
                "kind": kind,
                "words": len(words.right),
                "right": round(float(words.right.mean()), 4),
                "error": round(calibration_error(likely, words.right), 4),
                "error_of_mean_probability": round(calibration_error(plain, words.right), 4),
            }
        )
    return rows


def calibration_error(likely: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error of confidences 0..1, in bins of equal width."""
    bins = np.minimum((likely * BINS).astype(int), BINS - 1)
    errors = [
        abs(float(likely[bins == k].mean()) - float(right[bins == k].mean())) * int((bins == k).sum())
        for k in range(BINS)
        if (bins == k).any()
    ]
    return sum(errors) / max(1, len(right))


def write(file: Path, weights: np.ndarray, threshold: float, rows: Sequence[dict[str, Any]]) -> None:
    """The weights and the threshold beside the checkpoint's own, with what was measured."""
    named = {name: round(float(value), 4) for name, value in zip(FEATURES, weights, strict=True)}
    content = {"weights": named, "threshold": threshold, "judged": list(rows)}
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
