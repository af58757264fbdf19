"""What the structure network is trained to say of a page, and how far off it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor

from documents.layout.structure.structure_network import PageScores
from training.structure.network.examples import NO_RANK, UNKNOWN_TABLE, Example

END = -2  # in place of a follower
SMOOTHING = 0.02
NEAR_PAIRS = 0.2  # a pair that stands k places apart weighs 1 / (1 + NEAR_PAIRS * k)
WEIGHTS = {"role": 1.5, "next": 1.5, "before": 1.0, "table": 1.0}
BESIDE_A_TABLE = 0.3  # weight of a pair of which one segment is of no table


@dataclass(frozen=True, slots=True)
class Targets:
    """Of `b` pages with `n` tokens: role (b, n), -1 unknown; follower (b, n), n at the end of a block, -1 unknown; rank
    (b, n) float32, NO_RANK where there is none; table (b, n), NO_TABLE or UNKNOWN_TABLE where there is none.
    """

    role: Tensor
    follower: Tensor
    rank: Tensor
    table: Tensor


def followers(example: Example) -> np.ndarray:
    """int64 (segments,): the segment that goes on with each in its block, END at the end of one, -1 unknown."""
    result = np.where(example.block >= 0, END, -1).astype(np.int64)
    for block in np.unique(example.block[example.block >= 0]):
        members = np.flatnonzero(example.block == block)
        members = members[np.argsort(example.place[members], kind="stable")]
        result[members[:-1]] = members[1:]
    return result


@dataclass(frozen=True, slots=True)
class Truth:
    """What one page is to give.

    role: int8; follower: int64, END at the end of a block, -1 unknown; rank: float32; table: int16, as in `Example`.
    """

    role: np.ndarray
    follower: np.ndarray
    rank: np.ndarray
    table: np.ndarray

    @classmethod
    def of(cls, example: Example) -> Truth:
        return cls(example.role, followers(example), dense_ranks(example), example.table)


def targets_of(truths: Sequence[Truth], length: int, device: str) -> Targets:
    """The truths side by side, filled up to `length` tokens."""
    role = np.full((len(truths), length), -1, np.int64)
    follower = np.full((len(truths), length), -1, np.int64)
    rank = np.full((len(truths), length), NO_RANK, np.float32)
    table = np.full((len(truths), length), UNKNOWN_TABLE, np.int64)
    for index, truth in enumerate(truths):
        count = len(truth.role)
        role[index, :count] = truth.role
        follower[index, :count] = np.where(truth.follower == END, length, truth.follower)
        rank[index, :count] = truth.rank
        table[index, :count] = truth.table
    return Targets(*(torch.from_numpy(array).to(device) for array in (role, follower, rank, table)))


def dense_ranks(example: Example) -> np.ndarray:
    """float32 (segments,): places in the reading order, 0, 1, ...; segments of one block in theirs."""
    ranked = np.flatnonzero(example.rank > NO_RANK)
    order = ranked[np.lexsort((example.place[ranked], example.rank[ranked]))]
    result = np.full(len(example.rank), NO_RANK, np.float32)
    result[order] = np.arange(len(order))
    return result


def losses(scores: PageScores, targets: Targets) -> dict[str, Tensor]:
    """The mean loss of each head."""
    known = targets.follower >= 0
    difference = targets.rank[:, None] - targets.rank[:, :, None]
    ranked = targets.rank > NO_RANK
    weight = (ranked[:, None] & ranked[:, :, None] & (difference != 0)) / (1 + NEAR_PAIRS * difference.abs())
    before = F.binary_cross_entropy_with_logits(scores.before.float(), (difference > 0).float(), reduction="none")
    return {
        "role": F.cross_entropy(
            scores.role.float().transpose(1, 2), targets.role, ignore_index=-1, label_smoothing=SMOOTHING
        ),
        "next": F.cross_entropy(scores.next.float()[known], targets.follower[known]),
        "before": (before * weight).sum() / weight.sum().clamp(min=1),
        "table": table_loss(scores, targets),
    }


def table_loss(scores: PageScores, targets: Targets) -> Tensor:
    """Of pairs of which one at least is of a table."""
    in_table, known = targets.table >= 0, targets.table > UNKNOWN_TABLE
    both = in_table[:, None] & in_table[:, :, None]
    weight = torch.where(both, 1.0, BESIDE_A_TABLE) * (_pairs(known) & (in_table[:, None] | in_table[:, :, None]))
    same = both & (targets.table[:, None] == targets.table[:, :, None])
    loss = F.binary_cross_entropy_with_logits(scores.table.float(), same.float(), reduction="none")
    return (loss * weight).sum() / weight.sum().clamp(min=1)


def _pairs(chosen: Tensor) -> Tensor:
    """(b, n, n): two that are `chosen` (b, n), and not the same one."""
    others = ~torch.eye(chosen.shape[1], dtype=torch.bool, device=chosen.device)
    return chosen[:, None] & chosen[:, :, None] & others


@dataclass(frozen=True, slots=True)
class Counts:
    """Right answers of a head, and all of its answers."""

    right: int = 0
    total: int = 0

    def and_of(self, right: Tensor) -> Counts:
        return Counts(self.right + int(right.sum()), self.total + right.numel())

    @property
    def share(self) -> float:
        return self.right / max(1, self.total)


def judged(scores: PageScores, targets: Targets) -> dict[str, Tensor]:
    """Of each head, which answers are right."""
    ranked = targets.rank > NO_RANK
    pairs = ranked[:, None] & ranked[:, :, None] & (targets.rank[:, None] > targets.rank[:, :, None])
    known = targets.follower >= 0
    in_tables, same = _pairs(targets.table >= 0), targets.table[:, None] == targets.table[:, :, None]
    return {
        "role": (scores.role.argmax(-1) == targets.role)[targets.role >= 0],
        "next": (scores.next.argmax(-1) == targets.follower)[known],
        "before": (scores.before > 0)[pairs],
        "one_table": (scores.table > 0)[in_tables & same],
        "two_tables": (scores.table <= 0)[in_tables & ~same],
    }
