"""What documents teach the judge of headings, and that it learns it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.harness.rule_replay import Replay
from benchmarks.truths.tagged_pdf import TaggedPage
from documents.document.heading_judge import HeadingJudge
from documents.document.headings import with_document_headings
from tests.documents.page_making import opened, page, region
from training.structure.headings.judgement import judged
from training.structure.headings.samples import UNKNOWN, tagged_sample
from training.structure.headings.train import weights_of

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave for the day. " * 3
NAMES = ("Boats", "Fog", "Dues", "Lamps", "Quays", "Nets")


def document(chance):
    """Small coloured headings under large plain ones; a heading's page says no more than that of text what it is."""
    large, small = chance.choice((18.0, 20.0)), chance.choice((12.0, 13.0))
    pages = [
        page(
            region(f"{name} {number}", "title", size=large, heading=chance.uniform(0.3, 0.9)),
            region(PROSE, heading=0.01),
            region(f"Of {name}", "plain text", size=small, heading=chance.uniform(0.3, 0.9)),
            region(f"{PROSE}{number}", heading=0.01),
            region("Notes of that day", "title", size=10.0, heading=chance.uniform(0.3, 0.9), furniture=0.01),
            number=number,
        )
        for number, name in enumerate(NAMES, 1)
    ]
    return Replay("d", opened(len(pages)), (), {}, tuple(pages), ())


def truth_of(replay):
    return [
        TaggedPage(one.number, f"# {one.regions[0].text}\n\n## {one.regions[2].text}\n\nNotes", frozenset({"heads"}))
        for one in replay.pages
    ]


@pytest.fixture(scope="module")
def samples():
    documents = [document(random.Random(seed)) for seed in range(12)]
    return [tagged_sample(one, truth_of(one), f"family {k % 3}") for k, one in enumerate(documents)]


def test_tags_say_which_texts_are_headings_and_at_which_level(samples):
    assert samples[0].is_heading.tolist() == [1, 0, 1, 0, 0] * len(NAMES)
    assert samples[0].level.tolist() == [1, UNKNOWN, 2, UNKNOWN, UNKNOWN] * len(NAMES)


def test_a_page_whose_tags_say_nothing_of_headings_teaches_levels_alone():
    one = document(random.Random(1))
    truth = [TaggedPage(page.number, page.markdown, frozenset()) for page in truth_of(one)]
    sample = tagged_sample(one, truth, "family")
    assert set(sample.is_heading) == {UNKNOWN}
    assert not sample.weight(1.0).any()
    assert len(list(sample.pairs(1.0))) > 0


def test_the_judge_learns_what_the_tags_say_and_finds_it_in_another_document(samples):
    judge = HeadingJudge.of(weights_of(samples))
    again = HeadingJudge.of(weights_of(samples))
    assert np.array_equal(judge.hidden, again.hidden)
    other = document(random.Random(99))
    done = with_document_headings(other.pages, other.opened, judge)
    kinds = [
        [getattr(one, "level", None) if one.kind == "title" else one.kind for one in page.regions] for page in done
    ]
    assert kinds == [[1, "plain text", 2, "plain text", "plain text"]] * len(NAMES)


def test_families_are_judged_by_weights_that_have_not_seen_them(samples):
    learnt: list[set[str]] = []

    def fit(chosen):
        learnt.append({sample.family for sample in chosen})
        return weights_of(chosen)

    assert judged(samples, fit) == {"headings": 1.0, "levels": 1.0}
    assert [len(families) for families in learnt] == [2, 2, 2]
    assert judged(samples[:1], fit) == {}
