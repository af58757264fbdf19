"""Several tables against one that holds the same chunks: the same answers in the same order."""

import asyncio
import random
import zlib

import numpy as np
import pytest

from retrieval.embedding.vectors import Vectors
from retrieval.errors import IndexMismatch
from retrieval.index.index import Index
from retrieval.index.maintenance import tidy
from retrieval.index.rebuild import rebuild
from retrieval.index.sharded_index import MAX_QUERY_TERMS, ShardedIndex
from retrieval.search.passage import Scores
from retrieval.search.query import Query
from retrieval.search.query_cache import RetrievalCache
from retrieval.search.retriever import Retriever
from retrieval.search.search import Searcher
from retrieval.search.search_filter import Filter, Pages
from tests.retrieval.index_making import SIZE, TEXTS, axis, chunks_of, vectors_of

NUM_SHARDS = 4
UNSCORED = {"score": 0.0, "scores": Scores()}
NAMES = tuple(f"doc{k}" for k in range(24))


@pytest.fixture
def both(tmp_path):
    """Runs `use(index)` on one table and on four, and returns both results."""

    def run_with(use):
        async def run(index):
            try:
                return await use(index)
            finally:
                await index.close()

        async def run_both():
            one = await run(await Index.open(str(tmp_path / "one")))
            return one, await run(await ShardedIndex.open(str(tmp_path / "many"), num_shards=NUM_SHARDS))

        return asyncio.run(run_both())

    return run_with


def table_of(index, name):
    """The table that a document is put into."""
    return index.shards[zlib.crc32(name.encode()) % len(index.shards)]


async def fill(index, names=NAMES, revision=1, embedder="model@1"):
    """Documents of some chunks each, some of them equal, with vectors; the same however many tables there are."""
    for name in names:
        chance = random.Random(f"{name} {revision}")
        texts = [chance.choice(TEXTS) for _ in range(chance.randint(1, 9))]
        drawn = np.random.default_rng(chance.randrange(1 << 30)).integers(-3, 4, (len(texts), SIZE))
        values = drawn.astype(np.float32) + np.float32(0.5)
        metadata = {"parity": "odd" if chance.random() < 0.5 else "even"}
        kind = "table" if chance.random() < 0.3 else "plain text"
        cut = chunks_of(name, texts, kind=kind)
        await table_of(index, name).replace(name, "default", revision, cut, Vectors(values, embedder), metadata)


VECTOR_QUERIES = [
    Query(text="fox", mode="vector", k=30),
    Query(text="fox", mode="vector", k=10, neighbours=2, namespace="default"),
    Query(text="fox", mode="vector", k=5, per_document=2),
    Query(text="fox", mode="vector", filter=Filter(metadata={"parity": "odd"}), k=20),
    Query(text="fox", mode="vector", filter=Filter(kind=("table",), pages=Pages(first=2)), k=20),
    Query(text="fox", mode="vector", filter=Filter(document_id=("doc3", "doc7")), k=20),
    Query(text="fox", mode="vector", namespace="nobody's"),
]


def test_the_nearest_vectors_of_all_tables_are_those_of_one(both):
    """Guards against a table whose hits are left out, and against ties in another order; after revisions, too."""

    async def use(index):
        await fill(index)
        await fill(index, NAMES[::3], revision=2)
        for name in NAMES[::5]:
            await table_of(index, name).delete(name, "default")
        results = [await Searcher(index).search(query, axis(1)) for query in VECTOR_QUERIES]
        return [result.passages for result in results]

    one, many = both(use)
    assert many == one
    assert [len(passages) for passages in one[:3]] == [30, 10, 9]


def test_documents_chunks_and_counts_of_all_tables_are_those_of_one(both):
    """Guards against a list whose pages leave out what stands in another table."""

    async def use(index):
        await fill(index)
        searcher = Searcher(index)
        pages = [await searcher.documents("default", after, 7) for after in ("", "doc15", "doc4")]
        chunks = [await searcher.chunks(name, "default", 1, 4) for name in NAMES[:6]]
        return pages, chunks, await index.count(), await index.num_without_vector(), await index.embedder()

    one, many = both(use)
    assert many == one
    assert len(one[0][0]) == 7


def test_tables_that_hold_nothing_yet_are_no_error(both):
    """A shard that no document has come to, or all of them."""

    async def use(index):
        searcher, results = Searcher(index), []
        for _ in range(2):
            hits = (await searcher.search(Query(text="fox"), axis(0))).passages
            results.append([hit.model_copy(update=UNSCORED) for hit in hits])
            results.append(await searcher.documents("default", "", 10))
            await index.shards[-1].replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        return results

    one, many = both(use)
    assert many == one
    assert one[0] == []
    assert one[2][0].chunk_id == "doc:000000"


def test_a_commit_to_any_table_empties_the_cache(both):
    """Guards against results without a document, or with one that was deleted, because another table was written."""

    async def use(index):
        async def embed(text):
            return axis(1)

        await fill(index)
        retriever, tiers = Retriever(index, embed, cache=RetrievalCache()), []
        for name in NAMES[:4]:
            tiers += [(await retriever.retrieve(Query(text="fox"))).cache.tier for _ in range(2)]
            await table_of(index, name).delete(name, "default")
        left = (await retriever.retrieve(Query(text="fox", k=100))).result.passages
        return tiers, {hit.document_id for hit in left}

    for tiers, documents in both(use):
        assert tiers == ["miss", "exact"] * 4
        assert documents == set(NAMES[4:])


def test_vectors_of_another_model_in_any_table_are_refused_until_all_are_rebuilt(both):
    """Guards against a check of the first table alone."""

    async def other(texts):
        return Vectors(np.ones((len(texts), SIZE), np.float32), "model@2")

    async def use(index):
        await index.shards[-1].replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        with pytest.raises(IndexMismatch, match="rebuild"):
            await Searcher(index).search(Query(text="fox"), axis(1, "model@2"))
        await fill(index)
        left = []
        num_embedded = await rebuild(index, other, on_progress=left.append)
        result = await Searcher(index).search(Query(text="", mode="vector", k=100), await other(["fox"]))
        return num_embedded == await index.count() == left[0], len(result.passages), await rebuild(index, other)

    one, many = both(use)
    assert many == one
    assert one == (True, 100, 0)


def test_an_index_that_gets_more_shards_keeps_what_it_has(tmp_path):
    """The table of shard 0 is that of an index without shards."""

    async def use():
        index = await Index.open(str(tmp_path))
        await fill(index)
        await tidy(index)
        before = await Searcher(index).search(Query(text="fox", k=50), axis(1))
        await index.close()
        grown = await ShardedIndex.open(str(tmp_path), num_shards=NUM_SHARDS)
        after = await Searcher(grown).search(Query(text="fox", k=50), axis(1))
        await grown.close()
        return before.passages, after.passages

    before, after = asyncio.run(use())
    assert after == before
    assert len(before) == 50


WORDS = [f"{letter}{number}" for letter in "abcdefghijklmnop" for number in ("ing", "ation", "x", "y", "z")]
STATES = ("new", "tidied", "changed")


async def fill_with_words(index, state):
    """Documents of texts of different lengths, in which each has words of its own more often than others have them."""
    await _fill_with_words(index, NAMES, 1)
    if state == "changed":
        await _fill_with_words(index, NAMES[::3], 2)
        for name in NAMES[::4]:
            await table_of(index, name).delete(name, "default")
    if state != "new":
        for shard in index.shards:
            await tidy(shard)


async def _fill_with_words(index, names, revision):
    for name in names:
        chance = random.Random(f"{name} {revision}")
        weights = [1 / (1 + (k + chance.randrange(3) * len(name)) % len(WORDS)) for k in range(len(WORDS))]
        texts = [" ".join(chance.choices(WORDS, weights, k=chance.randint(2, 200))) for _ in range(12)]
        cut = chunks_of(name, [*texts, "\u5317\u4eac\u5927\u5b66", "\u2026"], headings=(f"On {name}",))
        values = np.random.default_rng(chance.randrange(1 << 30)).normal(size=(len(cut), SIZE)).astype(np.float32)
        metadata = {"parity": "odd" if chance.random() < 0.5 else "even"}
        await table_of(index, name).replace(name, "default", revision, cut, Vectors(values, "model@1"), metadata)


def queries_of(state):
    """Some with filters; while nothing is in a full-text index, LanceDB counts only the rows that a filter leaves."""
    chance = random.Random(7)
    texts = [" ".join(chance.sample(WORDS, number)) for number in (1, 3, 8)]
    texts += ["cing cing bation", "doc7 cation", "\u5927\u5b66", "nowhere"]
    options = [{"k": 10}, {"k": 20, "neighbours": 1}, {"k": 5, "per_document": 2}]
    if state != "new":
        options += [{"filter": Filter(metadata={"parity": "odd"})}, {"filter": Filter(pages=Pages(first=4, last=9))}]
    return [
        Query(text=text, mode=mode, **some) for text in texts for mode in ("full_text", "hybrid") for some in options
    ]


@pytest.mark.parametrize("state", STATES)
def test_full_text_of_all_tables_is_that_of_one(both, state):
    """By its own counts, each table gives the same text another score: most of the top ten were in another order."""

    async def use(index):
        await fill_with_words(index, state)
        searcher = Searcher(index)
        return [(await searcher.search(query, axis(1))).passages for query in queries_of(state)]

    num_hits = 0
    for one, many in zip(*both(use), strict=True):
        assert [hit.chunk_id for hit in many] == [hit.chunk_id for hit in one]
        assert [hit.score for hit in many] == pytest.approx([hit.score for hit in one], rel=1e-5)
        assert [hit.model_copy(update=UNSCORED) for hit in many] == [hit.model_copy(update=UNSCORED) for hit in one]
        num_hits += len(one)
    assert num_hits > 250


def test_rows_that_are_in_no_full_text_index_yet_are_found_beside_those_that_are(both):
    """Guards against a document that search does not know until the index is compacted."""

    async def use(index):
        await fill_with_words(index, "tidied")
        for name in ("late", "later"):
            await table_of(index, name).replace(name, "default", 1, chunks_of(name, ["cing bation unheard"]), None)
        searcher = Searcher(index)
        results = [await searcher.search(Query(text=text, mode="full_text", k=3), None) for text in ("unheard", "cing")]
        everything = await searcher.search(Query(text="cing", mode="full_text", k=500), None)
        return {hit.document_id for hit in results[0].passages}, {hit.chunk_id for hit in everything.passages}

    one, many = both(use)
    assert many == one
    assert one[0] == {"late", "later"}


def test_a_query_of_very_many_words_is_answered_without_counting_each(both, monkeypatch):
    """Each word that is counted is a query per table: a pasted page must not be thousands."""

    async def use(index):
        await fill_with_words(index, "tidied")
        text = " ".join(f"unknown{k}" for k in range(MAX_QUERY_TERMS)) + " bation"
        return {hit.chunk_id for hit in (await Searcher(index).search(Query(text=text, k=500), None)).passages}

    async def counted(*_):
        raise AssertionError("a word is counted")

    monkeypatch.setattr("retrieval.index.table_statistics.TableStatistics.of", counted)
    one, many = both(use)
    assert many == one
    assert len(one) > 10
