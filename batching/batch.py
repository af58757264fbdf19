"""Batch: the tensors of one forward pass, made of plan rows."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.blocks import PADDING_BLOCK
from batching.paged_cache import CacheView
from batching.plan import PlanRow

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """B rows of Q new tokens, padded on the left, over L positions of KV."""

    rows: tuple[PlanRow, ...]
    input_ids: Tensor  # (B, Q)
    position_ids: Tensor  # (B, Q), from 0 at each row's first real token
    attention_mask: Tensor  # (B, L), 1 where a position is real
    view: CacheView

    @classmethod
    def of(
        cls, rows: Items[PlanRow], block_size: int, device: torch.device, *, exact: bool, farthest: int = 0
    ) -> Batch:
        """Without `exact`, a pass of one token a row may be padded on the right too, up to a whole block.

        That is cheaper to gather, and the same to a model unless it looks at distances within the padded view, as a
        sliding window does. With `farthest`, each row begins with padding at that position: rope that looks at the
        largest position of the pass sees it there.
        """
        num_new = max(row.count for row in rows) + bool(farthest)
        ids = np.zeros((len(rows), num_new), np.int64)
        positions = np.full_like(ids, farthest)
        for at, row in enumerate(rows):
            ids[at, num_new - row.count :] = row.tokens[row.start : row.end]
            positions[at, num_new - row.count :] = np.arange(row.start, row.end)
        view, mask = _view(rows, num_new, block_size, device, by_block=num_new == 1 and not exact)
        return cls(
            rows=tuple(rows),
            input_ids=_tensor(ids, device),
            position_ids=_tensor(positions, device),
            attention_mask=_tensor(mask, device),
            view=view,
        )


def grouped(rows: Items[PlanRow], places: Items[int]) -> Iterator[list[int]]:
    """Of `places`, those worth a pass together: all single tokens, then prompts of lengths within 1.5 times."""
    group: list[int] = []
    for at in sorted(places, key=lambda each: rows[each].count):
        count, least = rows[at].count, rows[group[0]].count if group else 0
        if group and (count > least * 1.5 or (count > 1) != (least > 1)):
            yield group
            group = []
        group.append(at)
    if group:
        yield group


def _view(
    rows: Items[PlanRow], num_new: int, block_size: int, device: torch.device, *, by_block: bool
) -> tuple[CacheView, Integers]:
    slots = [_slots(row, block_size) for row in rows]
    padded = any(row.count < num_new or row.padding for row in rows)
    alone = not padded and all(row.end == num_new for row in rows)  # whole prompts of one length: nothing to gather
    read, mask = _by_block(rows, block_size) if by_block else _by_slot(slots, num_new)
    writing = [(at, row) for at, row in enumerate(rows) if not row.padding]
    nothing = np.zeros(0, np.int64)
    real = np.concatenate([nothing, *(at * num_new + np.arange(num_new - row.count, num_new) for at, row in writing)])
    view = CacheView(
        batch=len(rows),
        num_new=num_new,
        length=num_new if alone else mask.shape[1],
        write=_tensor(np.concatenate([nothing, *(slots[at][row.start :] for at, row in writing)]), device),
        real=_tensor(real, device) if padded else None,
        read=None if alone else _tensor(read.reshape(-1), device),
        by_block=by_block,
    )
    return view, mask[:, :num_new] if alone else mask


def _slots(row: PlanRow, block_size: int) -> Integers:
    """Where the KV of a row's tokens lies, from its first token to the last of the step."""
    if row.padding:
        return np.zeros(row.end, np.int64)
    blocks = np.asarray(row.blocks, np.int64)
    return (blocks[:, None] * block_size + np.arange(block_size)).reshape(-1)[: row.end]


def _by_slot(slots: list[Integers], least: int) -> tuple[Integers, Integers]:
    """Slots (B, L) padded on the left, and which are real; L is `least` or more."""
    length = max(least, *(len(each) for each in slots))
    read, mask = np.zeros((2, len(slots), length), np.int64)
    for at, each in enumerate(slots):
        read[at, length - len(each) :] = each
        mask[at, length - len(each) :] = 1
    return read, mask


def _by_block(rows: Items[PlanRow], block_size: int) -> tuple[Integers, Integers]:
    """Blocks (B, N) padded on the left, and which of the N * block_size positions are real."""
    counts = [-(-row.end // block_size) for row in rows]
    most = max(counts)
    read = np.zeros((len(rows), most), np.int64)
    mask = np.zeros((len(rows), most * block_size), np.int64)
    for at, (row, count) in enumerate(zip(rows, counts, strict=True)):
        first = (most - count) * block_size
        read[at, most - count :] = list(row.blocks[:count]) or PADDING_BLOCK
        mask[at, first : first + row.end] = 1
    return read, mask


def _tensor(array: Integers, device: torch.device) -> Tensor:
    return torch.as_tensor(array, dtype=torch.int64, device=device)
