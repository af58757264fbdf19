"""Does a prompt of 950 kB to /inference hold up the tokens of others?

`python -m benchmarks.long_prompt [--json FILE] [--quick]`: 8 streams of the language model's deployment, in one process
with its own engine, write while `Lm.complete`, which is what /inference calls, gets prompts that are nearly as long as
a body may be. Each is refused once its first pieces are tokenised, since the model's context is shorter. The gaps
between the tokens of each stream are compared before, during and after; the model is a random decoder, its tokenizer
one of bytes, and that of MiniLM (words) where its weights are installed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

from batching import PromptTooLong, SamplingParams
from benchmarks.harness.inference_client import byte_tokenizer
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import percentile, record, table
from benchmarks.loads.workloads import random_qwen2
from configs import Settings
from deployments.lm.deployment import Lm
from deployments.values.completions import LmRequest
from retrieval.embedding.embedder import Embedder

NUM_STREAMS = 8
PROMPT = ("The quick brown fox jumps over 13 lazy dogs, again. " * 20_000)[:950_000]
CONTEXT = 32_768  # tokens; no length of the prompt shows that it is too long for it
MAX_GAP_S = 0.1
WARM_TOKENS = 20
PHASES = ("before", "during", "after")


def main() -> int:
    parser = parser_of(__doc__, quick="10 prompts and 4 s before and after them, instead of 60 and 15")
    args = parser.parse_args()
    num_prompts, rest_s = (10, 4.0) if args.quick else (60, 15.0)
    rows: list[dict[str, Any]] = []
    for name, tokenizer in tokenizers().items():
        with tempfile.TemporaryDirectory(prefix="pagemill-long-prompt-") as folder:
            save_model(Path(folder), tokenizer)
            rows += [{"tokenizer": name} | row for row in asyncio.run(measured(Path(folder), num_prompts, rest_s))]
    figures = figures_of(rows)
    print(table(rows))
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "long_prompt", figures, rows)
    most_after = max(figures["gaps_over_100_ms_during"], figures["gaps_over_100_ms_after"])
    return int(most_after > figures["gaps_over_100_ms_before"])


def tokenizers() -> dict[str, Any]:
    """Those of this machine."""
    from transformers import AutoTokenizer

    words = Embedder.find("all-MiniLM-L6-v2")
    return {"bytes": byte_tokenizer()} | ({} if words is None else {"words": AutoTokenizer.from_pretrained(words)})


def save_model(folder: Path, tokenizer: Any, **sizes: int) -> None:
    """A checkpoint of random weights with this tokenizer."""
    common = {
        "hidden_size": 256,
        "intermediate_size": 704,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    config: dict[str, Any] = common | sizes
    random_qwen2(vocab_size=len(tokenizer), max_position_embeddings=CONTEXT, **config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


async def measured(folder: Path, num_prompts: int, rest_s: float) -> list[dict[str, Any]]:
    """A row per phase."""
    settings = {"lm": {"model": str(folder), "num_blocks": 2 * CONTEXT // 16, "block_size": 16, "max_tokens": CONTEXT}}
    lm = await asyncio.to_thread(Lm, Settings.model_validate(settings))
    await lm.check_health()
    times: list[list[float]] = [[] for _ in range(NUM_STREAMS)]
    warm = asyncio.Event()
    streams = [asyncio.create_task(write(lm, moments, times, warm)) for moments in times]
    try:
        await warm.wait()
        started_at = time.perf_counter()
        await asyncio.sleep(rest_s)
        first_sent_at = time.perf_counter()
        for _ in range(num_prompts):
            await refused(lm)
        last_refused_at = time.perf_counter()
        await asyncio.sleep(rest_s)
    finally:
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        await lm._served.engine.close()  # pyright: ignore[reportPrivateUsage] # Serve would end the process
    bounds = (started_at, first_sent_at, last_refused_at, time.perf_counter())
    seconds_per_prompt = (last_refused_at - first_sent_at) / num_prompts
    return [
        {"phase": phase, "seconds_per_prompt": seconds_per_prompt if phase == "during" else None} | summary(gaps)
        for phase, gaps in zip(PHASES, gaps_of(times, bounds), strict=True)
    ]


async def write(lm: Lm, moments: list[float], all_moments: Sequence[list[float]], warm: asyncio.Event) -> None:
    """Note the moment of each token of one stream, until cancelled; set `warm` once every stream has some."""
    sampling = SamplingParams(max_tokens=CONTEXT // 4, ignore_eos=True, mean_logprob=False)
    async with aclosing(lm.write(LmRequest(prompt="Ships wait for the tide.", sampling=sampling))) as pieces:
        async for _ in pieces:
            moments.append(time.perf_counter())
            if not warm.is_set() and all(len(others) >= WARM_TOKENS for others in all_moments):
                warm.set()
    raise RuntimeError("a stream ended before the measurement: its limit of tokens is too low")


async def refused(lm: Lm) -> None:
    try:
        await lm.complete(PROMPT, 5)
    except PromptTooLong:
        return
    raise RuntimeError("the prompt was not refused")


def gaps_of(times: Sequence[Sequence[float]], bounds: Sequence[float]) -> list[list[float]]:
    """Seconds between the tokens of each stream, by phase; a gap over a bound belongs to the phase of the prompts."""
    started_at, first_sent_at, last_refused_at, _ = bounds
    phases: list[list[float]] = [[], [], []]
    for moments in times:
        for earlier, later in pairwise(moments):
            if earlier >= last_refused_at:
                phases[2].append(later - earlier)
            elif later >= first_sent_at:
                phases[1].append(later - earlier)
            elif earlier >= started_at:
                phases[0].append(later - earlier)
    return phases


def summary(gaps: Sequence[float]) -> dict[str, float]:
    return {
        "tokens": len(gaps),
        "p50_ms": 1000 * percentile(gaps, 0.5),
        "p99_ms": 1000 * percentile(gaps, 0.99),
        "largest_ms": 1000 * max(gaps),
        "gaps_over_100_ms": sum(gap > MAX_GAP_S for gap in gaps),
    }


def figures_of(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The worst of all tokenizers."""
    figures: dict[str, float] = {}
    for phase in PHASES:
        for name in ("p99_ms", "largest_ms", "gaps_over_100_ms"):
            figures[f"{name}_{phase}"] = max(row[name] for row in rows if row["phase"] == phase)
    return figures


if __name__ == "__main__":
    sys.exit(main())
