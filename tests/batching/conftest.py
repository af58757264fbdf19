"""Fakes that need no model, and tiny models with the tokenizers they need."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from batching import BeamSearchParams, EngineConfig, RequestFailed, SamplingParams
from batching.requests.request import Prompt, Request
from batching.scheduler import Scheduler
from batching.sequence import Sequence
from batching.step_plan import RowResult, StepPlan, StepResult
from tests.batching.byte_tokenizer import byte_tokenizer
from tests.batching.inline_executor import images_prepared_inline

__all__ = ["images_prepared_inline"]  # a fixture that its own file has

VOCABULARY = 97
POISON = 13  # a prompt that holds this token fails in CountingRunner


def blocks_of(seq: Sequence) -> list[int]:
    """The blocks that a sequence holds."""
    return list(seq.blocks)


def request_of(settings: dict[str, Any], **fields: Any) -> Request:
    """A request with `settings` as `generate` of transformers takes them; those of a beam search are fields apart."""
    names = ("num_beams", "length_penalty", "early_stopping")
    beams = {name: settings[name] for name in names if name in settings}
    sampling = SamplingParams(**{name: value for name, value in settings.items() if name not in names})
    return Request(sampling=sampling, beams=BeamSearchParams(**beams) if beams else None, **fields)


def next_token(tokens: list[int]) -> int:
    """What CountingRunner says after `tokens`: depends on all of them, never 0."""
    return sum((at + 1) * token for at, token in enumerate(tokens)) % (VOCABULARY - 1) + 1


class CountingRunner:
    """A model that is a sum; checks that no two rows of a step share a block."""

    max_length = 1000
    tokenizer = None
    max_in_flight = 1
    keeps_state = False
    inputs = property(lambda self: self)
    last_pass = 0.0

    def __init__(self) -> None:
        self.num_runs = 0
        self.closed = False
        self.zeroed: list[int] = []

    def prepare(self, request: Request) -> Prompt:
        params = request.sampling
        stop = frozenset(params.stop_token_ids)
        return Prompt(token_ids=list(request.prompt_token_ids), max_tokens=params.max_tokens, stop_token_ids=stop)

    def max_patches(self, budget_mb: int | None) -> int:
        return 1

    def prepare_image(self, image: Any) -> Any:
        return image

    def allocate(self, num_blocks: int, block_size: int, max_rows: int, max_running: int) -> None:
        self.block_size = block_size

    def launch(self, plan: StepPlan) -> StepResult:
        self.num_runs += 1
        of_seqs = {row.owner.seq_id: row.blocks for row in plan.rows}
        blocks = [block for of_seq in of_seqs.values() for block in of_seq]
        assert len(blocks) == len(set(blocks))
        assert 0 not in blocks
        return StepResult(rows=tuple(self._row(row) for row in plan.rows))

    def _row(self, row: Any) -> RowResult:
        assert len(row.blocks) * self.block_size >= row.end
        if POISON in row.tokens[:1]:
            self.zeroed += row.blocks
            return RowResult(error=RequestFailed("poisoned"))
        return RowResult(token_id=next_token(list(row.tokens)), logprob=-0.5) if row.samples else RowResult()

    def collect(self, flight: StepResult) -> StepResult:
        return flight

    def close(self) -> None:
        self.closed = True


class GatedRunner(CountingRunner):
    """Each step waits for `release`; `entered` counts the steps that began."""

    def __init__(self) -> None:
        super().__init__()
        self._entered, self._gate = threading.Semaphore(0), threading.Semaphore(0)
        self.error: BaseException | None = None

    def launch(self, plan: StepPlan) -> StepResult:
        self._entered.release()
        assert self._gate.acquire(timeout=20)
        if self.error is not None:
            raise self.error
        return super().launch(plan)

    async def entered(self) -> None:
        """Wait until one more step is in flight."""
        assert await asyncio.to_thread(self._entered.acquire, timeout=20)

    def release(self, num_steps: int = 1) -> None:
        self._gate.release(num_steps)


@pytest.fixture
def counting() -> CountingRunner:
    return CountingRunner()


@pytest.fixture
def gated() -> Iterable[GatedRunner]:
    runner = GatedRunner()
    yield runner
    runner.release(10_000)


@pytest.fixture
def expected() -> Callable[[list[int], int], list[int]]:
    """What CountingRunner generates for a prompt."""

    def tokens(prompt: list[int], count: int) -> list[int]:
        all_tokens = list(prompt)
        for _ in range(count):
            all_tokens.append(next_token(all_tokens))
        return all_tokens[len(prompt) :]

    return tokens


@pytest.fixture
def run_async() -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Run an async test; in debug mode callbacks that block the loop are logged, and no task may be left over."""

    def run(test: Callable[[], Awaitable[Any]]) -> Any:
        async def guarded() -> Any:
            result = await asyncio.wait_for(test(), 60)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, f"left over: {left}"
            return result

        return asyncio.run(guarded())

    return run


@pytest.fixture
def new_sequence() -> Callable[..., Sequence]:
    """Makes waiting sequences, numbered from 0."""
    numbers = iter(range(100_000))

    def make(num_prompt: int, max_tokens: int, *, capacity: int = 10_000, image: Any = None) -> Sequence:
        seq_id = next(numbers)
        prompt = Prompt(
            token_ids=[seq_id % 50 + 20] * num_prompt,
            max_tokens=max_tokens,
            stop_token_ids=frozenset(),
            image=image,
            num_patches=int(image is not None),
        )
        seq = Sequence(seq_id, prompt, SamplingParams(), capacity=capacity)
        seq.pixels = image  # prepared already
        return seq

    return make


@pytest.fixture
def drain() -> Callable[..., list[StepPlan]]:
    """Step a scheduler until nothing is left; the plans, as (phase, seq_id, count) of each row."""

    def steps(scheduler: Scheduler, config: EngineConfig, limit: int = 5000) -> list[list[tuple[str, int, int]]]:
        runner = CountingRunner()
        runner.allocate(config.num_blocks, config.block_size, config.max_running, config.max_running)
        plans: list[list[tuple[str, int, int]]] = []
        while (plan := scheduler.schedule()) is not None:
            assert len(plans) < limit, "never ends"
            plans.append([("decode" if row.decodes else "prefill", row.owner.seq_id, row.count) for row in plan.rows])
            scheduler.commit(plan, runner.launch(plan))
        return plans

    return steps


@pytest.fixture(scope="session")
def torch() -> Any:
    """torch, on one thread: tiny models only lose by more."""
    import torch

    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def tiny_lm(torch: Any) -> Callable[[str], Any]:
    """Random causal LMs by model type; wide enough initial weights that greedy output does not loop."""
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    shape = {"vocab_size": 211, "initializer_range": 0.2, "bos_token_id": None, "eos_token_id": None}
    llama = shape | {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
    }
    settings = {
        "llama": llama,
        "qwen2": llama,
        "llama-narrow": llama | {"initializer_range": 0.02},
        "qwen3": llama | {"head_dim": 24},
        "mistral": llama | {"sliding_window": 12},
        "mistral-full": llama | {"sliding_window": None},
        "gpt2": shape | {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 512},
    }
    models: dict[str, Any] = {}

    def model(model_type: str) -> Any:
        if model_type not in models:
            torch.manual_seed(1)
            config = CONFIG_MAPPING[model_type.split("-")[0]](**settings[model_type])
            models[model_type] = AutoModelForCausalLM.from_config(config).eval()
        return models[model_type]

    return model


@pytest.fixture(scope="session")
def tiny_got(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder of a random GOT-OCR2 that reads squares of 128 pixels as four image tokens, with no reading.json."""
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration, GotOcr2ImageProcessor, GotOcr2Processor

    fast = byte_tokenizer(["<|im_start|>", "<|im_end|>", "<img>", "</img>", "<imgpad>"])
    vision = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "mlp_dim": 64,
        "output_channels": 16,
        "image_size": 128,
        "patch_size": 16,
        "window_size": 2,
        "global_attn_indexes": [1],
        "initializer_range": 0.02,
    }
    text = {
        "model_type": "qwen2",
        "vocab_size": len(fast),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": True,
        "initializer_range": 0.2,
        "use_sliding_window": False,
    }
    torch.manual_seed(2)
    config = GotOcr2Config(
        vision_config=vision,
        text_config=text,
        image_token_index=fast.convert_tokens_to_ids("<imgpad>"),
        tie_word_embeddings=True,
    )
    model = GotOcr2ForConditionalGeneration(config).eval()
    for name, parameter in model.named_parameters():
        if "rel_pos" in name or "pos_embed" in name:  # these begin at zero, which would hide a bug in them
            torch.nn.init.normal_(parameter, std=0.05)
    folder = tmp_path_factory.mktemp("tiny-got")
    processor = GotOcr2Processor(GotOcr2ImageProcessor(size={"height": 128, "width": 128}), fast)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def continued(torch: Any) -> Callable[..., list[int]]:
    """The oracle: what `generate` adds to one prompt."""

    def tokens(model: Any, prompt: list[int], count: int, **settings: Any) -> list[int]:
        ids = torch.tensor([prompt])
        settings = {"do_sample": False, "pad_token_id": 0} | settings
        mask = torch.ones_like(ids)
        with torch.inference_mode():
            output = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=count, **settings)
        return output[0, len(prompt) :].tolist()

    return tokens
