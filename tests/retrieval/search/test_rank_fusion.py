"""Fusion against the formula."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.rank_fusion import fuse

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=3)


@given(RANKINGS)
def test_scores_are_the_sums_of_reciprocal_ranks_and_ties_have_an_order(rankings):
    """Hits in another order at every call cannot be compared, nor cached."""
    oracle = {}
    for ranking in rankings:
        for place, key in enumerate(ranking):
            oracle[key] = oracle.get(key, 0) + 1 / (61 + place)
    fused = fuse(rankings)
    assert dict(fused) == oracle
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))


def test_what_both_searches_find_beats_what_one_puts_first():
    """The reason of fusion."""
    assert [key for key, _ in fuse([["a", "x"], ["b", "x"]])] == ["x", "a", "b"]
