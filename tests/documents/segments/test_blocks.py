"""Whatever the network says, every segment is in one block, and the blocks stand in one order."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from documents.segments import blocks
from documents.segments.blocks import SegmentScores, blocks_of
from documents.segments.roles import ROLES

SURE = 20.0
LOGITS = st.floats(-(2.0**100), 2.0**100, width=32)


@st.composite
def scores(draw, max_segments=9):
    count = draw(st.integers(0, max_segments))
    half = draw(arrays(np.float32, (count, count), elements=LOGITS))
    return SegmentScores(
        role=draw(arrays(np.float32, (count, len(ROLES)), elements=LOGITS)),
        next=draw(arrays(np.float32, (count, count + 1), elements=LOGITS)),
        before=np.triu(half, 1) - np.triu(half, 1).T,
        table=half + half.T,
    )


def scores_of(count, *, links=(), order=None, roles=None, tables=None):
    """Sure scores: pairs of segments that are linked, the places of the segments, their roles and their tables."""
    role = np.zeros((count, len(ROLES)), np.float32)
    role[np.arange(count), [ROLES.index(name) for name in roles or ["text"] * count]] = SURE
    follows = np.full((count, count + 1), -SURE, np.float32)
    follows[:, count] = 0
    for first, second in links:
        follows[first, second] = SURE
    places = np.arange(count) if order is None else np.argsort(order)
    before = SURE * np.sign(places[None] - places[:, None]).astype(np.float32)
    numbers = np.array(tables or [0] * count)
    same = np.where(numbers[:, None] == numbers, SURE, -SURE).astype(np.float32)
    return SegmentScores(role=role, next=follows, before=before, table=same)


def segments_of(blocks):
    return [block.segments for block in blocks]


@given(scores(), st.data())
def test_any_scores_give_a_partition_always_the_same(page, data):
    count = len(page.role)
    lengths = np.array(data.draw(st.lists(st.integers(0, 2**31 - 1), min_size=count, max_size=count)), np.int32)
    blocks = blocks_of(page, lengths)
    assert sorted(k for block in blocks for k in block.segments) == list(range(count))
    assert all(block.segments and 0 <= block.score <= 1 for block in blocks)
    assert blocks_of(page, lengths) == blocks


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_ring_of_links_is_cut_once(size):
    """Guards against segments that no block begins with: a ring would be lost with its words."""
    ring = [(k, (k + 1) % size) for k in range(size)]
    (block,) = blocks_of(scores_of(size, links=ring), np.ones(size))
    assert sorted(block.segments) == list(range(size))
    steps = {(a, b) for a, b in zip(block.segments, block.segments[1:], strict=False)}
    assert steps < set(ring)


def test_a_segment_goes_on_with_one_other_and_follows_one():
    """The surer link counts."""
    page = scores_of(3, links=[(0, 1), (0, 2), (1, 2)])
    page.next[0, 1] += 1
    assert segments_of(blocks_of(page, np.ones(3))) == [(0, 1, 2)]
    page = scores_of(3, links=[(0, 2), (1, 2)])
    page.next[0, 2] -= 19
    assert segments_of(blocks_of(page, np.ones(3))) == [(0,), (1, 2)]


def test_a_link_between_a_heading_and_text_is_none():
    page = scores_of(2, links=[(0, 1)], roles=["heading", "text"])
    assert segments_of(blocks_of(page, np.ones(2))) == [(0,), (1,)]


@given(st.permutations(range(8)), st.sampled_from([1.0, 0.005]))
def test_an_order_that_all_pairs_agree_on_is_the_order(order, strength):
    """Also where they are so unsure that no neighbours change places."""
    sure = scores_of(8, order=order)
    blocks = blocks_of(dataclasses.replace(sure, before=strength * sure.before), np.ones(8))
    assert segments_of(blocks) == [(k,) for k in order]


def test_blocks_are_ordered_as_wholes():
    """Two columns of two lines each: the second is read after all of the first, whatever stands level."""
    page = scores_of(4, links=[(0, 2), (1, 3)], order=[0, 2, 1, 3])
    assert segments_of(blocks_of(page, np.ones(4))) == [(0, 2), (1, 3)]


def test_the_longer_segment_says_what_its_block_is():
    """Guards against a number in bold that makes a heading of its paragraph."""
    page = scores_of(2, links=[(0, 1)], roles=["text", "text"])
    for segment, role in enumerate(("heading", "text")):
        page.role[segment] = 0
        page.role[segment, ROLES.index(role)] = 1.5
    page.next[0, 1] = 1e4
    for lengths, role in (((1, 400), "text"), ((400, 1), "heading")):
        (block,) = blocks_of(page, np.array(lengths))
        assert block.role == role
        assert 0 < block.score < 1


def test_a_page_without_segments_has_no_blocks():
    assert blocks_of(scores_of(0), np.zeros(0)) == ()


def test_no_order_takes_more_comparisons_than_a_band_may(monkeypatch):
    """Guards against blocks that change places for seconds where the network contradicts itself."""
    compared = []
    best_move = blocks._best_move
    monkeypatch.setattr(blocks, "_best_move", lambda first: compared.append(first.size) or best_move(first))

    def work(count):
        compared.clear()
        chance = np.random.default_rng(0)
        signs = np.triu(np.where(chance.random((count, count)) < 0.5, -SURE, SURE), 1).astype(np.float32)
        page = scores_of(count)
        blocks_of(dataclasses.replace(page, before=signs - signs.T), np.ones(count))
        return sum(compared)

    assert 0 < work(40) <= 3 * 40**3
    assert work(640) <= blocks.MAX_PAIRS


def test_a_block_says_how_likely_it_is_a_heading_and_furniture_whatever_its_role():
    """The judges of the whole document weigh it with what all pages show."""
    odds = {"title": 0.2, "heading": 0.3, "text": 0.35, "page_header": 0.08, "stamp": 0.02}
    role = np.log(np.array([[odds.get(name, 0.05 / (len(ROLES) - 5)) for name in ROLES]], np.float32))
    (block,) = blocks_of(dataclasses.replace(scores_of(1), role=role), np.array([12]))
    assert block.role == "text"
    assert block.heading == pytest.approx(0.5)
    assert block.furniture == pytest.approx(0.1 + 2 * 0.05 / (len(ROLES) - 5))


def tables_of(page):
    return [block.table for block in blocks_of(page, np.ones(len(page.role)))]


def test_cells_are_of_the_tables_whose_cells_they_share():
    """Two tables side by side whose rows stand level: cells of one come in turn with those of the other."""
    page = scores_of(6, roles=["table"] * 6, tables=[0, 1, 0, 1, 0, 1])
    assert tables_of(page) == [0, 1, 0, 1, 0, 1]


def test_what_is_no_cell_is_of_no_table():
    page = scores_of(4, roles=["table", "text", "table", "caption"])
    assert tables_of(page) == [0, None, 0, None]


def test_one_wrong_pair_joins_no_two_tables():
    """Guards against tables that a single pair makes one: the mean of all pairs counts."""
    page = scores_of(8, roles=["table"] * 8, tables=[0] * 4 + [1] * 4)
    page.table[[3, 4], [4, 3]] = SURE
    assert tables_of(page) == [0] * 4 + [1] * 4
