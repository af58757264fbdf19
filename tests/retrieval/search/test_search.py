"""Searches against a real index and a matrix product."""

import threading

import numpy as np
import pytest

from retrieval.embedding.vectors import Vectors
from retrieval.errors import IndexMismatch, NoEmbedder
from retrieval.index.table import passage
from retrieval.search.passage import DocumentSource
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from retrieval.search.search_filter import Filter, Pages
from tests.retrieval.index_making import TEXTS, axis, box_of, chunks_of, vectors_of


@pytest.fixture
def search(with_index):
    """Fills an index by `fill(index)`, then answers the queries."""

    def searched(fill, *queries):
        async def use(index):
            await fill(index)
            return [await Searcher(index).search(query, vectors) for query, vectors in queries]

        return with_index(use)

    return searched


def ids(result):
    return [hit.chunk_id for hit in result.passages]


async def one(index):
    await index.replace("doc", "default", 3, chunks_of("doc", TEXTS), vectors_of(3), {"lang": "en"})


async def three(index):
    for name in ("one", "two", "x' OR 1=1 --"):
        await index.replace(name, "default", 1, chunks_of(name, TEXTS), vectors_of(3), {"lang": f"{name}'s"})


def test_a_query_finds_the_chunk_with_its_page_boxes_and_scores(search):
    """A passage without its place cannot be cited."""
    (result,) = search(one, (Query(text="dogs", k=2), axis(1)))
    best, _ = result.passages
    assert (best.chunk_id, best.document_id, best.revision, best.page) == ("doc:000001", "doc", 3, 2)
    assert [(boxed.page, boxed.box) for boxed in best.boxes] == [(2, box_of(1))]
    assert (best.heading_path, best.kind, best.text) == (("Animals", "Mammals"), "plain text", TEXTS[1])
    assert best.metadata == {"lang": "en"}
    assert best.scores.vector == pytest.approx(1)
    assert best.scores.full_text > 0
    assert best.score == best.scores.fused == pytest.approx(2 / 61)
    assert (best.file_name, best.title, best.page_label) == (None, None, None)  # nobody said
    assert best.highlight.text == TEXTS[1]
    assert best.highlight.terms == ("dogs",)
    assert [boxed.box for boxed in best.highlight.boxes] == [box_of(1)]
    assert (result.mode, result.embedder) == ("hybrid", "model@1")


def test_a_passage_says_which_file_and_page_a_person_would_open(search):
    """A hit named a hash and the number of a page that the book calls otherwise."""

    async def fill(index):
        source = DocumentSource(file_name="book.pdf", title="Animals", page_labels={1: "iv", 2: "v"})
        repeated = ("Animals", "ANIMALS", "Mammals")
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS, repeated), None, source=source)

    (result,) = search(fill, (Query(text="lazy dogs", k=1, neighbours=1), None))
    (best,) = result.passages
    assert (best.file_name, best.title, best.page_label) == ("book.pdf", "Animals", "v")
    assert best.heading_path == ("Animals", "Mammals")
    assert [chunk.page_label for chunk in (*best.before, *best.after)] == ["iv", None]


def test_passages_are_made_outside_of_the_event_loop(search, monkeypatch):
    """The sentences of a long query stopped all other requests."""
    threads = []
    monkeypatch.setattr(
        "retrieval.search.search.passage", lambda *hit: threads.append(threading.current_thread()) or passage(*hit)
    )
    search(one, (Query(text="fox", k=2), axis(1)), (Query(text="fox", k=2, per_document=1), axis(1)))
    assert len(threads) == 3
    assert threading.main_thread() not in threads


def test_each_mode_ranks_by_its_own_score(search):
    """Guards against a mode that is told and not done."""
    by_vector, by_text, both = search(
        one, *((Query(text="fox", mode=mode), axis(1)) for mode in ("vector", "full_text", "hybrid"))
    )
    assert ids(by_vector)[0] == "doc:000001"
    assert ids(by_text) == ["doc:000000"]
    assert ids(both)[:2] == ["doc:000000", "doc:000001"]
    assert (by_text.embedder, by_text.passages[0].scores.vector) == (None, None)


def test_without_an_embedder_search_is_full_text_and_says_so(search):
    """Guards against vectors that are silently missing, and against words that are an error to the parser."""
    texts = ("fox", "autumn stocks", "zebra", '"(AND" OR * -', "C++ O'Reilly: [x]^2")
    results = search(one, *((Query(text=text), None) for text in texts))
    assert [ids(result) for result in results] == [["doc:000000"], ["doc:000002"], [], [], []]
    assert {result.mode for result in results} == {"full_text"}
    with pytest.raises(NoEmbedder):
        search(one, (Query(text="fox", mode="vector"), None))


def test_headings_are_searched_and_not_quoted(search):
    """The words of a heading are often those of the question."""
    (result,) = search(one, (Query(text="mammals", mode="full_text"), None))
    assert len(result.passages) == 3
    assert "Mammals" not in result.passages[0].text


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_a_query_by_another_model_is_refused_but_not_by_text(search, mode):
    """Guards against vectors of two models being compared."""
    with pytest.raises(IndexMismatch, match="rebuild"):
        search(one, (Query(text="fox", mode=mode), axis(1, "model@2")))
    (result,) = search(one, (Query(text="fox", mode="full_text"), axis(1, "model@2")))
    assert ids(result) == ["doc:000000"]


def test_before_anything_is_indexed_nothing_is_found(search):
    """An empty index is no error."""

    async def nothing(index):
        pass

    results = search(nothing, (Query(text="fox"), axis(0)), (Query(text="fox"), None))
    assert [result.passages for result in results] == [(), ()]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Filter(document_id=("two",)), {"two"}),
        (Filter(document_id=("x' OR 1=1 --", "two")), {"x' OR 1=1 --", "two"}),
        (Filter(document_id=("' OR '1'='1",)), set()),
        (Filter(document_id=()), set()),
        (Filter(metadata={"lang": "one's"}), {"one"}),
        (Filter(metadata={"lang": "one"}), set()),
        (Filter(metadata={"lang": "x' OR 1=1 --'s"}), {"x' OR 1=1 --"}),
        (Filter(kind=("table",)), set()),
        (Filter(kind=("table", "plain text"), document_id=("two",)), {"two"}),
        (Filter(pages=Pages(first=1, last=1)), {"one", "two", "x' OR 1=1 --"}),
        (Filter(pages=Pages(first=2)), set()),
    ],
)
def test_a_filter_narrows_the_search_before_it_begins(search, chosen, expected):
    """A filter after the search would leave fewer than k hits; one of hostile text must match as it is."""
    (result,) = search(three, (Query(text="fox", filter=chosen, k=3, mode="full_text"), None))
    assert {hit.document_id for hit in result.passages} == expected


def test_namespaces_do_not_leak(search):
    """One tenant's passages, neighbours or deletions must not reach another."""

    async def fill(index):
        await index.replace("doc", "a", 1, chunks_of("doc", ["fox of a", "next of a"]), vectors_of(2))
        await index.replace("doc", "b", 1, chunks_of("doc", ["fox of b", "next of b"]), vectors_of(2))
        await index.replace("gone", "b", 1, chunks_of("gone", ["fox"]), vectors_of(1))
        await index.delete("gone", "a")

    of_a, of_b = search(fill, *((Query(text="fox", namespace=name, neighbours=1, k=1), axis(0)) for name in "ab"))
    assert [hit.text for hit in of_a.passages] == ["fox of a"]
    assert [chunk.text for chunk in of_a.passages[0].after] == ["next of a"]
    assert of_b.passages[0].document_id in ("doc", "gone")


def test_neighbours_are_those_of_the_document_in_its_order(search):
    """Guards against a window that runs over the end of a document into another."""

    async def fill(index):
        for name in ("doc", "doc2"):
            await index.replace(name, "default", 1, chunks_of(name, [f"word{k}" for k in range(6)]), None)

    middle, edge = search(
        fill,
        *((Query(text=text, neighbours=2, filter=Filter(document_id=("doc",))), None) for text in ("word3", "word0")),
    )
    (hit,) = middle.passages
    assert [chunk.ordinal for chunk in (*hit.before, *hit.after)] == [1, 2, 4, 5]
    assert {chunk.document_id for chunk in (*hit.before, *hit.after)} == {"doc"}
    assert [[chunk.ordinal for chunk in side] for side in (edge.passages[0].before, edge.passages[0].after)] == [
        [],
        [1, 2],
    ]


def test_grouping_gives_k_documents_even_where_one_holds_all_of_the_best(search):
    """Guards against k passages of one document being grouped to one group."""

    async def fill(index):
        await index.replace("long", "default", 1, chunks_of("long", ["fox fox fox"] * 120), None)
        for name in ("a", "b"):
            await index.replace(name, "default", 1, chunks_of(name, [f"fox and many other words of {name}"]), None)

    (result,) = search(fill, (Query(text="fox", k=3, per_document=2), None))
    assert [hit.document_id for hit in result.passages][:2] == ["long", "long"]
    assert sorted(hit.document_id for hit in result.passages[2:]) == ["a", "b"]


def test_vector_search_is_the_matrix_product_under_every_filter(search):
    """The oracle: cosines of all vectors, the filter applied by hand."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(60, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = Vectors(vectors[7:8] + 0.1, "model@1")

    async def fill(index):
        for d in range(3):
            texts = [f"text {d} {k}" for k in range(20)]
            rows = Vectors(vectors[20 * d : 20 * d + 20], "model@1")
            await index.replace(f"d{d}", "default", 1, chunks_of(f"d{d}", texts, kind="table" if d else "title"), rows)

    filters = [
        (Filter(), lambda d, page: True),
        (Filter(document_id=("d1",)), lambda d, page: d == 1),
        (Filter(kind=("table",)), lambda d, page: d > 0),
        (Filter(pages=Pages(first=5, last=9)), lambda d, page: 5 <= page <= 9),
    ]
    results = search(fill, *((Query(text="", mode="vector", k=10, filter=filter_), query) for filter_, _ in filters))
    cosines = vectors @ query.values[0]
    for result, (_, holds) in zip(results, filters, strict=True):
        allowed = [n for n in range(60) if holds(n // 20, n % 20 + 1)]
        best = sorted(allowed, key=lambda n: -cosines[n])[:10]
        assert ids(result) == [f"d{n // 20}:{n % 20:06d}" for n in best]


def test_documents_and_chunks_are_listed_in_order_and_in_parts(with_index):
    """Guards against a list that skips or repeats at the edge of a page."""

    async def use(index):
        await index.replace("b", "default", 2, chunks_of("b", [f"t{k}" for k in range(12)]), None)
        await index.replace("a", "default", 1, chunks_of("a", TEXTS), vectors_of(3), {"lang": "en"})
        await index.replace("c", "other", 1, chunks_of("c", TEXTS), None)
        searcher = Searcher(index)
        pages = [await searcher.chunks("b", "default", first, 5) for first in (0, 5, 10)]
        listed = await searcher.documents("default", "", 1), await searcher.documents("default", "a", 9)
        return listed, [chunk.ordinal for page in pages for chunk in page], await searcher.chunks("c", "default", 0, 9)

    (first, rest), ordinals, foreign = with_index(use)
    assert [
        (document.document_id, document.num_chunks, document.num_embedded, document.metadata) for document in first
    ] == [("a", 3, 3, {"lang": "en"})]
    assert [
        (document.document_id, document.revision, document.num_chunks, document.num_embedded) for document in rest
    ] == [("b", 2, 12, 0)]
    assert ordinals == list(range(12))
    assert foreign == []


def test_two_rankings_that_saw_different_revisions_give_the_newer_alone(with_index, monkeypatch):
    """Both rankings are read one after the other: a commit between them must not mix two revisions in one answer."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS), vectors_of(3))
        stale = await index.by_text("fox dogs stocks", None, 9)
        await index.replace("doc", "default", 2, chunks_of("doc", TEXTS[:1]), vectors_of(1))

        async def earlier(*_):
            return stale

        monkeypatch.setattr(index, "by_text", earlier)
        result = await Searcher(index).search(Query(text="fox dogs stocks"), axis(0))
        return {hit.revision for hit in result.passages}

    assert with_index(use) == {2}
