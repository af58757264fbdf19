"""A step that the device is computing and whose result is not read yet."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.sampling.guide_masks import Masks
from batching.sampling.sampler import GreedyPicks
from batching.step_plan import PlanRow, StepPlan


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """`places` are those of the rows that reached the model, none if the step that feeds it did not."""

    plan: StepPlan
    places: list[int]
    rows: Items[PlanRow]  # those that reached the model
    features: Mapping[int, Any]
    failures: Mapping[int, RequestFailed]  # by sequence
    logits: Tensor | None = None  # (rows, vocabulary), until the next step is launched
    picks: GreedyPicks | None = None  # on the host once `ready`
    masks: Future[Masks] | None = None  # None where no row has a guide
    ready: torch.cuda.Event | None = None  # None on a CPU, where they are there already

    def wait(self) -> None:
        """Until the device has computed it."""
        if self.ready is not None:
            self.ready.synchronize()


def copy_to_host_async(picks: GreedyPicks) -> tuple[GreedyPicks, torch.cuda.Event | None]:
    """`picks` on the host, and the event after which they are there; None on a CPU, where they are already."""
    if picks.tokens.device.type != "cuda":
        return picks, None
    host = GreedyPicks(
        picks.tokens.to("cpu", non_blocking=True),
        picks.finite.to("cpu", non_blocking=True),
        None if picks.logprobs is None else picks.logprobs.to("cpu", non_blocking=True),
    )
    ready = torch.cuda.Event()
    ready.record()
    return host, ready
