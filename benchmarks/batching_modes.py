"""What continuous batching saves against static batching and against none: one engine, one workload, policies in turn.

32 requests, batch 8, of which the first of each 8 asks for 100 tokens and the others for 10. Steps are counted; seconds
are the least of several rounds, in each of which every policy runs once. `ideal_over_continuous_s` is what the ideal
schedule's steps would take, at the cost of the engine's, over what continuous batching takes from the first request to
the last token.

Then output lengths that are log-normal and Poisson arrivals, at 0.8 of what the continuous policy does at most: tokens
per second, seconds to the first token (TTFT) and between tokens (ITL), beside the ideal schedule, whose steps cost what
the engine's do.
"""

from __future__ import annotations

import functools
import statistics
import sys
from collections.abc import Callable
from typing import Any

from batching import EngineConfig
from batching.loading.models import load_causal_lm
from benchmarks.harness.options import parser_of
from benchmarks.harness.padded_runner import PaddedRunner
from benchmarks.harness.report import record, table
from benchmarks.loads.arrivals import Arrival, StepCost, ideal, poisson, served, summary
from benchmarks.loads.workloads import (
    TINY_OUTPUT,
    Ask,
    add_device,
    decoder,
    eights,
    in_turn,
    ours,
    placed,
    shortened,
    spread,
)

BATCH = 8
LOAD = 0.8  # of the continuous policy's own throughput
MODES = ("none", "static", "static_dropping", "continuous")
"""static: rows that have ended are computed on, as in padded `generate`. static_dropping: the engine's "static"."""


def main() -> int:
    parser = parser_of(__doc__, quick="two rounds instead of five")
    parser.add_argument("--tiny", action="store_true", help="12 short requests, one round: that it works")
    add_device(parser)
    args = parser.parse_args()
    runner = load_causal_lm(placed(decoder(), args.device, args.dtype), device=args.device, route=args.route)
    rounds = 1 if args.tiny else 2 if args.quick else 5
    asks = shortened(eights(12), TINY_OUTPUT) if args.tiny else eights()
    arriving = shortened(spread(6), TINY_OUTPUT) if args.tiny else spread(24 if args.quick else 96)
    figures, rows = measured(runner, asks, rounds)
    print(table(rows))
    figures["ideal_over_continuous_s"] = over_ideal(runner, asks, rounds)
    of_arrivals, more = measured_arrivals(runner, arriving)
    print(table(more))
    figures |= of_arrivals
    rows += more
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "batching_modes", figures, rows, machine={"device": args.device, "route": runner.route})
    return 0


def measured(runner: Any, asks: list[Ask], rounds: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row a policy."""
    steps: dict[str, int] = {}
    outputs: dict[str, list[list[int]]] = {}

    def seconds(mode: Any) -> float:
        outputs[mode], steps[mode], elapsed_s = ours(runner_by(mode, runner), asks, config_by(mode))
        return elapsed_s

    least = in_turn({mode: functools.partial(seconds, mode) for mode in MODES}, rounds)
    num_tokens = sum(ask.num_output for ask in asks)
    rows = [
        {"mode": mode, "steps": steps[mode], "seconds": least[mode], "tokens_per_s": num_tokens / least[mode]}
        for mode in MODES
    ]
    figures: dict[str, float] = {f"steps_{mode}": steps[mode] for mode in MODES}
    figures["steps_ideal"] = ideal_steps(asks, BATCH)
    figures |= {f"{mode}_over_continuous": least[mode] / least["continuous"] for mode in MODES[:-1]}
    figures["outputs_equal"] = float(all(outputs[mode] == outputs["none"] for mode in MODES))
    return figures, rows


def measured_arrivals(runner: Any, asks: list[Ask]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row a policy, under Poisson arrivals."""
    config = functools.partial(EngineConfig, max_running=BATCH)
    seconds = ours(runner, asks, config)[2]  # all at once: the most that it does
    arrivals = poisson(asks, LOAD * len(asks) / seconds)
    requests, steps = served(runner, arrivals, config)
    by_mode = {"ideal": ideal(arrivals, BATCH, StepCost.of(steps)), "continuous": requests}
    by_mode["continuous_steady"] = served(runner, arrivals, functools.partial(config, steady_decoding=True))[0]
    for mode in ("static_dropping", "static", "none"):
        by_mode[mode] = served(runner_by(mode, runner), arrivals, config_by(mode))[0]
    rows = [
        {"arrivals": mode, "offered_share": LOAD} | summary(requests_of_mode)
        for mode, requests_of_mode in by_mode.items()
    ]
    of = {row["arrivals"]: row for row in rows}
    figures = {
        "arrivals_continuous_over_ideal": of["continuous"]["tokens_per_s"] / of["ideal"]["tokens_per_s"],
        "arrivals_continuous_over_static": of["continuous"]["tokens_per_s"] / of["static"]["tokens_per_s"],
        "arrivals_ttft_p50_static_over_continuous": of["static"]["ttft_p50_s"] / of["continuous"]["ttft_p50_s"],
        "arrivals_ttft_p99_static_over_continuous": of["static"]["ttft_p99_s"] / of["continuous"]["ttft_p99_s"],
        "arrivals_itl_p99_steady_s": of["continuous_steady"]["itl_p99_s"],
        "arrivals_steady_over_continuous": of["continuous_steady"]["tokens_per_s"] / of["continuous"]["tokens_per_s"],
        "arrivals_itl_p99_continuous_s": of["continuous"]["itl_p99_s"],
        "arrivals_itl_p99_static_dropping_s": of["static_dropping"]["itl_p99_s"],
    }
    return figures, rows


def runner_by(mode: str, runner: Any) -> Any:
    """`runner`, with padding where the policy has it."""
    return PaddedRunner(runner) if mode == "static" else runner


def config_by(mode: Any) -> Callable[..., EngineConfig]:
    """What makes the engine's config of a policy."""
    engine_mode = "static" if mode == "static_dropping" else mode
    return functools.partial(EngineConfig, max_running=BATCH, mode=engine_mode)


def over_ideal(runner: Any, asks: list[Ask], rounds: int) -> float:
    """Seconds of the ideal schedule over those of the engine, all requests there from the start; the median round's."""
    arrivals = [Arrival(ask, 0.0) for ask in asks]
    shares: list[float] = []
    for _ in range(rounds):
        requests, steps = served(runner, arrivals, functools.partial(EngineConfig, max_running=BATCH))
        perfect = ideal(arrivals, BATCH, StepCost.of(steps))
        shares.append(max(request.tokens[-1] for request in perfect) / max(request.tokens[-1] for request in requests))
    return statistics.median(shares)


def ideal_steps(asks: list[Ask], batch: int) -> int:
    """First come, first served, a freed place refilled in the very next step: what no policy of that order beats."""
    ends = [0] * batch
    for ask in asks:
        place = min(range(batch), key=ends.__getitem__)
        ends[place] += ask.num_output
    return max(ends)


if __name__ == "__main__":
    sys.exit(main())
