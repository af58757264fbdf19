"""Tokens per second and first tokens of an image-text model, beside `generate`: same model, same requests.

64 requests, each with a picture of its own size, a question, and an output length drawn beforehand (log-normal); all
are there at once. Beside ours: `generate` one request at a time, and on batches padded on the left, each to its longest
output. Pictures are resized beforehand for all sides; encoding them is part of the time. The model has random weights
and the shape of Qwen2-VL: positions on three axes, pictures of any size.

Outputs are compared with those of `generate` one at a time, token for token; the exit code is 1 if they differ in
float32.
"""

from __future__ import annotations

import asyncio
import functools
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from batching import Engine, EngineConfig, Request, SamplingParams
from batching.loading.models import load_image_text
from batching.runner import Runner
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import VOCABULARY, add_device, in_turn, placed

IMAGE_TOKEN = VOCABULARY - 1
RUNNING = 32
PATCH = 14
SIZES = {"small": (512, 6), "middle": (768, 14)}  # hidden, layers: 30 and 130 million parameters
Outputs = list[list[int]]


@dataclass(frozen=True, slots=True)
class Ask:
    """What a processor makes of one picture and a question, and how many tokens are wanted."""

    inputs: dict[str, Any]
    num_output: int


@dataclass(frozen=True, slots=True)
class Run:
    """What one side made of all requests, and how long it took."""

    outputs: Outputs
    seconds: float
    first_token_s: list[float]  # of each request, from the beginning of all


def main() -> int:
    parser = parser_of(__doc__, quick="the small model and one round instead of two")
    parser.add_argument("--tiny", action="store_true", help="6 short requests: that the measurement works")
    parser.add_argument("--requests", type=int, default=64, help="how many")
    parser.add_argument("--size", choices=SIZES, help="of the model; small with --quick, else middle")
    parser.add_argument("--threads", type=int, help="of torch, for all sides; as many as it likes if left out")
    add_device(parser)
    args = parser.parse_args()
    import torch

    if args.threads:
        torch.set_num_threads(args.threads)
    size = args.size or ("small" if args.quick or args.tiny else "middle")
    model = placed(image_text_model(*SIZES[size]), args.device, args.dtype)
    runner = load_image_text(model, device=args.device, route=args.route)
    asks = requests(6, longest=5) if args.tiny else requests(args.requests)
    figures, rows = measured(model, runner, asks, 1 if args.quick or args.tiny else 2)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        machine = {"threads": torch.get_num_threads(), "device": args.device, "route": runner.route}
        record(args.out, "vision_peers", figures, rows, machine | {"model": size})
    return exit_code(figures, args.dtype)


def exit_code(figures: Mapping[str, float], dtype: str) -> int:
    """1 if outputs differ in float32; in bfloat16 rounding may decide between two tokens, and that is a figure."""
    return int(dtype == "float32" and figures["outputs_equal"] < 1)


def measured(
    model: Any, runner: Runner, asks: Sequence[Ask], rounds: int
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each side."""
    runs: dict[str, Run] = {}
    sides = {
        "ours": functools.partial(_ours, runner, asks),
        "generate_padded": functools.partial(_generated, model, asks, RUNNING),
        "generate_padded_8": functools.partial(_generated, model, asks, 8),
        "generate_alone": functools.partial(_generated, model, asks, 1),
    }

    def seconds(name: str) -> float:
        runs[name] = sides[name]()
        return runs[name].seconds

    least = in_turn({name: functools.partial(seconds, name) for name in sides}, rounds)
    num_tokens = sum(ask.num_output for ask in asks)
    reference = runs["generate_alone"].outputs
    rows = [
        {
            "side": name,
            "seconds": least[name],
            "tokens_per_s": num_tokens / least[name],
            "first_token_median_s": statistics.median(runs[name].first_token_s),
            "first_token_worst_s": max(runs[name].first_token_s),
            "equal": sum(a == b for a, b in zip(runs[name].outputs, reference, strict=True)) / len(asks),
        }
        for name in sides
    ]
    figures = {f"ours_over_{name}": least[name] / least["ours"] for name in least if name != "ours"}
    figures |= {
        "outputs_equal": float(runs["ours"].outputs == reference),
        "ours_tokens_per_s": num_tokens / least["ours"],
        "num_requests": float(len(asks)),
    }
    return figures, rows


def image_text_model(hidden: int, layers: int) -> Any:
    """A random Qwen2-VL with a small vision tower."""
    import torch
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    torch.manual_seed(0)
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": VOCABULARY,
            "hidden_size": hidden,
            "intermediate_size": hidden * 11 // 4,
            "num_hidden_layers": layers,
            "num_attention_heads": hidden // 64,
            "num_key_value_heads": 2,
            "max_position_embeddings": 2048,
            "initializer_range": 0.1,
            "bos_token_id": None,
            "eos_token_id": None,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [8, 12, 12]},
        },
        vision_config={"depth": 4, "embed_dim": 256, "hidden_size": hidden, "num_heads": 4, "patch_size": PATCH},
        image_token_id=IMAGE_TOKEN,
        video_token_id=IMAGE_TOKEN - 1,
    )
    return Qwen2VLForConditionalGeneration(config).eval()


def requests(count: int, longest: int = 256) -> list[Ask]:
    """Pictures of 112 to 336 pixels a side, 16 to 144 tokens each; outputs log-normal, median 40, sigma 1."""
    import torch
    from transformers import Qwen2VLImageProcessor

    chance = random.Random(3)  # reproducible, not secret
    processor = Qwen2VLImageProcessor(
        patch_size=PATCH, size={"shortest_edge": 4 * PATCH**2, "longest_edge": 1024 * PATCH**2}
    )
    asks: list[Ask] = []
    for number in range(count):
        height, width = (chance.randrange(112, 337, 28) for _ in range(2))
        pixels = np.random.default_rng(number).integers(0, 256, (height, width, 3), np.uint8)
        inputs = dict(processor(images=[pixels], return_tensors="pt"))
        places = int(inputs["image_grid_thw"].prod()) // 4
        text = [chance.randrange(VOCABULARY - 2) for _ in range(chance.randint(8, 40))]
        ids = torch.tensor([[1, *[IMAGE_TOKEN] * places, *text]])
        inputs |= {"input_ids": ids, "mm_token_type_ids": (ids == IMAGE_TOKEN).int()}
        length = max(1, round(40 * 2.718281828459045 ** chance.gauss(0, 1)))
        asks.append(Ask(inputs, min(longest, length)))
    return asks


def _ours(runner: Runner, asks: Sequence[Ask]) -> Run:
    """All at once."""

    async def run() -> Run:
        async with Engine(runner, EngineConfig(max_running=RUNNING, num_blocks=2048)) as engine:
            begun = time.perf_counter()
            streams = [
                engine.submit(
                    Request(
                        inputs=ask.inputs,
                        sampling=SamplingParams(max_tokens=ask.num_output, ignore_eos=True, mean_logprob=False),
                    )
                )
                for ask in asks
            ]
            completions = [await stream.result() for stream in streams]
            seconds = time.perf_counter() - begun
        first = [completion.timings.first_token_s or 0.0 for completion in completions]
        return Run([completion.token_ids for completion in completions], seconds, first)

    return asyncio.run(run())


def _generated(model: Any, asks: Sequence[Ask], running: int) -> Run:
    """`generate` on batches in order of arrival, padded on the left, each to its longest output; cut afterwards."""
    import torch

    outputs: Outputs = []
    first_token_s: list[float] = []
    begun = time.perf_counter()
    for first in range(0, len(asks), running):
        batch = asks[first : first + running]
        inputs = {name: tensor.to(model.device) for name, tensor in _padded(batch).items()}
        inputs["pixel_values"] = inputs["pixel_values"].to(model.dtype)
        clock = _FirstToken()
        with torch.inference_mode():
            generated = model.generate(
                **inputs,
                max_new_tokens=max(ask.num_output for ask in batch),
                do_sample=False,
                pad_token_id=0,
                logits_processor=[clock],
            )
        width = inputs["input_ids"].shape[1]
        outputs += [row[width : width + ask.num_output].tolist() for ask, row in zip(batch, generated, strict=True)]
        first_token_s += [(clock.at or begun) - begun] * len(batch)
    return Run(outputs, time.perf_counter() - begun, first_token_s)


class _FirstToken:
    """A logits processor that notes when it is called first."""

    def __init__(self) -> None:
        self.at: float | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ARG002 # the signature is transformers'
        self.at = self.at or time.perf_counter()
        return scores


def _padded(batch: Sequence[Ask]) -> dict[str, Any]:
    """One batch of a processor's inputs."""
    import torch

    width = max(ask.inputs["input_ids"].shape[1] for ask in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for at, ask in enumerate(batch):
        length = ask.inputs["input_ids"].shape[1]
        ids[at, width - length :] = ask.inputs["input_ids"][0]
        mask[at, width - length :] = 1
    batch_inputs = {name: torch.cat([ask.inputs[name] for ask in batch]) for name in ("pixel_values", "image_grid_thw")}
    return {"input_ids": ids, "attention_mask": mask, "mm_token_type_ids": (ids == IMAGE_TOKEN).int(), **batch_inputs}


if __name__ == "__main__":
    sys.exit(main())
