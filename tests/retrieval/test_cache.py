"""The cache alone, and its promise: it never gives what the index no longer has."""

import numpy as np
import pytest

from retrieval import cache as module
from retrieval.cache import RetrievalCache, normal, same_facts
from retrieval.search import Result
from retrieval.vectors import Vectors
from tests.retrieval.passage_making import passage_of


def result(version, name="r"):
    return Result(mode="hybrid", embedder=name, index_version=version)


def vector(*values):
    row = np.array([values], np.float32)
    return Vectors(row / np.linalg.norm(row), "model@1")


def test_the_same_words_get_the_same_result_until_a_commit():
    """A deleted document must not come back out of the cache."""
    cache = RetrievalCache()
    cache.put(1, "scope", "What is it?", None, result(1))
    assert cache.exact(1, "scope", "  what is  IT ").result == result(1)
    assert cache.exact(1, "other scope", "What is it?") is None
    assert cache.exact(2, "scope", "What is it?") is None
    assert len(cache) == 0
    cache.put(1, "scope", "late", None, result(1))
    assert cache.exact(2, "scope", "late") is None
    assert (cache.counts["exact"], cache.counts["invalidated"]) == (1, 1)


def test_the_least_recently_used_goes_first():
    """Guards against a cache that grows, or that throws away what is asked all the time."""
    cache = RetrievalCache(max_entries=2, semantic_threshold=0.9)
    for name in ("a", "b"):
        cache.put(1, "s", name, vector(1, 0), result(1, name))
    cache.exact(1, "s", "a")
    cache.put(1, "s", "c", vector(0, 1), result(1, "c"))
    assert [cache.exact(1, "s", name) is not None for name in "abc"] == [True, False, True]
    assert (len(cache), cache.counts["evicted"]) == (2, 1)
    assert cache.semantic(1, "s", "b", vector(1, 0)).query == "a"


def test_large_results_take_the_place_of_several(monkeypatch):
    """Guards against a thousand results of a hundred passages with their neighbours: gigabytes."""
    monkeypatch.setattr(module, "CHUNKS", 2)
    cache = RetrievalCache(max_entries=3)  # six chunks
    hits = [passage_of("Ships wait.", number) for number in range(6)]
    near = hits[0].model_copy(update={"before": (hits[1],), "after": (hits[2], hits[3])})

    def kept(name, *passages):
        cache.put(1, "s", name, None, result(1).model_copy(update={"passages": passages}))
        return [each for each in "abcde" if cache.exact(1, "s", each) is not None]

    assert kept("a", *hits[:2]) == ["a"]
    assert kept("b", near) == ["a", "b"]
    assert kept("c", hits[0]) == ["b", "c"]
    assert kept("d", *hits) == ["d"]
    assert kept("e", *hits, *hits) == ["d"]
    assert cache.counts["evicted"] == 3


def test_near_queries_share_a_result_only_from_the_threshold_on_and_in_one_scope():
    """Cosines of other filters' queries are as near."""
    cache = RetrievalCache(semantic_threshold=0.95)
    cache.put(1, "s", "how do I reset it", vector(1, 0.1), result(1))
    hit = cache.semantic(1, "s", "how can I reset it", vector(1, 0.12))
    assert (hit.tier, hit.query) == ("semantic", "how do I reset it")
    assert hit.similarity > 0.95
    assert cache.semantic(1, "s", "something else", vector(1, 1)) is None
    assert cache.semantic(1, "other", "how can I reset it", vector(1, 0.12)) is None
    assert RetrievalCache().semantic(1, "s", "how can I reset it", vector(1, 0.12)) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("revenue in 2023", "revenue in 2022", False),
        ("the salary of Smith", "the salary of Jones", False),
        ("is it allowed", "is it not allowed", False),
        ("with a deposit", "without a deposit", False),
        ("Revenue in 2023?", "what was the revenue in 2023", True),
    ],
)
def test_numbers_names_and_negations_keep_queries_apart(one, other, same):
    """Their cosines are above 0.9, and their answers differ."""
    assert same_facts(one, other) == same
    cache = RetrievalCache(semantic_threshold=0.5)
    cache.put(1, "s", one, vector(1, 0), result(1))
    assert (cache.semantic(1, "s", other, vector(1, 0.01)) is not None) == same


def test_normal_forms_differ_where_words_do():
    """Guards against signs inside of words being dropped."""
    assert normal(" C++  is\nWHAT? ") == "c++ is what"
    assert normal("1.5") != normal("15")
