"""What variants ask again is computed once, and a document is scored by the truth that it has."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from benchmarks.harness.rule_trials import RememberedScores, counts_by
from benchmarks.truths.drawn_truth import DrawnTruth, TrueLine, TruePage
from documents.boxes import BoundingBox
from documents.region_values import Span, region_of
from documents.values import Document, Page


def test_the_judge_of_cells_computes_each_answer_once_per_document():
    """Guards against runs that take hours: most variants of a rule ask the same of the same tables."""
    calls: list[int] = []

    def scores(numbers, buckets):
        calls.append(len(numbers))
        return len(calls)

    judge = SimpleNamespace(scores=scores)
    remembered = RememberedScores(judge)  # pyright: ignore[reportArgumentType]
    one, other = np.zeros((2, 3), np.float32), np.ones((2, 3), np.float32)
    buckets = np.zeros((1, 2, 2), np.uint8)
    assert [judge.scores(one, buckets), judge.scores(one.copy(), buckets), judge.scores(other, buckets)] == [1, 1, 2]
    remembered.forget()
    assert judge.scores(one, buckets) == 3


def test_a_drawn_document_is_scored_by_its_drawing():
    box = BoundingBox(x0=60, y0=60, x1=200, y1=72)
    line = TrueLine(text="The harbour", box=box, role="heading", block=1, rank=0.0)
    truth = DrawnTruth(name="a", form="printed", pages=(TruePage(number=2, lines=(line,)),))
    span = Span(text="The harbour", box=box, source="text_layer")
    region = region_of("title", box=box, score=0.9, text="The harbour", spans=(span,))
    pages = tuple(Page(number=number, size=(612, 792), regions=(region,)) for number in (1, 2))
    counts = counts_by(truth, corpus=None)(Document(id="a", revision=1, pages=pages))  # pyright: ignore[reportArgumentType]
    assert counts["heads"] == (2.0, 2.0)  # of the page that has a truth
