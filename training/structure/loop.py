"""The run of a training by the clock: the rate follows it, and the running mean of the weights is what comes out."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from training.schedule import Schedule

RATE, WEIGHT_DECAY = 1.2e-3, 0.02
FALL = 0.9  # of a run in which its rate falls
EMA = 0.998
MAX_GRADIENT = 1.0
EVALUATIONS = 8  # in a run

Log = list[dict[str, float]]
Network = TypeVar("Network", bound=nn.Module)
Batch = TypeVar("Batch", bound=Sized)
Sample = TypeVar("Sample", bound=Sized)
Made = TypeVar("Made")


def trained(
    network: Network,
    batches: Iterator[Batch],
    losses: Callable[[Network, Batch], Mapping[str, Tensor]],
    weights: Mapping[str, float],
    evaluate: Callable[[Network], dict[str, float]],
    write: Callable[[Network], None],
    *,
    seconds: float,
    device: str,
    rate: float = 1.0,
) -> Log:
    """Train for `seconds`; after each evaluation the mean of the weights is written. A batch's length is its pages.

    `losses` are those of each head, `weights` what each counts, `rate` is of the usual one.
    """
    averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(EMA), use_buffers=True)
    mean = cast("Network", averaged.module)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY, betas=(0.9, 0.98))
    schedule = Schedule(budget_s=seconds, fall=FALL)
    begun, step, passes, due, log = time.monotonic(), 0, 0, 0.0, Log()
    means: dict[str, float] = {}

    def evaluated(spent: float) -> None:
        log.append({"seconds": round(spent), "pages_seen": passes, **evaluate(mean)})
        print(log[-1], flush=True)
        write(mean)

    for batch in batches:
        spent = time.monotonic() - begun
        if spent >= seconds:
            break
        for group in optimizer.param_groups:
            group["lr"] = RATE * rate * schedule.rate(step, spent)
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=device != "cpu"):
            by_head = losses(network, batch)
        _step(network, optimizer, sum((weight * by_head[name] for name, weight in weights.items()), torch.zeros(())))
        averaged.update_parameters(network)
        step, passes = step + 1, passes + len(batch)
        if step % 50 == 0:
            means = {name: round(value.item(), 3) for name, value in by_head.items()}
        if spent >= due:
            due += seconds / EVALUATIONS
            print(f"{spent:.0f} s, step {step}, {passes} pages, {means}", flush=True)
            if step > 1:
                evaluated(spent)
    evaluated(seconds)
    return log


def _step(network: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
    optimizer.step()


def made_ahead(
    samples: Sequence[Sample], pairs: int, seed: int, made: Callable[[list[Sample]], Made], threads: int = 4
) -> Iterator[Made]:
    """Batches without end: samples of like length together, `pairs` of tokens at most, in another order each time."""
    source = _groups(samples, pairs, random.Random(seed))
    with ThreadPoolExecutor(threads) as pool:
        ahead = [pool.submit(made, next(source)) for _ in range(2 * threads)]
        while True:
            yield ahead.pop(0).result()
            ahead.append(pool.submit(made, next(source)))


def _groups(samples: Sequence[Sample], pairs: int, chance: random.Random) -> Iterator[list[Sample]]:
    while True:
        by_length = sorted(samples, key=lambda sample: len(sample) * chance.uniform(0.9, 1.1))
        parts: list[list[Sample]] = [[]]
        for sample in by_length:
            longest = max(map(len, (*parts[-1][-1:], *parts[-1][:1], sample)))
            if parts[-1] and (len(parts[-1]) + 1) * longest**2 > pairs:
                parts.append([])
            parts[-1].append(sample)
        chance.shuffle(parts)
        yield from parts
