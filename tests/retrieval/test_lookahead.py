"""Looking ahead: what is predicted, and that it never stands in anybody's way."""

import asyncio

from retrieval.cache import RetrievalCache
from retrieval.lookahead import MAX_FOLLOWERS, Lookahead
from retrieval.retriever import Retriever
from retrieval.search import Query
from tests.retrieval.index_making import TEXTS, axis, chunks_of, vectors_of


async def nothing(query):
    return None


def asked(text, namespace=None):
    return Query(text=text, namespace=namespace)


def test_what_followed_before_is_predicted_and_what_the_caller_expects_comes_first():
    """Guards against predictions of another namespace: they would tell what others ask."""

    async def run():
        ahead = Lookahead(nothing, window=2)
        for session, second in (("s1", "b"), ("s2", "c"), ("s3", "c")):
            ahead.answered(asked("a", "one"), session)
            ahead.answered(asked(second, "one"), session)
        await ahead.close()
        return (
            ahead.predict(asked("A?", "one")),
            ahead.predict(asked("a", "one"), ["x", "c"]),
            ahead.predict(asked("a", "two")),
        )

    assert asyncio.run(run()) == (["c", "b"], ["x", "c"], [])


def test_nothing_is_rehearsed_while_somebody_waits_and_a_query_gives_up_what_is():
    """Invented work must not delay real work."""

    async def run():
        begun, ended = [], []

        async def search(query):
            begun.append(query.text)
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(query.text)

        ahead = Lookahead(search)
        with ahead.asking():
            ahead.answered(asked("a"), "s", ["b"])
            await asyncio.sleep(0)
            assert begun == []
        ahead.answered(asked("a"), "s", ["b", "c"])
        await asyncio.sleep(0)
        assert (begun, ended) == (["b"], [])
        with ahead.asking():
            await asyncio.sleep(0)
            assert ended == ["b"]
        return ahead.counts["given_up"]

    assert asyncio.run(run()) == 1


def test_a_query_that_was_looked_ahead_for_is_answered_from_the_cache(with_index):
    """The one thing that looking ahead is for."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        done = asyncio.Event()

        async def embed(text):
            if text == "dogs":
                done.set()
            return axis(0)

        retriever = Retriever(index, embed, cache=RetrievalCache(), lookahead_window=3)
        await retriever.retrieve(asked("fox"), session="s", expected=["dogs"])
        await done.wait()
        await retriever.lookahead.settled()
        found = await retriever.retrieve(asked("dogs"), session="s")
        counts = dict(retriever.lookahead.counts)
        await retriever.lookahead.close()
        return found.cache.tier, counts

    tier, counts = with_index(use)
    assert tier == "exact"
    assert (counts["issued"], counts["used"]) == (1, 1)


def test_a_rehearsal_that_fails_is_nobodys_failure():
    """Its error would else be told by the loop as never retrieved."""

    async def run():
        async def fail(query):
            raise ValueError("no")

        ahead = Lookahead(fail)
        ahead.answered(asked("a"), "s", ["b"])
        await ahead.settled()
        await ahead.close()

    asyncio.run(run())


def test_it_is_off_without_a_window():
    """With it off no code of it runs."""
    assert Retriever(None, None, cache=RetrievalCache()).lookahead is None


def test_one_query_has_a_bounded_number_of_followers_and_keeps_the_frequent_ones():
    """Guards against memory that grows with every query that ever came after a common one."""

    async def run():
        ahead = Lookahead(nothing, window=1)
        for number in range(3 * MAX_FOLLOWERS):
            ahead.answered(asked("a"), f"s{number}")
            ahead.answered(asked("often" if number % 2 else f"once {number}"), f"s{number}")
        await ahead.close()
        return ahead.predict(asked("a")), max(len(each) for each in ahead._followers.values())

    predicted, most = asyncio.run(run())
    assert predicted == ["often"]
    assert most <= MAX_FOLLOWERS
