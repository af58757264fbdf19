"""The whole of retrieval as a library: no Ray, no HTTP."""

import asyncio
import subprocess
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.index import Index
from retrieval.search.query import Query
from retrieval.search.query_cache import RetrievalCache
from retrieval.search.retriever import Retriever
from tests.retrieval.index_making import TEXTS, axis, chunks_of, vectors_of

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(["fox", "Fox?", "dogs", "stocks fell"])),
        st.tuples(st.sampled_from(["replace", "delete"]), st.sampled_from(["a", "b"])),
    ),
    max_size=12,
)


ALONE = """
import asyncio, importlib, pathlib, pkgutil, sys
sys.modules.update(dict.fromkeys(("ray", "fastapi", "starlette", "uvicorn", "deployments", "batching", "torch")))
import retrieval
for each in pkgutil.iter_modules(retrieval.__path__):
    importlib.import_module(f"retrieval.{each.name}")
from examples import optimized
from retrieval.embedding.embedder import Embedder
Embedder.find = lambda _: None  # full text alone: vectors need torch
folder = pathlib.Path(sys.argv[1])
(folder / "a.txt").write_text("The Alma left the harbour at four.")
best = asyncio.run(optimized.use([folder / "a.txt"], ["When did the Alma leave?"], str(folder / "i"), optimized=True))
assert [name.partition(":")[0] for name in best] == ["a.txt"], best
"""


def test_a_document_is_indexed_and_found_where_there_is_no_ray(tmp_path):
    """Guards against a library that needs a server; None in `sys.modules` makes an import fail."""
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", ALONE, str(tmp_path)], check=True, cwd=root, timeout=120)


class CountingEmbedder:
    """A vector of the first axis for any text."""

    def __init__(self):
        self.asked = []

    async def __call__(self, text):
        self.asked.append(text)
        return axis(0)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(STEPS)
def test_with_the_cache_every_answer_is_that_without_it(tmp_path_factory, steps):
    """Whatever is written between the queries; also a document that was deleted stays away."""

    async def run():
        index = await Index.open(str(tmp_path_factory.mktemp("index")))
        cached, plain = (
            Retriever(index, CountingEmbedder(), cache=RetrievalCache(2)),
            Retriever(index, CountingEmbedder()),
        )
        for revision, (step, what) in enumerate(steps, start=1):
            if step == "replace":
                await index.replace(
                    what, "default", revision, chunks_of(what, [*TEXTS, f"fox {revision}"]), vectors_of(4)
                )
            elif step == "delete":
                await index.delete(what, "default")
            else:
                one = await cached.retrieve(Query(text=what, k=3))
                other = await plain.retrieve(Query(text=what, k=3))
                assert one.result.passages == other.result.passages
                assert len(cached.cache) <= 2
        await index.close()

    asyncio.run(run())


def test_the_second_of_equal_queries_needs_neither_model_nor_index(with_index):
    """Guards against a cache that is asked and not used."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        embed = CountingEmbedder()
        retriever = Retriever(index, embed, cache=RetrievalCache())
        queries = (Query(text="fox"), Query(text="FOX?"), Query(text="fox", k=2))
        answers = [await retriever.retrieve(query) for query in queries]
        fresh = await retriever.retrieve(queries[0], bypass=True)
        return [answer.cache.tier for answer in (*answers, fresh)], embed.asked, answers[1].cache.query

    assert with_index(use) == (["miss", "exact", "miss", "off"], ["fox", "fox", "fox"], "fox")


def test_a_deleted_document_is_gone_from_the_cache_as_well(with_index):
    """What a person had forgotten must not come back in an answer."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        retriever = Retriever(index, CountingEmbedder(), cache=RetrievalCache())
        before = await retriever.retrieve(Query(text="fox", namespace="default"))
        await index.delete("doc", "default")
        after = [await retriever.retrieve(Query(text=text, namespace="default")) for text in ("fox", "foxes")]
        return len(before.result.passages), [answer.result.passages for answer in after]

    assert with_index(use) == (3, [(), ()])


def test_a_namespace_never_gets_the_result_of_another(with_index):
    """Equal words of two tenants are two questions."""

    async def use(index):
        for name in ("a", "b"):
            await index.replace("doc", name, 1, chunks_of("doc", [f"fox of {name}"]), vectors_of(1))
        retriever = Retriever(index, CountingEmbedder(), cache=RetrievalCache())
        answers = [await retriever.retrieve(Query(text="fox", namespace=name)) for name in ("a", "b", "a")]
        return [answer.result.passages[0].text for answer in answers], answers[2].cache.tier

    assert with_index(use) == (["fox of a", "fox of b", "fox of a"], "exact")


def test_equal_queries_at_once_are_searched_for_once(with_index):
    """A page that a hundred people open at once is one search."""

    async def use(index):
        embed = CountingEmbedder()
        retriever = Retriever(index, embed, cache=RetrievalCache())
        await asyncio.gather(*(retriever.retrieve(Query(text="fox")) for _ in range(8)))
        return embed.asked

    assert with_index(use) == ["fox"]
