"""Structured generation: random schemas over random models, and what the masks cost a step of a batch.

python -m benchmarks.guides --json benchmarks/results/guides.json [--tokenizer FOLDER]

Without a tokenizer's folder the batch is measured with 256 bytes for a vocabulary, where a mask costs next to nothing.
"""

from __future__ import annotations

import argparse
import collections
import json
import statistics
from pathlib import Path
from typing import Any

import jsonschema
import torch

from batching import EngineConfig, FinishReason, Guide, Request, SamplingParams, generate
from batching.engine_config import StepStats
from batching.loading.models import load_causal_lm
from benchmarks.guide_libraries import INVOICE
from benchmarks.harness.report import origin
from benchmarks.loads.random_schemas import random_schema

BATCH = 32
ROUNDS = 3
SHAPE: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
LARGER: dict[str, Any] = {
    "hidden_size": 512,
    "intermediate_size": 1408,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
}


def outcomes(num_schemas: int, num_models: int, max_tokens: int) -> dict[str, int]:
    """How many outputs of random models were valid JSON of their schema, incomplete by name, or invalid."""
    counts: collections.Counter[str] = collections.Counter()
    for number in range(num_models):
        runner = load_causal_lm(_model(_bytes(), number, SHAPE), tokenizer=_bytes())
        seeds = range(number, num_schemas, num_models)
        requests = [
            Request(
                prompt_token_ids=[seed % 200 + 5, 3],
                sampling=SamplingParams(
                    max_tokens=max_tokens,
                    guide=Guide.json_schema(random_schema(seed)),
                    temperature=float(seed % 2),
                    seed=seed,
                ),
            )
            for seed in seeds
        ]
        for seed, completion in zip(seeds, generate(runner, requests, _limits()), strict=True):
            counts[_outcome(random_schema(seed), completion.finish_reason, completion.text)] += 1
    return dict(counts)


def overhead(tokenizer: Any) -> dict[str, Any]:
    """Milliseconds of a step in which 32 sequences decode, without guides and with one for each."""
    runner = load_causal_lm(_model(tokenizer, 0, LARGER), tokenizer=tokenizer)
    guide = Guide.json_schema(INVOICE)
    figures: dict[str, Any] = {"vocabulary": len(tokenizer), "batch": BATCH, "model": LARGER}
    full: dict[str, list[StepStats]] = {"without": [], "with": []}
    for turn in range(1 + 2 * ROUNDS):  # alternately, since the load of the machine varies
        name, guide_of_turn = ("without", None) if turn % 2 else ("with", guide)
        steps: list[StepStats] = []
        requests = [
            Request(prompt_token_ids=[at + 5, 3], sampling=_sampling(guide_of_turn, seed=at)) for at in range(BATCH)
        ]
        generate(runner, requests, _limits(steps))
        if turn:  # the first compiles
            full[name] += [step for step in steps if step.num_decodes == BATCH]
    for name, steps in full.items():
        figures[name] = {
            "num_steps": len(steps),
            **{
                f"median_{field[:-2]}_ms": round(statistics.median(getattr(step, field) for step in steps) * 1e3, 3)
                for field in ("step_s", "guide_s", "guide_wait_s")
            },
        }
    return figures


def _sampling(guide: Guide | None, seed: int) -> SamplingParams:
    return SamplingParams(max_tokens=60, guide=guide, temperature=0.0 if seed % 2 else 1.0, seed=seed)


def _limits(steps: list[StepStats] | None = None) -> EngineConfig:
    return EngineConfig(max_running=BATCH, num_blocks=4096, on_step=None if steps is None else steps.append)


def _outcome(schema: dict[str, Any], reason: FinishReason, text: str) -> str:
    if reason is not FinishReason.STOP:
        return reason.value
    try:
        jsonschema.validate(json.loads(text), schema)
    except (ValueError, jsonschema.ValidationError):
        return "invalid"
    return "valid"


def _model(tokenizer: Any, seed: int, shape: dict[str, Any]) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        **shape,
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.2 if shape is SHAPE else 0.05,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
    )
    return LlamaForCausalLM(config).eval()


def _bytes() -> Any:
    """A tokenizer of bytes, as the tests have."""
    from tests.batching.byte_tokenizer import byte_tokenizer

    return byte_tokenizer()


def main() -> None:
    """Print, and write, the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--schemas", type=int, default=1000)
    options.add_argument("--models", type=int, default=10)
    options.add_argument("--max-tokens", type=int, default=1500)
    options.add_argument("--tokenizer", type=Path)
    options.add_argument("--json", type=Path)
    args = options.parse_args()
    torch.set_num_threads(1)
    tokenizer = _bytes()
    if args.tokenizer:
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(args.tokenizer)
    figures = origin("guides") | {
        "schemas": outcomes(args.schemas, args.models, args.max_tokens),
        "batch": overhead(tokenizer),
    }
    text = json.dumps(figures, indent=1)
    print(text)
    if args.json:
        args.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
