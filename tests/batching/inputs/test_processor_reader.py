"""ProcessorReader: one processor for all threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from batching.inputs.any_model.processor_reader import Chat, ProcessorReader
from batching.inputs.reading_config import ReadingConfig
from batching.inputs.text_inputs import TextInputs
from tests.batching.vision_families import make

NUM_THREADS = 8
PICTURE = np.zeros((8, 8, 3), np.uint8)


class CountedProcessor:
    """Is used by one thread at a time; copies share what is counted."""

    def __init__(self) -> None:
        self.num_copies = 0
        self.num_calls = 0
        self.was_shared = False
        self.in_use = threading.Lock()

    def __deepcopy__(self, memo: object) -> CountedProcessor:
        self.num_copies += 1
        return self

    def apply_chat_template(self, *_: object, **__: object) -> str:
        return "chat"

    def __call__(self, **_: object) -> dict[str, object]:
        if not self.in_use.acquire(blocking=False):
            self.was_shared = True
            return {}
        threading.Event().wait(0.01)
        self.num_calls += 1
        self.in_use.release()
        return {"input_ids": [1]}


def test_threads_share_one_copy_of_the_processor_one_after_the_other() -> None:
    """Guards against a copy of tens of megabytes per thread that ever prepared a chat: asyncio's pool has 32."""
    model, _ = make("qwen2_vl")
    processor = CountedProcessor()
    text = TextInputs(model, tokenizer=None, stop_token_ids=frozenset())
    reader = ProcessorReader(model, processor=processor, reading=ReadingConfig(), text=text)
    everybody = threading.Barrier(NUM_THREADS)

    def prepare(_: int) -> object:
        everybody.wait(60)
        return reader.inputs_of(Chat([{"role": "user", "content": "read"}], [PICTURE]))

    with ThreadPoolExecutor(NUM_THREADS) as threads:
        results = list(threads.map(prepare, range(NUM_THREADS)))
    assert results == [{"input_ids": [1]}] * NUM_THREADS
    assert (processor.num_copies, processor.num_calls, processor.was_shared) == (1, NUM_THREADS, False)
