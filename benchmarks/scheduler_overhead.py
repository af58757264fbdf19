"""Time per step outside the model, by the number of sequences: planning, handing over, committing, waking streams.

The model is a fake whose step takes 20 ms and gives every row a token, so all else is the engine. It is measured twice:
with callers that wait for the whole output, and with callers that read each token. The median of the decoding steps
counts; steps with prefill are left out. `loop_cpu_ms` is what the event loop computes in a step, its callers included:
unlike the time between steps it is the same on a machine that has other work.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import time
from typing import Any

from batching import Engine, EngineConfig, Request, SamplingParams, StepStats, TokenStream
from batching.requests.pictures import PreparedPictures
from batching.requests.request import Prompt
from batching.step_plan import RowResult, StepPlan, StepResult
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table

STEP_S = 0.02
COUNTS = (1, 64, 256, 1024)
PROMPT = 64  # tokens
READERS = ("whole", "each token")


class SleepingModel:
    """A step takes `STEP_S`, in which it holds neither the lock of the interpreter nor a core."""

    max_length = 4096
    tokenizer = None
    max_in_flight = 1
    keeps_state = False
    last_pass = 0.0

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []  # of each step, from when the model thread has it to its answer

    @property
    def inputs(self) -> SleepingModel:
        return self

    def prepare(self, request: Request) -> Prompt:
        assert request.prompt_token_ids is not None
        params = request.sampling
        return Prompt(
            token_ids=list(request.prompt_token_ids), max_tokens=params.max_tokens, stop_token_ids=frozenset()
        )

    def max_patches(self, budget_mb: int | None) -> int:  # noqa: ARG002 # it sees nothing
        return 1

    def prepare_image(self, image: object) -> PreparedPictures:  # noqa: ARG002 # as above
        raise AssertionError("it sees nothing")

    def allocate(self, num_blocks: int, block_size: int, max_rows: int, max_running: int) -> None: ...

    def launch(self, plan: StepPlan) -> StepResult:
        begun = time.perf_counter()
        result = StepResult(rows=tuple(RowResult(token_id=1) if row.samples else RowResult() for row in plan.rows))
        time.sleep(max(0.0, STEP_S - (time.perf_counter() - begun)))
        self.spans.append((begun, time.perf_counter()))
        return result

    def collect(self, flight: StepResult) -> StepResult:
        return flight

    def close(self) -> None: ...


def main() -> int:
    parser = parser_of(__doc__, quick="60 steps each instead of 300")
    args = parser.parse_args()
    figures, rows = measured(COUNTS, 60 if args.quick else 300)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "scheduler_overhead", figures, rows)
    return 0 if figures["overhead_share_256"] < 0.05 else 1


def measured(counts: tuple[int, ...], num_steps: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each count and kind of caller."""
    rows = [asyncio.run(_row(count, num_steps, readers)) for count in counts for readers in READERS]
    figures: dict[str, float] = {}
    for row in rows:
        kind = "overhead_share" if row["callers_read"] == "whole" else "overhead_share_streaming"
        figures[f"{kind}_{row['sequences']}"] = row["share"]
    return figures, rows


async def _row(count: int, num_steps: int, readers: str) -> dict[str, Any]:
    model, steps, cpu = SleepingModel(), list[StepStats](), list[float]()

    def note(step: StepStats) -> None:
        steps.append(step)
        cpu.append(time.thread_time())

    blocks = -(-(PROMPT + num_steps) // 16) * count + count
    config = EngineConfig(
        num_blocks=blocks,
        max_running=count,
        max_waiting=count,
        max_step_tokens=count * PROMPT,  # all prompts in one step
        on_step=note,
    )
    sampling = SamplingParams(max_tokens=num_steps)
    async with Engine(model, config) as engine:
        streams = [engine.submit(Request(prompt_token_ids=[1] * PROMPT, sampling=sampling)) for _ in range(count)]
        await asyncio.gather(*map(_whole if readers == "whole" else _each_token, streams))
    outside = [
        after[0] - before[1]
        for before, after, step in zip(model.spans, model.spans[1:], steps[1:], strict=False)
        if not step.num_prefill_tokens
    ]
    inside = [end - begin for begin, end in model.spans]
    between, in_model = statistics.median(outside), statistics.median(inside)
    return {
        "sequences": count,
        "callers_read": readers,
        "outside_ms": 1000 * between,
        "model_ms": 1000 * in_model,
        "loop_cpu_ms": 1000 * statistics.median(after - before for before, after in itertools.pairwise(cpu[1:])),
        "us_per_sequence": 1e6 * between / count,
        "share": between / (between + in_model),
    }


async def _whole(stream: TokenStream) -> None:
    await stream.result()


async def _each_token(stream: TokenStream) -> None:
    async for _ in stream:
        pass


if __name__ == "__main__":
    sys.exit(main())
