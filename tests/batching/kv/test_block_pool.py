"""The pool of KV blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batching.kv.block_pool import PADDING_BLOCK, BlockPool


def test_a_request_for_too_many_blocks_gets_none_at_all():
    """A partial grant would have to be undone by every caller, and one would forget."""
    pool = BlockPool(4, 16)
    assert pool.take(5) is None
    assert pool.num_free == 4


def test_the_padding_block_is_never_handed_out_and_never_counted():
    """A sequence that wrote to block 0 would be read as padding by all others."""
    pool = BlockPool(4, 16)
    blocks = pool.take(4)
    assert blocks is not None
    assert PADDING_BLOCK not in blocks
    assert pool.num_free == 0


def test_named_blocks_are_handed_out_last_and_the_longest_unused_of_them_first():
    """What is asked for again and again is to stay; a block that was handed out has other contents."""
    pool = BlockPool(4, 16)
    blocks = pool.take(3)
    for block, name in zip(blocks, (b"a", b"b", b"c"), strict=True):
        pool.set_hash(block, name)
    first, second, third = blocks
    for block in blocks:
        pool.release([block])
    assert pool.num_free == 4
    pool.release(pool.share(pool.find_cached([b"a"])))  # used once more
    pool.take(1)  # the one without a name
    assert pool.find_cached([b"a", b"b", b"c"]) == [first, second, third]
    assert pool.take(1) == [second]
    assert pool.find_cached([b"a", b"b", b"c"]) == [first]
    assert pool.take(2) == [third, first]
    assert pool.find_cached([b"a"]) == []


def test_the_first_block_of_a_name_keeps_it():
    """Two sequences that compute the same at the same time both fill a block."""
    pool = BlockPool(2, 16)
    first, second = pool.take(2)
    pool.set_hash(first, b"a")
    pool.set_hash(second, b"a")
    assert pool.find_cached([b"a"]) == [first]
    pool.release([first])
    pool.release([second])
    assert pool.take(2) == [second, first]
    assert pool.num_free == 0


def test_a_block_given_twice_is_our_own_bug_and_is_told():
    """A block twice in the free list is soon owned by two sequences."""
    pool = BlockPool(2, 16)
    blocks = pool.take(1)
    assert blocks is not None
    twice = list(blocks)
    pool.release(blocks)
    assert blocks == []
    with pytest.raises(AssertionError):
        pool.release(twice)


def test_a_shared_block_is_free_when_its_last_holder_gives_it_back():
    """Freed with the first, a beam would read what another request writes."""
    pool = BlockPool(2, 16)
    first = pool.take(1)
    second = pool.share(first)
    pool.release(first)
    assert pool.num_free == 1
    pool.release(second)
    assert pool.num_free == 2


@pytest.mark.parametrize(("tokens", "blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (32, 2)])
def test_blocks_for_counts_whole_blocks(tokens, blocks):
    """Off by one at a block's border is the classic of paged KV."""
    assert BlockPool(4, 16).blocks_for(tokens) == blocks


@given(st.lists(st.integers(0, 6), max_size=60), st.randoms())
def test_free_and_held_blocks_are_always_all_blocks(counts, chance):
    """A leak of one block a request stops a server within a day."""
    pool, holders = BlockPool(10, 4), []
    for count in counts:
        blocks = pool.take(count)
        if blocks is not None:
            holders.append(blocks)
        elif holders:
            pool.release(holders.pop(chance.randrange(len(holders))))
        owned = [block for holder in holders for block in holder]
        assert len(owned) == len(set(owned))
        assert len(owned) + pool.num_free == 10
