"""What the decoder in fewer bits costs and saves on this processor: tokens/s, bytes, logits, and the text that is read.

Speed and memory on a random decoder of GOT-OCR2's width (four of its layers), all kinds in turn in each round; text on
the compact checkpoint, strip by strip against the whole matrices. Logits are compared on the same tokens.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import sys
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from batching import Engine, EngineConfig, Request
from batching.loading.models import load_causal_lm, load_got_ocr2
from batching.routes.torch.linear import Quantisation
from batching.step_plan import PlanRow, RowOwner
from benchmarks.gpu_check import OCR, drawn_strips
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import Ask, in_turn, ours, random_qwen2, spread

KINDS: tuple[Quantisation, ...] = get_args(Quantisation)
BATCHES = (1, 8, 32)
NUM_TOKENS = 24  # of each sequence


def main() -> int:
    parser = parser_of(__doc__, quick="two rounds instead of five, 16 strips instead of 64")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    figures, rows = measured(wide_decoder(), BATCHES, rounds=2 if args.quick else 5)
    figures |= read_alike(drawn_strips(16 if args.quick else 64))
    print(table(rows))
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "quantisation", figures, rows, machine={"threads": 1})
    return 0


def wide_decoder() -> Any:
    """A random Qwen2 of four layers as wide as GOT-OCR2's: hidden 1024, 16 heads, MLP 2816."""
    return random_qwen2(
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=4,
        num_attention_heads=16,
        num_key_value_heads=16,
        initializer_range=0.05,
    )


def measured(model: Any, batches: Sequence[int], rounds: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each kind and number of sequences that share a step."""
    runners = {kind: load_causal_lm(model, quantisation=kind) for kind in KINDS}
    sizes = {kind: runner.num_bytes or 0 for kind, runner in runners.items()}
    exact = _logits(runners["none"])
    figures: dict[str, float] = {}
    for kind in KINDS[1:]:
        figures[f"{kind}_bytes_over_none"] = sizes[kind] / sizes["none"]
        figures[f"{kind}_logit_error"] = float((_logits(runners[kind]) - exact).norm() / exact.norm())
    rows: list[dict[str, Any]] = []
    for batch in batches:
        asks = [Ask(ask.prompt[:16], NUM_TOKENS) for ask in spread(batch)]
        config = functools.partial(EngineConfig, max_running=batch, num_blocks=512)
        measures = {kind: functools.partial(_seconds, runner, asks, config) for kind, runner in runners.items()}
        least = in_turn(measures, rounds + 1)  # the first round warms
        for kind in KINDS:
            rows.append(
                {
                    "kind": kind,
                    "sequences": batch,
                    "tokens_per_s": batch * NUM_TOKENS / least[kind],
                    "none_over_this": least["none"] / least[kind],
                    "megabytes": sizes[kind] / 1e6,
                }
            )
            if kind != "none":
                figures[f"{kind}_speedup_{batch}"] = least["none"] / least[kind]
    return figures, rows


def read_alike(strips: Sequence[np.ndarray]) -> dict[str, float]:
    """Of the compact checkpoint: strips read as with the whole matrices, and by how many letters the others differ."""
    from rapidfuzz.distance import Levenshtein

    whole = asyncio.run(_read(strips, "none"))
    figures: dict[str, float] = {}
    for kind in KINDS[1:]:
        texts = asyncio.run(_read(strips, kind))
        figures[f"{kind}_strips_alike"] = sum(a == b for a, b in zip(texts, whole, strict=True)) / len(whole)
        edits = sum(itertools.starmap(Levenshtein.distance, zip(texts, whole, strict=True)))
        figures[f"{kind}_letters_apart"] = edits / max(1, sum(map(len, whole)))
    return figures


async def _read(strips: Sequence[np.ndarray], kind: Quantisation) -> list[str]:
    async with Engine(load_got_ocr2(OCR, quantisation=kind), EngineConfig(max_running=32)) as engine:
        done = await asyncio.gather(*(engine.submit(Request(image=strip)).result() for strip in strips))
    return [completion.text for completion in done]


def _seconds(runner: Any, asks: list[Ask], config: Any) -> float:
    return ours(runner, asks, config)[2]


def _logits(runner: Any) -> Any:
    """(tokens, vocabulary), of one fixed text, a token per step."""
    import torch

    tokens = list(spread(1)[0].prompt)[:16]
    runner.allocate(8, 16, 1, 1)
    with torch.inference_mode():
        steps = [
            PlanRow(
                owner=RowOwner(seq_id=0),
                tokens=tokens[: at + 1],
                start=at,
                count=1,
                blocks=(1,),
                decodes=at > 0,
            )
            for at in range(len(tokens))
        ]
        logits = torch.cat([runner.logits([step]).float() for step in steps])
    runner.close()
    return logits


if __name__ == "__main__":
    sys.exit(main())
