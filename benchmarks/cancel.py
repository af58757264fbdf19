"""How long work goes on for a client that is gone: in steps of the engine, and in seconds by the whole way over HTTP.

A request is aborted before, between and within steps, while others wait for its place; counted are the steps that end
after the abort until its blocks are free, the one that was under way among them.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any

from batching import Engine, EngineConfig, Request, RequestStats, SamplingParams, TokenStream
from batching.loading.models import load_causal_lm
from benchmarks.harness import cancel_client
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.workloads import decoder

NUM_RUNNING = 8


def main() -> int:
    parser = parser_of(__doc__, quick="one abort of each kind after few steps, not after many")
    parser.add_argument("--engine-only", action="store_true", help="without a server")
    args = parser.parse_args()
    figures, rows = measured(load_causal_lm(decoder()), after=(1, 5) if args.quick else (1, 2, 5, 20, 60))
    print(table(rows))
    if not args.engine_only:
        departures = cancel_client.measured(repeats=2 if args.quick else 5)
        print(table(departures))
        figures["max_seconds_to_free"] = max(row["seconds_to_free"] for row in departures)
        rows += departures
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "cancel", figures, rows)
    return 0 if figures["max_steps_to_free"] <= 1 and figures.get("max_seconds_to_free", 0.0) < 1 else 1


def measured(runner: Any, after: tuple[int, ...]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row an abort: `after` so many tokens, by each way to leave."""
    rows = [asyncio.run(_aborted(runner, how, num_tokens)) for how in LEAVE for num_tokens in after]
    figures = {
        "max_steps_to_free": float(max(row["steps_to_free"] for row in rows)),
        "blocks_left": float(max(row["blocks_left"] for row in rows)),
    }
    return figures, rows


async def _by_abort(stream: TokenStream) -> None:
    stream.abort()


async def _by_close(stream: TokenStream) -> None:
    await stream.aclose()


async def _by_cancelled_task(stream: TokenStream) -> None:
    task = asyncio.ensure_future(stream.result())
    await asyncio.sleep(0)  # it waits now
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _watched(stream: TokenStream, engine: Engine) -> list[int]:
    """Receives how many steps had run in the moment in which the stream aborts its sequence.

    A task that is cancelled does so a turn of the loop later, in which one more step may have ended.
    """
    num_steps: list[int] = []
    abort = stream._abort

    def counting_abort(seq: Any) -> None:
        num_steps.append(engine.stats().num_steps)
        abort(seq)

    stream._abort = counting_abort
    return num_steps


LEAVE = {"abort": _by_abort, "aclose": _by_close, "cancelled task": _by_cancelled_task}


async def _aborted(runner: Any, how: str, num_tokens: int) -> dict[str, Any]:
    freed: dict[str, int] = {}  # by label: steps that had run when its blocks were free

    def note(ended: RequestStats) -> None:
        freed[ended.label] = engine.stats().num_steps

    async with Engine(runner, EngineConfig(max_running=NUM_RUNNING, on_finish=note)) as engine:
        prompt, sampling = [*range(5, 37)], SamplingParams(max_tokens=200)
        streams = [
            engine.submit(Request(prompt_token_ids=prompt, sampling=sampling, label=str(number)))
            for number in range(NUM_RUNNING + 2)
        ]
        for _ in range(num_tokens):
            await anext(streams[0])
        num_steps_at_abort = _watched(streams[0], engine)
        await LEAVE[how](streams[0])
        await streams[0].result()
        num_steps = freed["0"] - num_steps_at_abort[0]
        for stream in streams[1:]:
            await stream.aclose()
        stats = engine.stats()
    left = stats.num_blocks - stats.num_free_blocks
    return {"how": how, "after_tokens": num_tokens, "steps_to_free": num_steps, "blocks_left": left}


if __name__ == "__main__":
    sys.exit(main())
