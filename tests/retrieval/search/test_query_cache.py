"""The cache alone, and its promise: it never gives what the index no longer has."""

from retrieval.search import query_cache as module
from retrieval.search.query import Result
from retrieval.search.query_cache import RetrievalCache, normal
from tests.retrieval.passage_making import passage_of


def result(version, name="r"):
    return Result(mode="hybrid", embedder=name, index_version=version)


def test_the_same_words_get_the_same_result_until_a_commit():
    """A deleted document must not come back out of the cache."""
    cache = RetrievalCache()
    cache.put(1, "scope", "What is it?", result(1))
    assert cache.exact(1, "scope", "  what is  IT ").result == result(1)
    assert cache.exact(1, "other scope", "What is it?") is None
    assert cache.exact(2, "scope", "What is it?") is None
    assert len(cache) == 0
    cache.put(1, "scope", "late", result(1))
    assert cache.exact(2, "scope", "late") is None
    assert (cache.counts["exact"], cache.counts["invalidated"]) == (1, 1)


def test_the_least_recently_used_goes_first():
    """Guards against a cache that grows, or that throws away what is asked all the time."""
    cache = RetrievalCache(max_entries=2)
    for name in ("a", "b"):
        cache.put(1, "s", name, result(1, name))
    cache.exact(1, "s", "a")
    cache.put(1, "s", "c", result(1, "c"))
    assert [cache.exact(1, "s", name) is not None for name in "abc"] == [True, False, True]
    assert (len(cache), cache.counts["evicted"]) == (2, 1)


def test_large_results_take_the_place_of_several(monkeypatch):
    """Guards against a thousand results of a hundred passages with their neighbours: gigabytes."""
    monkeypatch.setattr(module, "MEAN_CHUNKS", 2)
    cache = RetrievalCache(max_entries=3)  # six chunks
    hits = [passage_of("Ships wait.", number) for number in range(6)]
    near = hits[0].model_copy(update={"before": (hits[1],), "after": (hits[2], hits[3])})

    def kept(name, *passages):
        cache.put(1, "s", name, result(1).model_copy(update={"passages": passages}))
        return [key for key in "abcde" if cache.exact(1, "s", key) is not None]

    assert kept("a", *hits[:2]) == ["a"]
    assert kept("b", near) == ["a", "b"]
    assert kept("c", hits[0]) == ["b", "c"]
    assert kept("d", *hits) == ["d"]
    assert kept("e", *hits, *hits) == ["d"]
    assert cache.counts["evicted"] == 3


def test_normal_forms_differ_where_words_do():
    """Guards against signs inside of words being dropped."""
    assert normal(" C++  is\nWHAT? ") == "c++ is what"
    assert normal("1.5") != normal("15")
