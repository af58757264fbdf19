"""The embedder deployment without Ray: its two lanes, with gates in the place of time."""

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest
from ray import serve

from configs import Settings
from deployments.embedder import deployment as module
from deployments.embedder.deployment import Embedder
from retrieval.embedding.embedder import Encoded
from retrieval.embedding.vectors import Vectors
from retrieval.errors import WrongWeights


class GatedModel:
    """Encodes a letter as a token; documents wait at a gate, queries do not."""

    name, id, dimension, max_tokens = "gated", "gated@1", 3, 8
    batch_tokens = 12

    def __init__(self, *_):
        self.gate = threading.Event()
        self.runs = []

    def encode(self, texts, purpose="document"):
        return Encoded(tuple(tuple(map(ord, text)) for text in texts))

    def run(self, encoded):
        self.gate.wait(30)
        self.runs.append([len(ids) for ids in encoded.token_ids])
        return np.array([[ids[0], len(ids), 1] for ids in encoded.token_ids], np.float32)

    def embed(self, texts, purpose):
        return Vectors(np.ones((len(texts), 3), np.float32), self.id)


@pytest.fixture(scope="module")
def runner(batch_runner):
    """The loop of all, in a replica's context."""
    context = type("Context", (), {"_deployment_config": type("Config", (), {"max_ongoing_requests": 10_000})})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(serve, "get_replica_context", lambda: context)
        yield batch_runner


@pytest.fixture
def served(runner, monkeypatch):
    """The deployment, and the model that it loads."""
    model = GatedModel()

    class Found:
        """Stands for the class: finds weights, and loads the one model."""

        find = staticmethod(lambda _: Path("folder"))

        def __new__(cls, *_):
            return model

    monkeypatch.setattr(module, "Model", Found)
    monkeypatch.setattr(module.Recipe, "of", lambda _: None)
    return Embedder(Settings()), model


def test_a_document_never_delays_a_query(served, runner):
    """A query behind a book would wait for minutes."""
    embedder, model = served

    async def run():
        first = await embedder.embed_query("warm")  # loads the model
        assert len(first) == 1
        book = asyncio.create_task(embedder.embed(["abc"] * 40))
        query = await asyncio.wait_for(embedder.embed_query("what"), 20)
        assert not book.done()
        model.gate.set()
        return len(query), len(await book)

    assert runner.run(asyncio.wait_for(run(), 60)) == (1, 40)


def test_a_letter_does_not_wait_for_all_of_a_book(served, runner):
    """A CSV of 3 MB put 1,400 batches into the queue at once, and another tenant's letter came after them."""
    embedder, model = served

    async def run():
        await embedder.embed_query("warm")  # loads the model
        book = asyncio.create_task(embedder.embed(["abc"] * 400))
        await asyncio.sleep(0)  # the book comes first
        letter = asyncio.create_task(embedder.embed(["z"]))
        model.gate.set()
        await asyncio.wait_for(letter, 20)
        num_runs = len(model.runs)
        return num_runs, len(await book)

    num_runs, num_texts = runner.run(asyncio.wait_for(run(), 60))
    assert num_texts == 400
    assert num_runs < 20  # of a hundred


def test_documents_share_batches_within_the_budget_and_get_their_own_vectors(served, runner):
    """A batch over the budget runs out of memory; an order that is not restored mixes texts up."""
    embedder, model = served
    model.gate.set()
    texts = [["a", "bbbbbbb", "cc"], ["d"], ["eeee", "ff"]]

    async def run():
        return await asyncio.gather(*map(embedder.embed, texts))

    for group, vectors in zip(texts, runner.run(asyncio.wait_for(run(), 60)), strict=True):
        assert vectors.embedder == "gated@1"
        assert [(chr(int(row[0])), int(row[1])) for row in vectors.values] == [(text[0], len(text)) for text in group]
    assert all(len(run) * max(run) <= 12 for run in model.runs)
    assert any(len(run) > 2 for run in model.runs)


def test_the_model_is_loaded_by_whoever_needs_it_first_and_readyz_says_whether_it_is(served, runner):
    """A server that starts with every model in memory takes minutes; one that hides it looks slow for no reason."""
    embedder, _ = served

    async def run():
        before = await embedder.about()
        await asyncio.gather(*(embedder.embed_query(text) for text in "abc"))
        return before, await embedder.about()

    before, after = runner.run(asyncio.wait_for(run(), 60))
    assert (before["model"], before["loaded"], "id" in before) == ("folder", False, False)
    assert (after["loaded"], after["id"]) == (True, "gated@1")


def test_without_weights_every_answer_is_none(runner):
    """Full text alone is a mode, not an error."""
    embedder = Embedder(Settings.model_validate({"embedder": {"model": None}}))

    async def run():
        return await embedder.embed(["a"]), await embedder.embed_query("a"), await embedder.about()

    assert runner.run(asyncio.wait_for(run(), 60)) == (None, None, {"model": None, "loaded": False})


def test_a_folder_that_cannot_be_loaded_is_refused_at_the_start(tmp_path):
    """Guards against a server that starts and then fails with every document."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(WrongWeights, match="safetensors"):
        Embedder(Settings.model_validate({"embedder": {"model": str(tmp_path)}}))


def test_a_load_that_was_cancelled_is_begun_anew(runner, served):
    """Guards against an embedder that raises CancelledError at every later caller."""
    embedder, model = served
    model.gate.set()

    async def scenario():
        cancelled = asyncio.get_running_loop().create_task(asyncio.sleep(0))
        cancelled.cancel()
        await asyncio.wait({cancelled})
        embedder._loading = cancelled
        return await embedder._loaded()

    assert runner.run(scenario()) is not None
