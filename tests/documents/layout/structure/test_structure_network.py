"""The structure network's scores of a page are of that page alone, and of how its tokens lie to one another."""

from __future__ import annotations

import bisect
import math

import numpy as np
import pytest
import torch
from segment_pages import random_tokens

from documents.layout.structure.structure_network import (
    NUM_PAIR_BUCKETS,
    PAIR_BUCKETS,
    NetworkShape,
    StructureNetwork,
    batch_of,
    pair_buckets,
)
from documents.segments.features import features
from documents.segments.page_tokens import SEGMENT
from documents.segments.roles import ROLES

SHAPE = NetworkShape(width=20, num_layers=2, num_heads=2, pair_width=8)
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(3)
    return StructureNetwork(SHAPE).eval()


def page(count, seed=0, num_graphics=3):
    return features(random_tokens(count, seed, num_graphics))


@torch.inference_mode()
def test_a_page_beside_longer_ones_has_the_scores_of_the_page_alone(network):
    """Guards against attention to the tokens that fill up a batch."""
    short, longer = page(7, 1), page(40, 2)
    alone, together = network(batch_of([short])), network(batch_of([longer, short, longer]))
    count = len(short.kind)
    expected = torch.cat([alone.next[0, :, :count], alone.next[0, :, -1:]], 1)
    follows = torch.cat([together.next[1, :count, :count], together.next[1, :count, -1:]], 1)
    torch.testing.assert_close(together.role[1, :count], alone.role[0], atol=TOLERANCE, rtol=0)
    torch.testing.assert_close(follows, expected, atol=TOLERANCE, rtol=0)
    torch.testing.assert_close(together.before[1, :count, :count], alone.before[0], atol=TOLERANCE, rtol=0)


@torch.inference_mode()
def test_scores_are_of_the_shapes_that_are_stated_and_the_order_is_antisymmetric(network):
    one = page(9)
    scores, count = network(batch_of([one])), len(one.kind)
    assert scores.role.shape == (1, count, len(ROLES))
    assert scores.next.shape == (1, count, count + 1)
    assert torch.equal(scores.before, -scores.before.transpose(1, 2))


@torch.inference_mode()
def test_nothing_goes_on_with_a_graphic_or_with_itself(network):
    one = page(9)
    follows = network(batch_of([one])).next[0].softmax(1)
    graphics = np.flatnonzero(one.kind != SEGMENT)
    assert len(graphics) == 3
    assert follows[:, graphics].max() == 0
    assert follows.diagonal().max() == 0


def test_the_network_that_learns_is_the_network_that_reads(network):
    """Its tables are looked up by two ways: by a product where there is a gradient."""
    batch = batch_of([page(12)])
    learning = network(batch)
    with torch.inference_mode():
        reading = network(batch)
    torch.testing.assert_close(learning.next.detach(), reading.next, atol=TOLERANCE, rtol=1e-5)
    torch.testing.assert_close(learning.role.detach(), reading.role, atol=TOLERANCE, rtol=1e-5)


def test_pairs_do_not_change_where_a_page_is_moved():
    tokens = random_tokens(20)
    moved = type(tokens)(
        **{name: getattr(tokens, name) for name in type(tokens).__slots__}
        | {"box": tokens.box + np.array([64, 32, 64, 32], np.float32)}
    )
    before, after = (pair_buckets(batch_of([features(page_tokens)])) for page_tokens in (tokens, moved))
    assert (before != after).float().mean() < 1e-3, "but for distances at the edge of a bucket"


def test_every_pair_is_in_the_buckets_that_a_plain_loop_finds():
    """The oracle takes one pair at a time, with scalars."""
    one = page(14, 5, num_graphics=6)
    buckets = pair_buckets(batch_of([one]))[0]
    assert 0 <= int(buckets.min()) < int(buckets.max()) < NUM_PAIR_BUCKETS
    offsets = np.cumsum([0, *PAIR_BUCKETS[:-1]])
    count = len(one.kind)
    expected = np.array([[plain_buckets(one, i, j) for j in range(count)] for i in range(count)])
    wrong = (buckets.numpy() - offsets) != expected
    assert wrong.sum(axis=(0, 1)).tolist() == [0] * len(PAIR_BUCKETS)
    assert {int(bucket) for bucket in expected[..., -1].ravel()} == {0, 1, 2, 3, 4}, "every kind of neighbour occurs"


def plain_buckets(one, i, j):
    """How token j lies to token i, as the docstrings of the module say it."""
    ax0, ay0, ax1, ay1 = (float(edge) for edge in one.box[i])
    bx0, by0, bx1, by1 = (float(edge) for edge in one.box[j])
    wide, high = min(max(ax1 - ax0, 0.1), max(bx1 - bx0, 0.1)), min(max(ay1 - ay0, 0.1), max(by1 - by0, 0.1))
    over_x, over_y = min(ax1, bx1) - max(ax0, bx0), min(ay1, by1) - max(ay0, by0)
    if over_y > 0.3 * high:
        gap = 0.0
    elif by0 > ay0:
        gap = max(by0 - ay1, 0.02)
    else:
        gap = -max(ay0 - by1, 0.02)
    larger = bisect.bisect_left([-0.03, 0.03], float(one.size[j]) - float(one.size[i]))
    mine, other = int(one.inside[i]), int(one.inside[j])
    same_box = 0
    if mine != other:
        same_box = 2 if min(mine, other) < 0 else 3
    elif mine >= 0:
        same_box = 1
    return [
        signed_bucket(bx0 - ax0, 17, 2),
        signed_bucket(bx1 - ax1, 17, 2),
        signed_bucket((bx0 + bx1) / 2 - (ax0 + ax1) / 2, 17, 2),
        signed_bucket(gap, 25, 4),
        signed_bucket((by0 + by1) / 2 - (ay0 + ay1) / 2, 17, 1),
        bisect.bisect_left([0.0, 0.3, 0.7, 0.95], over_x / wide),
        bisect.bisect_left([0.0, 0.3, 0.7, 0.95], over_y / high),
        larger + 3 * (abs(float(one.bold[j]) - float(one.bold[i])) > 0.5),
        same_box,
        int(one.kind[j]),
        neighbour(one, i, j),
    ]


def signed_bucket(distance, count, steepness):
    half = count // 2
    step = round(math.log1p(abs(distance) * steepness) / math.log1p(40 * steepness) * half)
    return half + int(math.copysign(min(step, half), distance))


def neighbour(one, i, j):
    """The last of below, above, right and left by which j is the nearest segment of i."""
    box = one.box.astype(float)

    def distance(k, label):
        axis, sign = (1, 1 if label == 1 else -1) if label < 3 else (0, 1 if label == 3 else -1)
        away = sign * (box[k, axis] - box[i, axis])
        low, high = (0, 2) if label < 3 else (1, 3)
        overlap = min(box[i, high], box[k, high]) - max(box[i, low], box[k, low])
        least = 0.0 if label < 3 else 0.5 * min(max(box[m, 3] - box[m, 1], 0.1) for m in (i, k))
        both = one.kind[i] == SEGMENT == one.kind[k]
        return away if both and overlap > least and away > 0.2 else math.inf

    result = 0
    for label in (1, 2, 3, 4):
        nearest = min(range(len(box)), key=lambda k: distance(k, label))
        if nearest == j and distance(j, label) < math.inf:
            result = label
    return result
