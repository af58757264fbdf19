"""What the network is to say of a page follows from the page's truth; the oracles are plain loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from documents.layout.structure.structure_network import PageScores
from documents.segments.roles import ROLES
from training.structure.network.examples import NO_RANK, UNKNOWN_TABLE, Example
from training.structure.network.losses import (
    END,
    NEAR_PAIRS,
    Counts,
    Targets,
    Truth,
    dense_ranks,
    followers,
    judged,
    losses,
    targets_of,
)
from training.structure.network.plain_pages import plain_page

SURE = 30.0


@st.composite
def truths(draw) -> Example:
    """Blocks, places and ranks in any order, some unknown."""
    count = draw(st.integers(1, 9))
    length = {"min_size": count, "max_size": count}
    return replace(
        plain_page(count, 0),
        block=np.array(draw(st.lists(st.integers(-1, 3), **length)), np.int32),
        place=np.array(draw(st.permutations(range(count))), np.float32),
        rank=np.array(draw(st.lists(st.sampled_from([NO_RANK, 0.0, 0.5, 2.0, 7.0]), **length)), np.float64),
    )


@given(truths())
def test_each_segment_is_followed_by_the_next_of_its_block(example):
    expected: list[int] = []
    for k, block in enumerate(example.block):
        later = [j for j, other in enumerate(example.block) if other == block and example.place[j] > example.place[k]]
        if block < 0:
            expected.append(-1)
        else:
            expected.append(min(later, key=lambda j: example.place[j]) if later else END)
    assert followers(example).tolist() == expected


@given(truths())
def test_ranks_count_the_segments_that_are_read_before(example):
    def before(j: int, k: int) -> bool:
        return example.rank[j] > NO_RANK and (example.rank[j], example.place[j]) < (example.rank[k], example.place[k])

    indices = range(len(example.rank))
    expected = [sum(before(j, k) for j in indices) if example.rank[k] > NO_RANK else NO_RANK for k in indices]
    assert dense_ranks(example).tolist() == expected


def targets(*examples: Example) -> Targets:
    return targets_of(
        [Truth.of(example) for example in examples], max(len(example.role) for example in examples) + 1, "cpu"
    )


def test_pages_of_a_batch_have_no_truth_beyond_their_segments():
    short, longer = plain_page(4, 0), plain_page(9, 0)
    both = targets(short, longer)
    assert both.role.shape == both.follower.shape == both.rank.shape == (2, 10)
    assert both.role[0, 4:].tolist() == both.follower[0, 4:].tolist() == [-1] * 6
    assert both.rank[0, 4:].tolist() == [NO_RANK] * 6
    ends = both.follower[1] == 10
    assert ends.sum() == 3, "three blocks of three"
    assert both.role[1, :9].tolist() == longer.role.tolist()


def right_scores(truth: Targets) -> PageScores:
    """Logits that are sure of the truth."""
    pages, length = truth.role.shape
    role = torch.zeros(pages, length, len(ROLES)).scatter_(2, truth.role.clamp(min=0)[..., None], SURE)
    follows = torch.zeros(pages, length, length + 1).scatter_(2, truth.follower.clamp(min=0)[..., None], SURE)
    before = SURE * torch.sign(truth.rank[:, None] - truth.rank[:, :, None])
    same = (truth.table[:, None] == truth.table[:, :, None]) & (truth.table[:, None] >= 0)
    return PageScores(role, follows, before, torch.where(same, SURE, -SURE))


def test_scores_that_are_right_are_judged_so_and_cost_nothing_but_the_smoothing():
    truth = targets(plain_page(9, 0), plain_page(5, 0, seed=2))
    scores = right_scores(truth)
    assert all(right.all() for right in judged(scores, truth).values())
    cost = losses(scores, truth)
    assert cost["next"] < 1e-6
    assert cost["before"] < 1e-6
    assert cost["table"] < 1e-6
    wrong = PageScores(-scores.role, -scores.next, -scores.before, -scores.table)
    assert not any(judged(wrong, truth)[name].any() for name in ("role", "before", "one_table", "two_tables"))
    worse = losses(wrong, truth)
    assert all(worse[name] > cost[name] + 1 for name in cost)


def test_what_is_unknown_is_taught_by_nobody():
    """Guards against a page whose untagged lines teach that they are text."""
    example = plain_page(6, 0)
    unknown = replace(
        example,
        role=np.full(6, -1, np.int8),
        block=np.full(6, -1, np.int32),
        rank=np.full(6, NO_RANK),
        table=np.full(6, UNKNOWN_TABLE),
    )
    known, both = targets(example), targets(example, unknown)
    chance = torch.Generator().manual_seed(0)
    one = [torch.randn(shape, generator=chance) for shape in ((1, 7, len(ROLES)), (1, 7, 8), (1, 7, 7), (1, 7, 7))]
    two = [torch.cat([logits, torch.randn(logits.shape, generator=chance)]) for logits in one]
    before, after = losses(PageScores(*one), known), losses(PageScores(*two), both)
    for name in before:
        assert float(after[name]) == pytest.approx(float(before[name]), rel=1e-5), name
    assert {name: right.numel() for name, right in judged(PageScores(*two), both).items()} == {
        name: right.numel() for name, right in judged(PageScores(*one), known).items()
    }


def test_the_loss_of_the_order_is_the_mean_over_pairs_those_that_stand_near_more():
    example = replace(plain_page(4, 0), rank=np.array([3.0, NO_RANK, 1.0, 2.0]))
    truth = targets(example)
    before = torch.randn((1, 5, 5), generator=torch.Generator().manual_seed(1))
    scores = PageScores(torch.zeros(1, 5, len(ROLES)), torch.zeros(1, 5, 6), before, before)
    rank = {0: 2, 2: 0, 3: 1}
    cost = weight = 0.0
    for i in rank:
        for j in rank:
            if i != j:
                near = 1 / (1 + NEAR_PAIRS * abs(rank[i] - rank[j]))
                logit = float(before[0, i, j])
                cost += near * math.log1p(math.exp(-logit if rank[i] < rank[j] else logit))
                weight += near
    assert float(losses(scores, truth)["before"]) == pytest.approx(cost / weight, rel=1e-5)


def test_counts_add_up():
    counts = Counts().and_of(torch.tensor([True, False, True])).and_of(torch.tensor([False]))
    assert (counts.right, counts.total, counts.share) == (2, 4, 0.5)
    assert Counts().share == 0
