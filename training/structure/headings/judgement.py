"""How right the judge of headings is in tagged documents of families that it has not learnt from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

import numpy as np

from documents.document.document_styles import outline_levels
from documents.document.heading_judge import HeadingJudge
from documents.document.headings import MIN_PROBABILITY, levels_of
from training.structure.headings.samples import UNKNOWN, DocumentSample

FOLDS = 8

Fit = Callable[[Sequence[DocumentSample]], dict[str, object]]


def judged(samples: Sequence[DocumentSample], fit: Fit) -> Mapping[str, float]:
    """Means over tagged documents: F1 of headings, and of true headings in a row the share of right steps of levels."""
    families = sorted({sample.family for sample in samples if sample.is_tagged})
    scores: dict[str, list[float]] = {"headings": [], "levels": []}
    for fold in range(min(FOLDS, len(families)) if len(families) > 1 else 0):
        unseen = set(families[fold::FOLDS])
        judge = HeadingJudge.of(fit([sample for sample in samples if sample.family not in unseen]))
        for sample in samples:
            if sample.family in unseen:
                scores["headings"] += _headings_score(sample, judge)
                scores["levels"] += _levels_score(sample, judge)
    return {name: round(fmean(values), 4) for name, values in scores.items() if values}


def _headings_score(sample: DocumentSample, judge: HeadingJudge) -> list[float]:
    known = (sample.is_heading != UNKNOWN) & np.array([text.may_be_heading for text in sample.texts], bool)
    truth = sample.is_heading[known] == 1
    if not truth.any():
        return []
    result = judge.probabilities(sample.features[known]) >= MIN_PROBABILITY
    return [2 * float((truth & result).sum()) / float(truth.sum() + result.sum())]


def _levels_score(sample: DocumentSample, judge: HeadingJudge) -> list[float]:
    rows = np.flatnonzero(sample.level != UNKNOWN)
    headings = [sample.texts[row] for row in rows]
    facts = outline_levels(headings, sample.outline, [page.number for page in sample.pages])
    result = levels_of(headings, facts, sample.pages, sample.styles, judge)
    steps = [
        np.sign(second - first) == np.sign(below - above)
        for (first, above), (second, below) in pairwise(zip(sample.level[rows].tolist(), result, strict=True))
    ]
    return [float(np.mean(steps))] if steps else []
