"""Requests for the engine's benchmarks: prompts of random tokens, output lengths fixed beforehand."""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from batching import Engine, EngineConfig, Request, SamplingParams, StepStats

VOCABULARY = 8192

TINY_OUTPUT = 6  # tokens of a request where only is shown that a measurement works


@dataclass(frozen=True, slots=True)
class Ask:
    """A prompt, and how many tokens are wanted after it."""

    prompt: tuple[int, ...]
    num_output: int

    def request(self) -> Request:
        """Greedy, and never ended early."""
        sampling = SamplingParams(max_tokens=self.num_output, ignore_eos=True, mean_logprob=False)
        return Request(prompt_token_ids=self.prompt, sampling=sampling)


def decoder() -> Any:
    """A random Qwen2 of 21 million parameters, float32: 6 layers, hidden 512, 8 heads, 2 KV heads."""
    return random_qwen2(
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=6,
        num_attention_heads=8,
        num_key_value_heads=2,
        initializer_range=0.1,
    )


def hybrid_decoder() -> Any:
    """A random Qwen3.5 of 19 million parameters, float32: 8 layers, every fourth of attention, hidden 384."""
    import torch
    from transformers import Qwen3_5ForCausalLM, Qwen3_5TextConfig

    torch.manual_seed(0)
    config = Qwen3_5TextConfig(
        vocab_size=VOCABULARY,
        hidden_size=384,
        intermediate_size=1152,
        num_hidden_layers=8,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=64,
        linear_num_value_heads=6,
        linear_num_key_heads=6,
        linear_key_head_dim=64,
        linear_value_head_dim=64,
        layer_types=[*["linear_attention"] * 3, "full_attention"] * 2,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        initializer_range=0.1,
    )
    return Qwen3_5ForCausalLM(config).eval()


def random_qwen2(**config: Any) -> Any:
    """A Qwen2 of these sizes with random weights, the same each time, float32; no token ends its output."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    common = {"vocab_size": VOCABULARY, "max_position_embeddings": 2048, "tie_word_embeddings": True}
    return Qwen2ForCausalLM(Qwen2Config(bos_token_id=None, eos_token_id=None, **(common | config))).eval()


def eights(count: int = 32) -> list[Ask]:
    """The first of each 8 asks for 100 tokens, the others for 10; prompts of 16."""
    chance = random.Random(1)  # reproducible, not secret
    return [_ask(chance, 16, 100 if at % 8 == 0 else 10) for at in range(count)]


def spread(count: int) -> list[Ask]:
    """Output lengths log-normal, median 40, sigma 1, at most 512; prompts of 16 to 300 tokens."""
    chance = random.Random(2)
    lengths = [min(512, max(1, round(40 * 2.718281828459045 ** chance.gauss(0, 1)))) for _ in range(count)]
    return [_ask(chance, chance.randint(16, 300), length) for length in lengths]


def shortened(asks: Sequence[Ask], max_output: int) -> list[Ask]:
    """The same prompts, for at most so many tokens each."""
    return [Ask(ask.prompt, min(ask.num_output, max_output)) for ask in asks]


def ours(runner: Any, asks: Sequence[Ask], config: Callable[..., EngineConfig]) -> tuple[list[list[int]], int, float]:
    """Tokens of each, steps and seconds from the first request on, of an engine that is up: on a GPU its start takes
    seconds, in which graphs are captured. `config` makes the settings, given `on_step`.
    """
    steps: list[StepStats] = []

    async def run() -> tuple[list[list[int]], float]:
        async with Engine(runner, config(on_step=steps.append)) as engine:
            begun = time.perf_counter()
            streams = [engine.submit(ask.request()) for ask in asks]
            outputs = [(await stream.result()).token_ids for stream in streams]
            return outputs, time.perf_counter() - begun

    outputs, seconds = asyncio.run(run())
    return outputs, len(steps), seconds


def placed(model: Any, device: str, dtype: str) -> Any:
    """The model where and how precisely it is to run; as it is where neither is said."""
    import torch

    return model.to(device=device, dtype=getattr(torch, dtype))


def add_device(parser: argparse.ArgumentParser) -> None:
    """The options `--device`, `--dtype` and `--route` of a benchmark that runs on a GPU, too."""
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--dtype", default="float32", help="float32 or bfloat16")
    parser.add_argument("--route", default="auto", help="of ours: auto, safe, fast or graphs")


def in_turn(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The least seconds of each, all measured once a round: what else runs on the machine meets all alike."""
    least: dict[str, float] = {}
    for at in range(rounds):
        for name in list(measures) if at % 2 == 0 else reversed(list(measures)):
            seconds = measures[name]()
            least[name] = min(seconds, least.get(name, seconds))
    return least


def _ask(chance: random.Random, num_prompt: int, num_output: int) -> Ask:
    return Ask(tuple(chance.randrange(VOCABULARY) for _ in range(num_prompt)), num_output)
