"""ProcessorReader: one processor for all threads, and a reading without reasoning."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from batching import Request
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
        self.template_settings: dict[str, object] = {}
        self.in_use = threading.Lock()

    def __deepcopy__(self, memo: object) -> CountedProcessor:
        self.num_copies += 1
        return self

    def apply_chat_template(self, *_: object, **settings: object) -> str:
        self.template_settings = settings
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


TEMPLATE = (
    "{% for message in messages %}{% for part in message['content'] %}{% if part['type'] == 'image' %}<|image_pad|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% else %}<think>{% endif %}"
)


def test_a_reading_is_written_without_reasoning() -> None:
    """Guards against pages that begin with what the model thought of them: Qwen3.5's template opens a thought."""
    model, processor = make("qwen3_5")
    processor.chat_template = TEMPLATE
    text = TextInputs(model, tokenizer=processor.tokenizer, stop_token_ids=frozenset())
    reading = ReadingConfig.of_prompts({"text": "OCR:"}, max_tokens=9)
    reader = ProcessorReader(model, processor=processor, reading=reading, text=text)

    def end_of(request: Request) -> str:
        return processor.tokenizer.decode(reader.prepare_image(reader.prepare(request).image).token_ids)[-24:]

    image = np.zeros((32, 32, 3), np.uint8)
    assert end_of(Request(image=image, mode="text")).endswith("OCR:<think></think>")
    assert end_of(Request(images=[image], prompt="OCR:")).endswith("OCR:<think>")


def test_a_template_that_knows_no_reasoning_is_handed_no_setting_of_it() -> None:
    """Guards against transformers' warning per page."""
    model, _ = make("qwen3_5")
    processor = CountedProcessor()
    text = TextInputs(model, tokenizer=None, stop_token_ids=frozenset())
    reader = ProcessorReader(model, processor=processor, reading=ReadingConfig(), text=text)
    reader.inputs_of(Chat([{"role": "user", "content": "read"}], [PICTURE], is_reading=True))
    assert processor.template_settings == {"add_generation_prompt": True, "tokenize": False}
