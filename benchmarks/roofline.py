"""How near decoding and the vision encoder come to what the device could do: achieved over ideal throughput.

A decode step cannot be faster than its bytes (every weight once, keys and values of every sequence) over the device's
bandwidth; an image not faster than its operations over the device's peak. The model is random, of GOT-OCR2's shape in
bfloat16; on a CPU, and with `--tiny`, a small one in float32, which shows that the measurement works and no more.
"""

from __future__ import annotations

import functools
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from batching import EngineConfig, StepStats
from batching.forward_route import RouteName
from batching.loading.models import load_causal_lm
from batching.routes.route_choice import missing_reason
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import Ask, ours

KNOWN = {"H200": (4.8e12, 989e12), "H100": (3.35e12, 989e12), "A100-SXM4-80GB": (2.04e12, 312e12)}
"""Bytes and bfloat16 operations a second, from the makers' data sheets."""
BATCHES = (1, 8, 64, 128, 256)
NUM_PROMPT, NUM_OUTPUT = 287, 600  # of a region: 256 of the image and the prompt; a paragraph
TILES = 16
SMALL: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
GOT: dict[str, Any] = {
    "hidden_size": 1024,
    "intermediate_size": 2816,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
}


@dataclass(frozen=True, slots=True)
class Peaks:
    """What a device can do at most."""

    bytes_per_s: float
    operations_per_s: float
    measured: bool  # by one large copy and one large product, not from a data sheet


def main() -> int:
    parser = parser_of(__doc__, quick="batches of 8 and 64, 150 tokens each")
    parser.add_argument("--tiny", action="store_true", help="a small model and few tokens, on the CPU")
    args = parser.parse_args()
    import torch

    tiny = args.tiny or not torch.cuda.is_available()
    device, dtype = ("cpu", torch.float32) if tiny else ("cuda", torch.bfloat16)
    batches, num_output = ((2, 4), 8) if tiny else ((8, 64), 150) if args.quick else (BATCHES, NUM_OUTPUT)
    limits = peaks(device, dtype)
    figures, rows = decoding(limits, device, dtype, batches, 16 if tiny else NUM_PROMPT, num_output, tiny=tiny)
    figures |= encoding(limits, device, dtype, tiny=tiny)
    name = "cpu" if tiny else torch.cuda.get_device_name()
    print(table(rows))
    print(table([{"figure": key, "value": value} for key, value in figures.items()]))
    if args.out:
        record(args.out, "roofline", figures, rows, machine={"device": name, "peaks_measured": limits.measured})
    return 0


def peaks(device: str, dtype: Any) -> Peaks:
    """From the data sheet of a device that is known, else measured."""
    import torch

    name = torch.cuda.get_device_name() if device == "cuda" else ""
    for device_name, (bandwidth, operations) in KNOWN.items():
        if device_name in name:
            return Peaks(bandwidth, operations, measured=False)
    side, count = (8192, 1 << 30) if device == "cuda" else (512, 1 << 24)
    left, source = (
        torch.ones(side, side, device=device, dtype=dtype),
        torch.ones(count, dtype=torch.uint8, device=device),
    )
    target = torch.empty_like(source)
    copy_s = _least(lambda: target.copy_(source), device)
    product_s = _least(lambda: left @ left, device)
    return Peaks(2 * count / copy_s, 2 * side**3 / product_s, measured=True)


def decoding(
    limits: Peaks, device: str, dtype: Any, batches: Sequence[int], num_prompt: int, num_output: int, *, tiny: bool
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each batch and route: tokens per second of steps in which all decode, over the ideal.

    A route that the device has not got is left out; one that fails there is an error.
    """
    model = _decoder(device, dtype, tiny=tiny)
    shape = model.config
    size = dtype.itemsize
    weights = sum(weight.numel() for weight in model.parameters()) * size
    kv = 2 * shape.num_hidden_layers * shape.hidden_size * size  # bytes of one token
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    names: tuple[RouteName, ...] = get_args(RouteName)
    for route in names:
        if route == "auto":  # one of the others
            continue
        if (reason := missing_reason(model, route)) is not None:
            print(f"{route}: left out: {reason}")
            continue
        runner = load_causal_lm(model, device=device, dtype=dtype, route=route)
        for batch in batches:
            steps = _decode_steps(runner, batch, num_prompt, num_output, shape=shape)
            context = num_prompt + num_output / 2
            ideal = batch * limits.bytes_per_s / (weights + batch * context * kv)
            achieved = statistics.median(step.num_decodes / step.step_s for step in steps)
            rows.append(
                {
                    "route": route,
                    "batch": batch,
                    "tokens_per_s": achieved,
                    "ideal_tokens_per_s": ideal,
                    "share": achieved / ideal,
                }
            )
            figures[f"decode_{route}_share_{batch}"] = achieved / ideal
    return figures, rows


def _decoder(device: str, dtype: Any, *, tiny: bool) -> Any:
    """A random language model of the shape of GOT-OCR2's."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    shape = SMALL if tiny else GOT
    torch.manual_seed(0)
    config: Any = Qwen2Config(
        vocab_size=512 if tiny else 151_860,
        num_key_value_heads=shape["num_attention_heads"],
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        **shape,
    )
    model: Any = Qwen2ForCausalLM(config)
    return model.to(device=device, dtype=dtype).eval()


def _decode_steps(runner: Any, batch: int, num_prompt: int, num_output: int, *, shape: Any) -> list[StepStats]:
    """The steps in which every sequence decoded, of a run that was warm."""
    prompts = [tuple((7 * at + 13 * k) % shape.vocab_size for at in range(num_prompt)) for k in range(batch)]
    steps: list[StepStats] = []
    blocks = batch * -(-(num_prompt + num_output + 32) // 16)

    def config(on_step: Any) -> EngineConfig:
        def note(step: StepStats) -> None:
            on_step(step)
            steps.append(step)

        return EngineConfig(max_running=batch, num_blocks=blocks, max_step_tokens=8192, on_step=note)

    ours(runner, [Ask(prompt, 8) for prompt in prompts], functools.partial(config))
    steps.clear()
    ours(runner, [Ask(prompt, num_output) for prompt in prompts], functools.partial(config))
    return [step for step in steps if step.num_decodes == batch and not step.num_prefill_tokens]


def encoding(limits: Peaks, device: str, dtype: Any, *, tiny: bool) -> dict[str, float]:
    """Images a second of the vision tower and projector, over the ideal of their operations as torch counts them."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration

    vision: dict[str, Any] = {"initializer_range": 0.02}
    if tiny:
        vision |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_dim": 64}
        vision |= {
            "output_channels": 16,
            "image_size": 64,
            "patch_size": 16,
            "window_size": 2,
            "global_attn_indexes": [1],
        }
    text = SMALL if tiny else GOT
    config: Any = GotOcr2Config(
        vision_config=vision,
        text_config={"model_type": "qwen2", "vocab_size": 512, **text, "num_hidden_layers": 1},
        image_token_index=500,
    )
    model: Any = GotOcr2ForConditionalGeneration(config)
    model = model.to(device=device, dtype=dtype).eval()
    side, count = int(config.vision_config.image_size), 2 if tiny else TILES
    tiles = torch.zeros(count, 3, side, side, device=device, dtype=dtype)
    with torch.inference_mode():
        with FlopCounterMode(display=False) as counter:
            model.model.get_image_features(pixel_values=tiles, return_dict=True)
        seconds = _least(lambda: model.model.get_image_features(pixel_values=tiles, return_dict=True), device)
    ideal = count * limits.operations_per_s / counter.get_total_flops()
    achieved = count / seconds
    return {
        "vision_images_per_s": achieved,
        "vision_ideal_images_per_s": ideal,
        "vision_share": achieved / ideal,
        "vision_gflop_an_image": counter.get_total_flops() / count / 1e9,
    }


def _least(run: Any, device: str, rounds: int = 5) -> float:
    """Seconds of the fastest of some runs, after one that warms."""
    import torch

    seconds: list[float] = []
    for _ in range(rounds + 1):
        begun = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begun)
    return min(seconds[1:])


if __name__ == "__main__":
    sys.exit(main())
