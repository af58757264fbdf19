"""Which grammar library: llguidance against xgrammar, over the same tokens of the same schemas, on one CPU thread.

python -m benchmarks.guide_libraries --tokenizer FOLDER --json benchmarks/results/guide_libraries.json

xgrammar is no dependency: install it for this comparison. FOLDER holds a fast tokenizer of the size that is wanted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from batching.sampling.guide_matcher import JSON_OPTIONS
from benchmarks.harness.report import origin
from benchmarks.loads.random_schemas import random_schema

PHONE = {"type": "string", "pattern": "^\\+?[0-9 ]{6,20}$"}
INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "maxLength": 40},
        "date": {"type": "string", "format": "date"},
        "seller": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "vat": {"type": ["string", "null"]}, "phone": PHONE},
            "required": ["name", "vat"],
            "additionalProperties": False,
        },
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "count": {"type": "integer"},
                    "price": {"type": "number"},
                    "currency": {"enum": ["EUR", "USD", "MYR"]},
                },
                "required": ["text", "price"],
                "additionalProperties": False,
            },
        },
        "total": {"type": "number"},
    },
    "required": ["number", "date", "seller", "lines", "total"],
    "additionalProperties": False,
}
TEXT = json.dumps(
    {
        "number": "RE-2024/0117",
        "date": "2024-03-01",
        "seller": {"name": "Müller & Söhne GmbH", "vat": "DE123456789"},
        "lines": [
            {"text": f"Schraube M{size}, verzinkt, 100 Stück", "count": size, "price": 3.5 * size, "currency": "EUR"}
            for size in range(3, 9)
        ],
        "total": 1234.5,
    },
    ensure_ascii=False,
)


class Llguidance:
    """One tokenizer's grammars by llguidance."""

    def __init__(self, tokenizer: Any) -> None:
        import llguidance.hf

        self._vocabulary = llguidance.hf.from_tokenizer(tokenizer)
        self._bits = np.zeros((1, -(-len(tokenizer) // 32)), np.int32)

    def compile(self, schema: dict[str, Any]) -> Any:
        from llguidance import LLMatcher

        matcher = LLMatcher(
            self._vocabulary, LLMatcher.grammar_from_json_schema(schema, overrides=JSON_OPTIONS), log_level=0
        )
        if matcher.is_error():
            raise ValueError(matcher.get_error()[:200])
        return matcher

    def mask(self, matcher: Any) -> np.ndarray:
        matcher.unsafe_compute_mask_ptr(self._bits.ctypes.data, self._bits.nbytes)
        return self._bits

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.consume_token(token)


class Xgrammar:
    """The same by xgrammar."""

    def __init__(self, tokenizer: Any) -> None:
        import xgrammar  # pyright: ignore[reportMissingImports]

        information = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=len(tokenizer))
        self._compiler = xgrammar.GrammarCompiler(information, max_threads=1, cache_enabled=False)
        self._bits = xgrammar.allocate_token_bitmask(1, len(tokenizer))

    def compile(self, schema: dict[str, Any]) -> Any:
        import xgrammar  # pyright: ignore[reportMissingImports]

        compiled = self._compiler.compile_json_schema(json.dumps(schema), any_whitespace=False, separators=(", ", ": "))
        return xgrammar.GrammarMatcher(compiled)

    def mask(self, matcher: Any) -> np.ndarray:
        matcher.fill_next_token_bitmask(self._bits)
        return self._bits.numpy()

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.accept_token(token)


def measure(make: Callable[[Any], Any], tokenizer: Any, num_schemas: int) -> dict[str, Any]:
    """Seconds to load and to compile, microseconds of a mask along an invoice, and what random schemas are taken."""
    began = time.perf_counter()
    library = make(tokenizer)
    load_s = time.perf_counter() - began
    compile_s = [_timed(library.compile, INVOICE)[0] for _ in range(5)]
    matcher = library.compile(INVOICE)
    tokens = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
    masks_s = []
    for token in tokens:
        masks_s.append(_timed(library.mask, matcher)[0])
        assert library.accept(matcher, token), f"{make.__name__} refuses {tokenizer.decode([token])!r}"
    refused: dict[str, int] = {}
    random_s = []
    for seed in range(num_schemas):
        try:
            random_s.append(_timed(library.compile, random_schema(seed))[0])
        except Exception as error:  # any error of the library answers the question
            reason = str(error).splitlines()[0][:80]
            refused[reason] = refused.get(reason, 0) + 1
    return {
        "load_s": round(load_s, 2),
        "compile_ms": _quantiles(compile_s, 1e3),
        "mask_us": _quantiles(masks_s, 1e6),
        "num_masks": len(masks_s),
        "random_compile_ms": _quantiles(random_s, 1e3),
        "random_refused": refused,
    }


def _timed(call: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    result = call(argument)
    return time.perf_counter() - began, result


def _quantiles(seconds: list[float], unit: float) -> dict[str, float]:
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {
        "median": round(statistics.median(ordered) * unit, 2),
        "p95": round(high * unit, 2),
        "max": round(ordered[-1] * unit, 2),
    }


def main() -> None:
    """Print, and write, the figures of both."""
    from transformers import AutoTokenizer

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tokenizer", nargs="+", required=True)
    options.add_argument("--schemas", type=int, default=200)
    options.add_argument("--json", type=Path)
    args = options.parse_args()
    figures: dict[str, Any] = origin("guide_libraries") | {"tokenizers": {}}
    for folder in args.tokenizer:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        figures["tokenizers"][f"{len(tokenizer)} tokens"] = {
            make.__name__.lower(): measure(make, tokenizer, args.schemas) for make in (Llguidance, Xgrammar)
        }
    text = json.dumps(figures, indent=1)
    print(text)
    if args.json:
        args.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
