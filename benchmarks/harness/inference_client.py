"""The client of an earlier generative server against /inference: a hundred requests, by batching policy.

Prompts of about 10 words and about 50 tokens to generate (both the absolute value of a normal distribution, as wide as
its mean, at least 1), a pause of 0 to 5 s after each five; nobody waits for an answer before the next is asked. The
same requests for each policy, each with a server of its own, whose language model is the random decoder of the
benchmarks of the engine; /stats tells the view of the server, the callers theirs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness.report import percentile, record, table
from benchmarks.harness.server import Running, server
from benchmarks.loads.workloads import decoder

MODES = ("none", "static", "continuous")
FIVE = 5
PAUSE_S = 5.0
WAIT_S = 900.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="30 requests instead of 100")
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    args = parser.parse_args()
    asks = prompts(30 if args.quick else 100)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="pagemill-inference-") as folder:
        model = saved_decoder(Path(folder) / "decoder")
        for mode in MODES:
            options = ("--lm-model", str(model), "--lm-mode", mode)
            with server(Path(folder) / mode, *options) as running:
                rows.append({"mode": mode} | asyncio.run(served(running, asks)))
    figures = figures_of(rows)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "inference_client", figures, rows)
    return 0


def prompts(count: int) -> list[tuple[str, int, float]]:
    """Prompt, tokens wanted, and the seconds that pass before the next."""
    chance = random.Random(4)  # reproducible, not secret
    return [
        (
            " ".join(["hello"] * _about(chance, 10)),
            _about(chance, 50),
            chance.uniform(0, PAUSE_S) if (number + 1) % FIVE == 0 else 0.0,
        )
        for number in range(count)
    ]


def saved_decoder(folder: Path) -> Path:
    """The random decoder with a tokenizer of bytes, as a checkpoint."""
    byte_tokenizer().save_pretrained(folder)
    decoder().save_pretrained(folder)
    return folder


def byte_tokenizer() -> Any:
    """A token a byte, and one for the end of a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={sign: at for at, sign in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>", pad_token="<|endoftext|>")


async def served(running: Running, asks: list[tuple[str, int, float]]) -> dict[str, float]:
    """What the callers saw, and what the server told."""
    latencies: list[float] = []
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=running.url, timeout=WAIT_S, limits=limits, trust_env=False) as client:

        async def one(prompt: str, num_tokens: int) -> None:
            begun = time.perf_counter()
            answer = await client.post("/inference", json={"prompt": prompt, "num_tokens": num_tokens})
            answer.raise_for_status()
            latencies.append(time.perf_counter() - begun)

        await one("warm", 1)
        latencies.clear()
        begun = time.perf_counter()
        async with asyncio.TaskGroup() as tasks:
            for prompt, num_tokens, pause in asks:
                tasks.create_task(one(prompt, num_tokens))
                await asyncio.sleep(pause)  # what that client does
        seconds = time.perf_counter() - begun
        stats = (await client.get("/stats")).raise_for_status().json()
    return {
        "seconds": seconds,
        "tokens_per_s": sum(num_tokens for _, num_tokens, _ in asks) / seconds,
        "p50_s": statistics.median(latencies),
        "p99_s": percentile(latencies, 0.99),
        "stats_latency_per_token_s": stats["latency-per-token"],
        "stats_throughput": stats["throughput"],
    }


def figures_of(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Continuous beside the others; a latency is better where the ratio is above 1."""
    of = {row["mode"]: row for row in rows}
    best = of["continuous"]
    figures: dict[str, float] = {}
    for mode in MODES[:-1]:
        figures[f"continuous_over_{mode}_tokens_per_s"] = best["tokens_per_s"] / of[mode]["tokens_per_s"]
        for name in ("p50_s", "p99_s", "stats_latency_per_token_s"):
            figures[f"{mode}_over_continuous_{name}"] = of[mode][name] / best[name]
    return figures


def _about(chance: random.Random, mean: float) -> int:
    return max(1, round(abs(chance.gauss(mean, mean))))


if __name__ == "__main__":
    sys.exit(main())
