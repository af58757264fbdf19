"""Tokens per second beside other engines: same model, same requests.

The others: padded `generate`, transformers' own continuous batching, and a loop that concatenates the KV of all its
requests again in every step, as the first OCR servers did.

With `--recurrent`, a hybrid of gated delta rule and attention, beside padded `generate` alone: the others have no place
for a state.

Requests with log-normal output lengths at 32 running, and the 32-request workload at batch 8 (`*_batch8`). Each peer
runs once a round, in turn; the least seconds count. Outputs are compared with padded `generate`, token for token: that
they differ, as in bfloat16 they may, is a figure and no failure. Where ours differ, `difference_in_float64` is how far
apart the two tokens' logits are in float64, at the first difference of a request; the largest of them. One of the
others that fails is left out, and the exit status says so.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from batching import EngineConfig
from batching.loading.models import load_causal_lm
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import (
    TINY_OUTPUT,
    Ask,
    add_device,
    decoder,
    eights,
    hybrid_decoder,
    in_turn,
    ours,
    placed,
    shortened,
    spread,
)

RUNNING = 32
PEERS = ("ours", "padded_generate", "transformers_continuous", "concatenating")
REFERENCES = PEERS[:2]  # what is compared, and what it is compared with
Outputs = list[list[int]]


def main() -> int:
    parser = parser_of(__doc__, quick="128 requests and one round instead of 256 and two")
    parser.add_argument("--tiny", action="store_true", help="8 short requests: that the measurement works")
    parser.add_argument("--recurrent", action="store_true", help="a decoder with recurrent layers")
    parser.add_argument("--requests", type=int, help="how many")
    parser.add_argument("--threads", type=int, help="of torch, for all peers; as many as it likes if left out")
    add_device(parser)
    args = parser.parse_args()
    import torch

    if args.threads:
        torch.set_num_threads(args.threads)
    model = placed(hybrid_decoder() if args.recurrent else decoder(), args.device, args.dtype)
    runner = load_causal_lm(model, device=args.device, route=args.route)
    count, rounds = args.requests or (128 if args.quick else 256), 1 if args.quick or args.tiny else 2
    first, second = spread(count), eights()
    if args.tiny:
        first, second = shortened(spread(8), TINY_OUTPUT), shortened(eights(8), TINY_OUTPUT)
    names = REFERENCES if args.recurrent else PEERS
    figures, rows = measured(model, runner, first, RUNNING, rounds, names)
    figures["num_requests"] = len(first)
    of_eights, more = measured(model, runner, second, 8, max(2, rounds), names)
    figures |= {f"{name}_batch8": value for name, value in of_eights.items()}
    rows += [row | {"peer": f"{row['peer']}_batch8"} for row in more]
    print(table(rows))
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(
            args.out, "engine_peers", figures, rows, machine={"threads": torch.get_num_threads(), "device": args.device}
        )
    return int(len(rows) < 2 * len(names))


def measured(
    model: Any, runner: Any, asks: list[Ask], running: int, rounds: int, names: Sequence[str] = PEERS
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row a peer; without the peers that failed, unless ours or `padded_generate` did."""
    outputs: dict[str, Outputs] = {}
    steps: dict[str, int] = {}
    failed: set[str] = set()  # in any round
    peers: dict[str, Callable[[], tuple[Outputs, int, float]]] = {
        "ours": functools.partial(_ours, runner, asks, running),
        "padded_generate": functools.partial(_padded, model, asks, running),
        "transformers_continuous": functools.partial(_transformers, model, asks, running),
        "concatenating": functools.partial(_concatenating, model, asks, running),
    }

    def seconds(name: str) -> float:
        try:
            with model.device:  # where tensors of the peers' inputs are made
                outputs[name], steps[name], elapsed_s = peers[name]()
        except Exception:  # of another engine: what it cannot do here leaves the comparison with the rest
            if name in REFERENCES:
                raise
            failed.add(name)
            print(f"{name} is left out, it failed:", traceback.format_exc(), sep="\n")
            return math.inf
        return elapsed_s

    timed = in_turn({name: functools.partial(seconds, name) for name in names}, rounds)
    least = {name: seconds for name, seconds in timed.items() if name not in failed}
    num_tokens = sum(ask.num_output for ask in asks)
    rows = [
        {
            "peer": name,
            "seconds": least[name],
            "tokens_per_s": num_tokens / least[name],
            "steps": steps[name] or None,
            "equal": sum(a == b for a, b in zip(outputs[name], outputs["padded_generate"], strict=True)) / len(asks),
        }
        for name in names
        if name in least
    ]
    figures = {
        "outputs_equal": float(outputs["ours"] == outputs["padded_generate"]),
        "difference_in_float64": difference_in_float64(model, asks, outputs["ours"], outputs["padded_generate"]),
        **{f"ours_over_{name}": least[name] / least["ours"] for name in least if name != "ours"},
        "steps_static_over_continuous": steps["padded_generate"] / steps["ours"],
        "ours_tokens_per_s": num_tokens / least["ours"],
    }
    return figures, rows


def difference_in_float64(model: Any, asks: list[Ask], ours: Outputs, theirs: Outputs) -> float:
    """How far apart the logits of the first two tokens that differ are, the largest of all requests; 0 if none differ.

    Rounding in float32 decides between tokens that are closer than about 1e-5.
    """
    import torch

    differing = [triple for triple in zip(asks, ours, theirs, strict=True) if triple[1] != triple[2]]
    if not differing:
        return 0.0
    exact = copy.deepcopy(model).double()
    gaps: list[float] = []
    for ask, our_tokens, their_tokens in differing:
        at = next(i for i, pair in enumerate(zip(our_tokens, their_tokens, strict=True)) if pair[0] != pair[1])
        with torch.inference_mode():
            tokens = torch.tensor([[*ask.prompt, *our_tokens[:at]]], device=exact.device)
            logits = exact(input_ids=tokens).logits[0, -1]
        gaps.append(abs(float(logits[our_tokens[at]] - logits[their_tokens[at]])))
    return max(gaps)


def _ours(runner: Any, asks: list[Ask], running: int) -> tuple[Outputs, int, float]:
    return ours(runner, asks, functools.partial(EngineConfig, max_running=running, num_blocks=2048))


def _padded(model: Any, asks: list[Ask], running: int) -> tuple[Outputs, int, float]:
    """`generate` on batches in order of arrival, padded on the left, each to its longest output; cut afterwards."""
    import torch

    outputs: Outputs = []
    steps = 0
    begun = time.perf_counter()
    for first in range(0, len(asks), running):
        batch = asks[first : first + running]
        width, most = max(len(ask.prompt) for ask in batch), max(ask.num_output for ask in batch)
        ids = torch.tensor([[0] * (width - len(ask.prompt)) + list(ask.prompt) for ask in batch])
        mask = torch.tensor([[0] * (width - len(ask.prompt)) + [1] * len(ask.prompt) for ask in batch])
        with torch.inference_mode():
            generated = model.generate(
                input_ids=ids, attention_mask=mask, max_new_tokens=most, do_sample=False, pad_token_id=0
            )
        steps += most
        outputs += [row[width : width + ask.num_output].tolist() for ask, row in zip(batch, generated, strict=True)]
    return outputs, steps, time.perf_counter() - begun


def _transformers(model: Any, asks: list[Ask], running: int) -> tuple[Outputs, int, float]:
    """transformers' own, told as much as ours: how many may run, and how much KV there is. Steps are not told."""
    from transformers import ContinuousBatchingConfig, GenerationConfig

    field_names = {field.name for field in dataclasses.fields(ContinuousBatchingConfig)}
    # older versions call it block_size
    size: dict[str, Any] = {"page_size" if "page_size" in field_names else "block_size": 16}
    settings = ContinuousBatchingConfig(
        **size, num_blocks=2048, max_batch_tokens=2048, max_requests_per_batch=running, allow_block_sharing=False
    )
    generation_config = GenerationConfig(do_sample=False, max_new_tokens=512, eos_token_id=-1, pad_token_id=0)
    done: dict[str, list[int]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own, about the CPU
        with model.continuous_batching_context_manager(
            generation_config=generation_config, continuous_batching_config=settings
        ) as run:
            run.add_request([1, 2, 3], max_new_tokens=2, eos_token_id=-1)  # its start is not counted, as ours is not
            while (first := run.get_result(timeout=1)) is None or not first.is_finished():
                if first is None and not run.is_running():
                    raise RuntimeError("transformers' continuous batching did not start")
            begun = time.perf_counter()
            names = [run.add_request(list(ask.prompt), max_new_tokens=ask.num_output, eos_token_id=-1) for ask in asks]
            while len(done) < len(asks):
                result = run.get_result(timeout=1)
                if result is not None and result.is_finished():
                    done[result.request_id] = list(result.generated_tokens)
                elif result is None and not run.is_running():
                    raise RuntimeError("transformers' continuous batching ended early")
            elapsed_s = time.perf_counter() - begun
    return [done[name] for name in names], 0, elapsed_s


def _concatenating(model: Any, asks: list[Ask], running: int) -> tuple[Outputs, int, float]:
    from benchmarks.peers.concatenating import concatenating

    begun = time.perf_counter()
    outputs, steps = concatenating(model, asks, running)
    return outputs, steps, time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
