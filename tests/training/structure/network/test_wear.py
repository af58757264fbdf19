"""Worn pages and pages with other type keep the truth of the page that they were made of."""

from __future__ import annotations

import numpy as np
import pytest

from documents.segments.features import features
from documents.segments.page_tokens import SEGMENT
from tests.training.structure.network.same_pages import same
from training.structure.network.examples import Example
from training.structure.network.losses import followers
from training.structure.network.plain_pages import plain_page
from training.structure.network.retyped import retyped
from training.structure.network.wear import LETTERS, Wear, worn

SOURCE = plain_page(30, 4)
CHANGES = (worn, retyped)
SEEDS = range(12)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_page_has_a_truth_for_each_of_its_segments(change, seed):
    """Guards against truths of the segments before, which teach the network noise."""
    page = change(SOURCE, seed)
    count = page.tokens.num_segments
    assert {len(getattr(page, name)) for name in ("role", "block", "place", "rank")} == {count}
    assert len(page.tokens.box) == len(page.tokens.kind) == len(page.tokens.size) == len(page.tokens.style)
    assert (page.tokens.kind[:count] == SEGMENT).all()
    assert (page.tokens.kind[count:] != SEGMENT).all()
    assert (page.tokens.box[:, 2:] > page.tokens.box[:, :2]).all()
    assert np.isfinite(features(page.tokens).numbers).all()


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_seed_changes_a_page_the_same_way(change):
    before = plain_page(30, 4)
    pages = [change(SOURCE, seed) for seed in SEEDS]
    assert all(same(page, change(SOURCE, seed)) for page, seed in zip(pages, SEEDS, strict=True))
    assert not all(same(page, pages[0]) for page in pages)
    assert same(SOURCE, before), "the page itself is as it was"


def truths_of(page: Example) -> dict[int, tuple[object, ...]]:
    """Of each number that a text names, the truth of the segment."""
    truths: dict[int, tuple[object, ...]] = {}
    for k, text in enumerate(page.tokens.texts):
        words = text.split()
        truths[int(words[1])] = (int(page.role[k]), int(page.block[k]), float(page.rank[k]))
    return truths


def test_lines_that_ocr_joins_have_the_truth_of_the_longer_one():
    """A line is cut between its words, so its number stays with one part; letters are right here."""
    source = truths_of(SOURCE)
    joined = worn(SOURCE, 3, Wear(wrong=0, cut=0, join=1, close=3))
    assert joined.tokens.num_segments < SOURCE.tokens.num_segments
    assert all(truth == source[number] for number, truth in truths_of(joined).items())
    apart = worn(SOURCE, 3, Wear(wrong=0, cut=0, close=-1))
    assert truths_of(apart) == source


def test_the_parts_of_a_cut_line_follow_one_another():
    """Guards against two parts of one place, of which either may come first."""
    cut = worn(SOURCE, 5, Wear(wrong=0, cut=1, close=-1))
    assert cut.tokens.num_segments == 2 * SOURCE.tokens.num_segments
    follower = followers(cut)
    assert len(set(cut.place.tolist())) == cut.tokens.num_segments
    words = " ".join(cut.tokens.texts).split()
    assert words == " ".join(SOURCE.tokens.texts).split()
    firsts = range(0, cut.tokens.num_segments, 2)
    assert [int(follower[k]) for k in firsts] == [k + 1 for k in firsts]


def test_nothing_is_known_of_the_type_of_a_worn_page():
    """As of lines that OCR read: a bold heading would give away what the page cannot show."""
    page = worn(SOURCE, 1)
    assert not page.tokens.style[:, :5].any()
    assert not page.tokens.colour.any()
    sizes = page.tokens.size[: page.tokens.num_segments]
    assert len(set(sizes.tolist())) > 3


def test_wrong_letters_stand_where_letters_stood():
    page = worn(SOURCE, 2, Wear(wrong=1, cut=0, close=-1))
    for before, after in zip(SOURCE.tokens.texts, page.tokens.texts, strict=True):
        assert len(after) == len(before)
        assert all(new in LETTERS for old, new in zip(before, after, strict=True) if old.isalnum())
        assert [sign for sign in before if sign == " "] == [sign for sign in after if sign == " "]
