"""Output tokens per second on the work of nano-vllm's own bench: 256 requests to a model of Qwen3-0.6B's shape.

Prompts and outputs of 100 to 1,024 tokens each, drawn as that bench draws them, so they are the same 133,966 output
tokens; no request ends early. The weights are random, which changes no time: a step computes the same with any. The
bench draws each token at temperature 0.6; `greedy` takes the likeliest one instead. Drawn ones are measured on few
short requests, beside greedy ones. With `--tiny`, a small model on the CPU.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from batching import EngineConfig, Request, SamplingParams, UnsupportedModel
from batching.kv.kv_rows import KvDtype
from batching.loading.models import load_causal_lm
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import Ask, ours, shortened

QWEN3 = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
}
"""Of Qwen3-0.6B, from its model card."""
SMALL = QWEN3 | {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "head_dim": 16,
    "vocab_size": 10_001,
}
MAX_LENGTH = 4096  # tokens of a request that the bench allows
NUM_REQUESTS, LEAST, MOST = 256, 100, 1024
TEMPERATURE = 0.6
NUM_DRAWN, DRAWN_OUTPUT = 32, 100  # requests whose tokens are drawn, and the most tokens of each
BLOCK_SIZE = 16
SHARE_OF_MEMORY = 0.8  # of what is free on the device once the model is there, for keys and values


@dataclass(frozen=True, slots=True)
class DrawnAsk(Ask):
    """Its tokens are drawn."""

    def request(self) -> Request:
        """Never ended early."""
        sampling = SamplingParams(
            max_tokens=self.num_output, ignore_eos=True, mean_logprob=False, temperature=TEMPERATURE, seed=0
        )
        return Request(prompt_token_ids=self.prompt, sampling=sampling)


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true", help="a small model and few tokens, on the CPU")
    parser.add_argument("--route", default="torch", choices=["transformers", "torch"], help="default torch")
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    args = parser.parse_args()
    figures, rows = measured(args.route, tiny=args.tiny)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "nano_bench", figures, rows, machine={"route": args.route, "tiny": args.tiny})
    return 0


def asks(count: int = NUM_REQUESTS, least: int = LEAST, most: int = MOST) -> list[Ask]:
    """In the bench's order of drawing: for each request the length of its prompt and the prompt, then all outputs."""
    chance = random.Random(0)  # reproducible, not secret
    prompts = [tuple(chance.randint(0, 10_000) for _ in range(chance.randint(least, most))) for _ in range(count)]
    return [Ask(prompt, chance.randint(least, most)) for prompt in prompts]


def measured(route: Any, *, tiny: bool) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each way to keep keys and values, and for drawn tokens."""
    device = "cpu" if tiny else "cuda"
    model = _model(SMALL if tiny else QWEN3, device)
    all_asks = asks(6, 10, 24) if tiny else asks()
    few = shortened(all_asks[:NUM_DRAWN], 4 if tiny else DRAWN_OUTPUT)
    drawn = [DrawnAsk(ask.prompt, ask.num_output) for ask in few]
    works: tuple[tuple[str, KvDtype, Sequence[Ask]], ...] = (
        ("greedy", "model", all_asks),
        ("greedy_fp8", "fp8", all_asks),
        ("greedy_few", "model", few),
        ("drawn_few", "model", drawn),
    )
    rows: list[dict[str, Any]] = []
    for name, kv_dtype, work in works:
        try:
            runner = load_causal_lm(model, device=device, route=route, kv_dtype=kv_dtype)
        except UnsupportedModel as error:  # random weights may not bear eight bits; the other figures stand
            if kv_dtype == "model":
                raise
            print(f"{name}: left out: {error}")
            continue
        num_blocks = 64 if tiny else _num_blocks(runner, work)
        config = partial(
            EngineConfig, max_running=len(work), num_blocks=num_blocks, block_size=BLOCK_SIZE, max_step_tokens=16_384
        )
        _ = ours(runner, shortened(work[:2], 4), config)  # kernels are compiled, libraries set up
        _, num_steps, seconds = ours(runner, work, config)
        num_output = sum(ask.num_output for ask in work)
        rows.append(
            {
                "work": name,
                "requests": len(work),
                "input_tokens": sum(len(ask.prompt) for ask in work),
                "output_tokens": num_output,
                "kv_dtype": kv_dtype,
                "kv_blocks": num_blocks,
                "steps": num_steps,
                "seconds": seconds,
                "output_tokens_per_s": num_output / seconds,
            }
        )
    return {f"{row['work']}_tokens_per_s": row["output_tokens_per_s"] for row in rows}, rows


def _model(sizes: dict[str, Any], device: str) -> Any:
    """With random weights, in bfloat16 on a GPU."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    config = Qwen3Config(
        **sizes, max_position_embeddings=MAX_LENGTH, tie_word_embeddings=True, bos_token_id=None, eos_token_id=None
    )
    config.dtype = torch.bfloat16 if device == "cuda" else torch.float32
    with torch.device(device):
        model: Any = Qwen3ForCausalLM(config)
    return model.to(config.dtype).eval()


def _num_blocks(runner: Any, work: Sequence[Ask]) -> int:
    """As many as fit into the device's memory, at most as many as the work needs."""
    import torch

    free, _ = torch.cuda.mem_get_info()
    needed = sum(-(-(len(ask.prompt) + ask.num_output) // BLOCK_SIZE) + 1 for ask in work)
    return min(needed, runner.num_blocks_in(int(free * SHARE_OF_MEMORY), BLOCK_SIZE, len(work)))


if __name__ == "__main__":
    sys.exit(main())
