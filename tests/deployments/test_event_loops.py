"""No deployment computes in its event loop what grows with a caller's input; nothing here measures time.

`blockbuster` sees calls that wait. These tests see calls that compute: how many functions one turn of the loop calls,
and which thread tokenises, parses, converts and reads certificates.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ray import serve

from batching import Completion, FinishReason, PromptTooLong
from configs import Settings
from deployments.embedder import deployment as embedder_module
from deployments.embedder.deployment import Embedder
from deployments.layout import deployment as layout_module
from deployments.layout.deployment import Layout
from deployments.lm.deployment import Lm
from deployments.ocr import region_reader
from deployments.values.completions import LmRequest, Turn
from deployments.values.read_options import ReadOptions
from deployments.writers.lm_writer import LmWriter
from retrieval.embedding.embedder import Encoded
from retrieval.embedding.vectors import Vectors
from tests.batching.byte_tokenizer import byte_tokenizer
from tests.deployments.layout.fake_detector import SIDE, FakeDetector
from tests.deployments.lm_making import save_lm
from tests.deployments.loop_work import LoopWork, watched
from tests.retrieval.passage_making import passage_of

LONG_PROMPT = "The harbour master keeps the log. " * 28_000  # 952 kB: a body of /inference may have 1,000
NUM_CHUNKS = 6_000  # of a document of 2,000 pages


@pytest.fixture
def batching_context(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `@serve.batch` asks of the replica that it runs in."""
    context = SimpleNamespace(_deployment_config=SimpleNamespace(max_ongoing_requests=10_000))
    monkeypatch.setattr(serve, "get_replica_context", lambda: context)


# the language model


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_lm(tmp_path_factory.mktemp("lm"), context=40_000)


@pytest.mark.parametrize("method", ["complete", "write", "write_turns", "answer"])
def test_a_prompt_of_950_kb_is_tokenised_in_the_tokenizers_thread(
    method: str, lm_folder: Path, work: LoopWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against eight seconds in which no stream of the replica has a token."""

    async def ask(lm: Lm) -> None:
        if method == "complete":
            await lm.complete(LONG_PROMPT, 5)
        elif method == "answer":
            async for _ in lm.answer(LONG_PROMPT, [passage_of("Ships wait for the tide.")]):
                pass
        else:
            request = (
                LmRequest(prompt=LONG_PROMPT) if method == "write" else LmRequest(turns=(Turn("user", LONG_PROMPT),))
            )
            async for _ in lm.write(request):
                pass

    async def use() -> int:
        # 40,000 tokens of 40 characters and more: no length of the prompt shows that it is too long
        lm = await asyncio.to_thread(
            Lm, Settings.model_validate({"lm": {"model": str(lm_folder), "num_blocks": 3_000, "block_size": 16}})
        )
        await lm.check_health()
        threads = watched(monkeypatch, type(lm._writer._tokenizer), "_encode_plus")
        try:
            with pytest.raises(PromptTooLong) if method != "answer" else _nothing():
                await ask(lm)
        finally:
            await lm._served.engine.close()
        assert set(threads.names) == {threads.names[0]}
        assert threads.names[0].startswith("tokenizer")
        return threads.in_loop

    assert asyncio.run(use()) == 0
    work.check()


class _nothing:  # noqa: N801 # as contextlib.nullcontext, which pytest.raises shares no base with
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def test_a_chat_with_pictures_is_prepared_in_a_thread(work: LoopWork, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a long text that is searched for special tokens, and a processor that is copied, in the loop."""
    special = [f"<|special_{number}|>" for number in range(500)]
    inputs_made: list[bool] = []

    def chat_inputs(messages: Any, pictures: Any) -> dict[str, Any]:
        inputs_made.append(asyncio._get_running_loop() is None)
        return {"input_ids": [[1, 2, 3]]}

    class Engine:
        async def submit(self, request: Any) -> Any:
            return
            yield

    async def use() -> None:
        engine: Any = Engine()
        writer = LmWriter(engine, byte_tokenizer(special), 9, chat_inputs)
        threads = watched(monkeypatch, writer, "_plain")
        turn = Turn("user", LONG_PROMPT, num_pictures=1)
        async for _ in writer.stream(LmRequest(turns=(turn,)), (np.zeros((8, 8, 3), np.uint8),)):
            pass
        assert (threads.in_loop, len(threads.names)) == (0, 1)

    asyncio.run(use())
    assert inputs_made == [True]
    work.check()


# the embedder


class Model:
    """An embedder whose vectors are zeros, and whose texts have one token per word."""

    id, dimension, batch_tokens = "zeros@1", 4, 64

    def __init__(self, *_: Any) -> None:
        self.threads: set[str] = set()

    def encode(self, texts: list[str], purpose: str = "document") -> Encoded:
        self.threads.add(threading.current_thread().name)
        return Encoded(tuple(tuple(range(len(text[:200].split()))) for text in texts))

    def run(self, encoded: Encoded) -> np.ndarray:
        self.threads.add(threading.current_thread().name)
        return np.zeros((len(encoded), 4), np.float32)

    def embed(self, texts: list[str], purpose: str) -> Vectors:
        self.threads.add(threading.current_thread().name)
        return Vectors(np.zeros((len(texts), 4), np.float32), self.id)


@pytest.mark.usefixtures("batching_context")
def test_texts_are_encoded_in_the_embedders_threads(
    work: LoopWork, monkeypatch: pytest.MonkeyPatch, batch_runner: asyncio.Runner
) -> None:
    """Guards against a document that holds up the queries which share its replica."""
    model = Model()
    weights = type("Weights", (), {"find": staticmethod(lambda _: Path("folder")), "__new__": lambda *_: model})
    monkeypatch.setattr(embedder_module, "Model", weights)
    monkeypatch.setattr(embedder_module, "name_of", lambda _: "zeros")
    monkeypatch.setattr(embedder_module, "Recipe", SimpleNamespace(of=lambda _: None))

    async def use() -> None:
        embedder = Embedder(Settings())
        vectors = await embedder.embed([LONG_PROMPT, *["Ships wait for the tide."] * NUM_CHUNKS])
        assert vectors is not None
        assert len(vectors) == NUM_CHUNKS + 1
        await embedder.embed_query(LONG_PROMPT)

    batch_runner.run(use())
    assert {name.rpartition("_")[0] for name in model.threads} == {"embed-documents", "embed-queries"}
    work.check()


# OCR and layout


def test_what_ocr_reads_on_a_page_is_put_together_in_threads(work: LoopWork, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a page of a thousand lines, and pictures that are turned, in the loop that feeds the engine."""
    strips = [
        region_reader.Piece(region_reader.BoundingBox(x0=0, y0=k, x1=900, y1=k + 1), (np.zeros((1, 1, 3), np.uint8),))
        for k in range(1000)
    ]
    engine: Any = SimpleNamespace(submit=lambda request: Sequence())
    profile: Any = SimpleNamespace(unit="strip", modes=("plain",), max_tokens=64)

    async def use() -> None:
        reader = region_reader.RegionReader(engine, profile, "fake", max_tokens=64, window=8, prove_digits=False)

        async def pieces(picture: np.ndarray, options: ReadOptions) -> list[region_reader.Piece]:
            return strips

        monkeypatch.setattr(reader, "_pieces", pieces)
        names = ("reading_of", "without_unreadable_words", "sample_lines")
        threads = [watched(monkeypatch, region_reader, name) for name in names]
        turns = watched(monkeypatch, np, "rot90")
        picture = np.full((2000, 1500, 3), 255, np.uint8)
        reading = await reader.read(picture)
        assert len(reading.lines) == 1000
        await reader.direction(picture)
        assert all(one.names and not one.in_loop for one in (*threads, turns))

    asyncio.run(use())
    work.check()


class Sequence:
    """A stream of the engine that has ended with one word."""

    async def result(self) -> Completion:
        await asyncio.sleep(0)
        timings: Any = None
        return Completion(
            token_ids=[1],
            text="word",
            finish_reason=FinishReason.LENGTH,
            timings=timings,
            mean_logprob=-0.1,
            token_logprobs=(-0.1,) * 4,
        )

    def abort(self) -> None: ...


@pytest.mark.usefixtures("batching_context")
def test_pictures_and_features_are_prepared_in_threads(
    work: LoopWork, monkeypatch: pytest.MonkeyPatch, batch_runner: asyncio.Runner
) -> None:
    """Guards against a picture that is resized, or lines that are unpacked, in the loop that forms the batches."""
    detector = FakeDetector()
    reader = SimpleNamespace(blocks=lambda pages: [() for _ in pages])
    monkeypatch.setattr(layout_module, "_detector", lambda _: detector)
    monkeypatch.setattr(layout_module, "_reader", lambda _: reader)
    monkeypatch.setattr(layout_module, "_unpacked", lambda features: [features])
    threads = [watched(monkeypatch, detector, "fit"), watched(monkeypatch, layout_module, "_unpacked")]

    async def use() -> None:
        layout = Layout(Settings())
        pictures = [np.full((40 * SIDE, 40 * SIDE, 3), shade, np.uint8) for shade in (40, 80, 120)]
        await asyncio.gather(*(layout.detect(picture) for picture in pictures))
        assert await layout.blocks(b"features" * 100_000) == ()

    batch_runner.run(use())
    assert all(one.names and not one.in_loop for one in threads)
    work.check()
