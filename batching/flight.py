"""Flight: a step that was launched; what came of it is on its way to the host."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.plan import PlanRow, StepPlan
from batching.sampler import Picks


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """`rows` are those that reached the model, none if the step that feeds it did not; `failures` are by sequence."""

    plan: StepPlan
    rows: list[PlanRow]
    features: Mapping[int, Any]
    failures: Mapping[int, RequestFailed]
    logits: Tensor | None = None  # (rows, vocabulary), until the next step is launched
    picks: Picks | None = None  # on the host once `landed`
    landed: torch.cuda.Event | None = None

    def wait(self) -> None:
        """Until the device has computed it."""
        if self.landed is not None:
            self.landed.synchronize()


def on_its_way(picks: Picks) -> tuple[Picks, torch.cuda.Event | None]:
    """`picks` on the host, and what tells when they are there; None where they are already."""
    if picks.tokens.device.type != "cuda":
        return picks, None
    host = Picks(*(each.to("cpu", non_blocking=True) for each in (picks.tokens, picks.finite, picks.logprobs)))
    landed = torch.cuda.Event()
    landed.record()
    return host, landed
