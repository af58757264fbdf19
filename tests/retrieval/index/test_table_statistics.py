"""Counts that are recovered from scores against counting the words of the texts."""

import random

import pytest

from retrieval.index.bm25 import joined, terms_of
from retrieval.index.maintenance import tidy
from retrieval.index.table_statistics import SAMPLE_ROWS, TableStatistics
from tests.retrieval.index_making import chunks_of

WORDS = [f"w{k}x" for k in range(40)]  # none is a stop word, all are their own stems
QUERY = terms_of("w0x W1X, w7x w39x unheard")


def texts_of(count, seed=0, longest=30):
    """Texts of different lengths, in which a few words are frequent and one in twenty has no word at all."""
    chance = random.Random(seed)
    weights = [1 / (1 + k) for k in range(len(WORDS))]
    return [
        "—" if chance.random() < 0.05 else " ".join(chance.choices(WORDS, weights, k=chance.randint(1, longest)))
        for _ in range(count)
    ]


def counted(texts):
    """What a person would count."""
    split = [text.split() for text in texts if text != "—"]
    with_word = {term.stem: sum(term.stem in words for words in split) for term in QUERY}
    return len(split), sum(map(len, split)) / len(split), with_word


async def add(index, name, texts):
    await index.replace(name, "default", 1, chunks_of(name, texts, headings=()), None)


def as_counted(statistics):
    return statistics.num_texts, pytest.approx(statistics.mean_terms, rel=1e-4), dict(statistics.num_texts_with)


@pytest.mark.parametrize("count", [1, 20, SAMPLE_ROWS, 300])
@pytest.mark.parametrize("tidied", [True, False])
def test_the_counts_are_those_of_the_texts(with_index, count, tidied):
    """LanceDB tells only scores: what follows from them must be exact, or tables merge in another order than one."""
    texts = texts_of(count)

    async def use(index):
        for start in range(0, count, 50):
            await add(index, f"doc{start}", texts[start : start + 50])
        if tidied:
            await tidy(index)
        return await TableStatistics(index.table).of(QUERY)

    assert counted(texts) == as_counted(with_index(use))


def test_texts_of_one_length_are_counted_too(with_index):
    """Scores of texts of one length do not tell that length: guards against a division by what is not there."""

    async def use(index):
        await add(index, "doc", ["w0x w1x"] * (SAMPLE_ROWS + 9))
        await tidy(index)
        return await TableStatistics(index.table).of(QUERY)

    statistics = with_index(use)
    assert (statistics.num_texts, statistics.mean_terms) == (SAMPLE_ROWS + 9, 2)
    assert statistics.num_texts_with["w0x"] == SAMPLE_ROWS + 9


def test_an_empty_table_counts_nothing_and_adds_nothing(with_index):
    """A shard that no document has come to."""

    async def use(index):
        empty = await TableStatistics(index.table).of(QUERY)
        await add(index, "doc", texts_of(20))
        return empty, await TableStatistics(index.table).of(QUERY)

    empty, some = with_index(use)
    assert (empty.num_texts, set(empty.num_texts_with.values())) == (0, {0})
    assert joined([empty, some, empty]) == joined([some])


def test_counts_are_kept_until_the_full_text_index_is_another(with_index, monkeypatch):
    """Guards against queries that count all again, and against counts of a table as it was an hour ago."""
    first, second = texts_of(200, 1), texts_of(200, 2)

    async def use(index):
        statistics, queries = TableStatistics(index.table), []
        hits = statistics._hits

        async def noted(word, *rest, **options):
            queries.append(word)
            return await hits(word, *rest, **options)

        monkeypatch.setattr(statistics, "_hits", noted)
        await add(index, "first", first)
        await tidy(index)
        before = await statistics.of(QUERY)
        num_queries = len(queries)
        await add(index, "second", second)  # is in no full-text index yet
        again = await statistics.of(QUERY)
        assert len(queries) == num_queries
        cold = await TableStatistics(index.table).of(QUERY)
        await tidy(index)
        return before, again, cold, await statistics.of(QUERY)

    before, again, cold, after = with_index(use)
    for statistics in (before, again, cold):
        assert counted(first) == as_counted(statistics)
    assert counted(first + second) == as_counted(after)
