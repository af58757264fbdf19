"""What the judge of cells is trained to say of a table, how far off it is, and how often it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor

from documents.tables.judged.roles import MARKS, RELATIONS
from training.structure.cells.examples import CellExample
from training.structure.cells.network import CellNetwork

WEIGHTS = {"cell": 0.7, "row": 1.0, "column": 1.0, "marks": 0.6}
FAR_LINES, FAR_WIDTHS = 0.5, 0.25  # per line and type size between two pieces, by which a pair counts less
SMOOTHING = 0.01


@dataclass(frozen=True, slots=True)
class CellBatch:
    """`b` tables filled up to `n` pieces; as `CellExample`."""

    numbers: Tensor
    buckets: Tensor
    real: Tensor
    line: Tensor
    left: Tensor
    right: Tensor
    cells: Tensor
    marks: Tensor

    def __len__(self) -> int:
        return len(self.real)


def batch_of(examples: Sequence[CellExample], device: str) -> CellBatch:
    length = max(map(len, examples))

    def stacked(name: str, fill: int = 0) -> Tensor:
        arrays = [getattr(example, name) for example in examples]
        square = (length, length) if name == "buckets" else (length,)
        whole = np.full((len(arrays), *square, *arrays[0].shape[len(square) :]), fill, arrays[0].dtype)
        for index, array in enumerate(arrays):
            whole[(index, *(slice(len(array)) for _ in square))] = array
        return torch.from_numpy(whole).to(device, non_blocking=True)

    real = torch.arange(length)[None] < torch.tensor([[len(example)] for example in examples])
    return CellBatch(
        numbers=stacked("numbers").float(),
        buckets=stacked("buckets"),
        real=real.to(device),
        line=stacked("line", -1).float(),
        left=stacked("left"),
        right=stacked("right"),
        cells=stacked("cells", -1),
        marks=stacked("marks", -1),
    )


@dataclass(frozen=True, slots=True)
class PairTruth:
    """(b, n, n): what is true of pairs by relation, and how much each pair counts; (b, n, n) each."""

    truth: Mapping[str, Tensor]
    weight: Mapping[str, Tensor]


def pair_truth(batch: CellBatch) -> PairTruth:
    """Pairs of pieces in cells; of a piece in a cell and one outside, that they share nothing."""
    top, left, bottom, right = batch.cells.unbind(-1)
    inside = top >= 0
    both = inside[:, :, None] & inside[:, None]
    either = inside[:, :, None] | inside[:, None]
    real = batch.real[:, :, None] & batch.real[:, None]
    other = ~torch.eye(top.shape[1], dtype=torch.bool, device=top.device)
    rows = both & _meets(top, bottom)
    columns = both & _meets(left, right)
    cells = both & (top[:, :, None] == top[:, None]) & (left[:, :, None] == left[:, None])
    lines = (batch.line[:, :, None] - batch.line[:, None]).abs()
    apart = (
        torch.maximum(batch.left[:, :, None], batch.left[:, None])
        - torch.minimum(batch.right[:, :, None], batch.right[:, None])
    ).clamp(min=0)
    known = real & either & other
    near_lines = 1 / (1 + FAR_LINES * (lines - 1).clamp(min=0))
    near_columns = 1 / (1 + FAR_WIDTHS * apart)
    return PairTruth(
        truth={"cell": cells, "row": rows, "column": columns},
        weight={
            "cell": known * near_lines * near_columns,
            "row": known * near_lines,
            "column": (known & both) * near_columns,
        },
    )


def _meets(first: Tensor, end: Tensor) -> Tensor:
    return (first[:, :, None] < end[:, None]) & (first[:, None] < end[:, :, None])


def losses(network: CellNetwork, batch: CellBatch) -> dict[str, Tensor]:
    """The mean loss of each head; a table counts by the root of its number of pieces."""
    relations, marks = network(batch.numbers, batch.buckets, batch.real)
    pairs = pair_truth(batch)
    share = batch.real.sum(1).float().sqrt()
    share = share / share.sum()
    means: dict[str, Tensor] = {}
    for index, name in enumerate(RELATIONS):
        truth = pairs.truth[name].float() * (1 - 2 * SMOOTHING) + SMOOTHING
        value = F.binary_cross_entropy_with_logits(relations[:, index].float(), truth, reduction="none")
        weight = pairs.weight[name]
        means[name] = (share * (value * weight).sum((1, 2)) / weight.sum((1, 2)).clamp(min=1e-3)).sum()
    known = batch.marks >= 0
    value = F.binary_cross_entropy_with_logits(marks.float(), batch.marks.clamp(min=0).float(), reduction="none")
    means["marks"] = (share * (value * known).sum((1, 2)) / known.sum((1, 2)).clamp(min=1)).sum() * 4
    return means


@torch.no_grad()
def evaluated(network: CellNetwork, held: Sequence[CellExample], device: str, at_once: int = 8) -> dict[str, float]:
    """Of each relation, the share of pairs that are right, by their weight; of each mark its F1."""
    network.eval()
    right = dict.fromkeys(RELATIONS, 0.0)
    total = dict.fromkeys(RELATIONS, 0.0)
    hits = np.zeros((3, len(MARKS)))
    ordered = sorted(held, key=len)
    for begin in range(0, len(ordered), at_once):
        batch = batch_of(ordered[begin : begin + at_once], device)
        relations, marks = network(batch.numbers, batch.buckets, batch.real)
        pairs = pair_truth(batch)
        for index, name in enumerate(RELATIONS):
            weight = pairs.weight[name]
            right[name] += float((weight * ((relations[:, index] > 0) == pairs.truth[name])).sum())
            total[name] += float(weight.sum())
        known, true, predicted = batch.marks >= 0, batch.marks == 1, marks > 0
        for row, one in enumerate((predicted & true, predicted & ~true & known, ~predicted & true)):
            hits[row] += one.sum((0, 1)).cpu().numpy()
    network.train()
    f1 = 2 * hits[0] / np.maximum(1, 2 * hits[0] + hits[1] + hits[2])
    figures = {name: right[name] / max(1e-9, total[name]) for name in RELATIONS} | dict(
        zip(MARKS, f1.tolist(), strict=True)
    )
    return {name: round(value, 4) for name, value in figures.items()}
