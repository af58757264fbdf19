"""Where the time of a decoding step goes: matrix products, attention, small operations, waiting, and outside the pass.

`python -m benchmarks.step_profile [--json benchmarks/results/step_profile.json]`

The models of `cpu_race`, 32 sequences that decode, by the native route. The C++ notes what each of its threads does; a
run of few tokens is taken off one of many, so that what is left are steps that only decode. `products_SIZE_PRECISION`
and its like are shares of the engine's own step, from one to the next, the mean of the threads. `outside` is Python:
planning, taking in, and handing over.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from batching import EngineConfig
from batching.inputs.text_inputs import TextInputs
from batching.model_runner import ModelRunner
from batching.native.library import library
from batching.native.native_route import NativeRoute
from batching.native.structures import PARTS
from benchmarks.cpu_race import PRECISIONS, RUNNING, model
from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.loads.workloads import VOCABULARY, Ask, ours

NUM_PROMPT = 16
SHORT = 8  # tokens of the run that is taken off
LONG = {"small": 136, "large": 56}


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--sizes", nargs="+", default=["small", "large"], choices=["small", "large"])
    parser.add_argument("--precisions", nargs="+", default=list(PRECISIONS), choices=PRECISIONS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tiny", action="store_true", help="few tokens: that the measurement works")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(args.threads)
    rows = [
        measured(size, precision, args.threads, 1 if args.tiny else args.rounds, SHORT + 2 if args.tiny else LONG[size])
        for size in args.sizes
        for precision in args.precisions
    ]
    print(report.table(rows))
    figures = {
        f"{part}_{row['size']}_{row['precision']}": row[part] for row in rows for part in (*PARTS, "outside", "step_ms")
    }
    if args.out:
        report.record(args.out, "step_profile", figures, rows, {"threads": args.threads})
    return 0


def measured(size: str, precision: str, num_threads: int, rounds: int, long: int) -> dict[str, Any]:
    """A step's milliseconds and the share of each part, of the round with the shortest step."""
    runner, times = profiled_runner(size, precision, num_threads)
    steps = [_step(runner, times, long) for _ in range(rounds + 1)][1:]
    step_s, parts = min(steps, key=lambda step: step[0])
    shares = {part: seconds / step_s for part, seconds in zip(PARTS, parts.tolist(), strict=True)}
    row = {"size": size, "precision": precision, "step_ms": 1000 * step_s}
    return row | shares | {"outside": 1 - sum(shares.values())}


def profiled_runner(size: str, precision: str, num_threads: int) -> tuple[ModelRunner, Any]:
    """The native route of a model of `cpu_race`, and the nanoseconds that it notes: int64, (threads, parts)."""
    import torch

    native, int8 = library(), precision == "int8"
    if native is None:
        raise SystemExit("the native route cannot be built here")
    decoder = model(size).to(torch.float32 if int8 else getattr(torch, precision))
    route = NativeRoute(native, decoder, quantised=int8)
    route.times = times = torch.zeros(num_threads, len(PARTS), dtype=torch.int64)
    return ModelRunner(decoder, route, TextInputs(decoder, tokenizer=None, stop_token_ids=frozenset())), times


def decoded(runner: ModelRunner, times: Any, num_output: int) -> tuple[float, Any]:
    """Seconds of a run of so many tokens per sequence, and of each part, the mean of the threads: float64, (parts,)."""
    times.zero_()
    prompts = [tuple((7 * k + number) % VOCABULARY for k in range(NUM_PROMPT)) for number in range(RUNNING)]
    config = partial(EngineConfig, max_running=RUNNING, num_blocks=2048)
    seconds = ours(runner, [Ask(prompt, num_output) for prompt in prompts], config)[2]
    return seconds, times.double().mean(0) / 1e9


def _step(runner: ModelRunner, times: Any, long: int) -> tuple[float, Any]:
    """Seconds of a step that only decodes, and of each part of it."""
    (short_s, short_parts), (long_s, long_parts) = (decoded(runner, times, count) for count in (SHORT, long))
    num_steps = long - SHORT
    return (long_s - short_s) / num_steps, (long_parts - short_parts) / num_steps


if __name__ == "__main__":
    sys.exit(main())
