"""Builds the padded tensors of one forward pass for transformers models (the safe route)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from batching.kv.block_pool import ceil_div
from batching.requests.rope_positions import positions_of
from batching.routes.paged_cache import CacheView
from batching.routes.token_slots import MAX_LENGTH_RATIO, Integers, as_tensor, slots_of
from batching.step_plan import PlanRow


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """B rows of Q new tokens, padded on the left, over L positions of KV."""

    rows: tuple[PlanRow, ...]
    input_ids: Tensor  # (B, Q)
    position_ids: Tensor  # (B, Q), or (axes, B, Q) where the axes of a row's rope differ; padding apart, see `Rope`
    attention_mask: Tensor  # (B, L), 1 where a position is real
    view: CacheView

    @classmethod
    def of(
        cls, rows: Items[PlanRow], block_size: int, device: torch.device, *, exact: bool, farthest: int = 0
    ) -> Batch:
        """Without `exact`, a pass of one token per row may be padded on the right too, up to a whole block.

        That is cheaper to gather, and the same to a model unless it looks at distances within the padded view, as a
        sliding window does. With `farthest`, each row begins with padding at that position: rope that looks at the
        largest position of the pass sees it there.
        """
        num_new = max(row.count for row in rows) + bool(farthest)
        ids = np.zeros((len(rows), num_new), np.int64)
        for at, row in enumerate(rows):
            ids[at, num_new - row.count :] = row.tokens[row.start : row.end]
        positions = _positions(rows, num_new, farthest)
        view, mask = _view(rows, num_new, block_size, device, by_block=num_new == 1 and not exact)
        return cls(
            rows=tuple(rows),
            input_ids=as_tensor(ids, device),
            position_ids=as_tensor(positions, device),
            attention_mask=as_tensor(mask, device),
            view=view,
        )


def _positions(rows: Items[PlanRow], num_new: int, farthest: int) -> Integers:
    """(B, Q) or (axes, B, Q); padding is at `farthest`."""
    packed = positions_of((row.owner.rope, row.start, row.end) for row in rows)
    if packed.shape[-1] == len(rows) * num_new:  # no padding
        return packed.reshape(*packed.shape[:-1], len(rows), num_new)
    positions = np.full((*packed.shape[:-1], len(rows), num_new), farthest)
    first = 0
    for at, row in enumerate(rows):
        positions[..., at, num_new - row.count :] = packed[..., first : first + row.count]
        first += row.count
    return positions


def grouped(rows: Items[PlanRow], places: Items[int]) -> Iterator[list[int]]:
    """Of `places`, those worth a pass together: all single tokens, then prompts of similar lengths."""
    group: list[int] = []
    for at in sorted(places, key=lambda place: rows[place].count):
        count, least = rows[at].count, rows[group[0]].count if group else 0
        if group and (count > least * MAX_LENGTH_RATIO or (count > 1) != (least > 1)):
            yield group
            group = []
        group.append(at)
    if group:
        yield group


def _view(
    rows: Items[PlanRow], num_new: int, block_size: int, device: torch.device, *, by_block: bool
) -> tuple[CacheView, Integers]:
    slots = [slots_of(row, 0, block_size) for row in rows]
    padded = any(row.count < num_new for row in rows)
    alone = not padded and all(row.end == num_new for row in rows)  # whole prompts of one length: nothing to gather
    read, mask = _by_block(rows, block_size) if by_block else _by_slot(slots, num_new)
    real = np.concatenate([at * num_new + np.arange(num_new - row.count, num_new) for at, row in enumerate(rows)])
    view = CacheView(
        batch=len(rows),
        num_new=num_new,
        length=num_new if alone else mask.shape[1],
        write=as_tensor(np.concatenate([slots[at][row.start :] for at, row in enumerate(rows)]), device),
        real=as_tensor(real, device) if padded else None,
        read=None if alone else as_tensor(read.reshape(-1), device),
        by_block=by_block,
    )
    return view, mask[:, :num_new] if alone else mask


def _by_slot(slots: list[Integers], least: int) -> tuple[Integers, Integers]:
    """Slots (B, L) padded on the left, and which are real; L is `least` or more."""
    length = max(least, *(len(row_slots) for row_slots in slots))
    read, mask = np.zeros((2, len(slots), length), np.int64)
    for at, row_slots in enumerate(slots):
        read[at, length - len(row_slots) :] = row_slots
        mask[at, length - len(row_slots) :] = 1
    return read, mask


def _by_block(rows: Items[PlanRow], block_size: int) -> tuple[Integers, Integers]:
    """Blocks (B, N) padded on the left, and which of the N * block_size positions are real."""
    counts = [ceil_div(row.end, block_size) for row in rows]
    most = max(counts)
    read = np.zeros((len(rows), most), np.int64)
    mask = np.zeros((len(rows), most * block_size), np.int64)
    for at, (row, count) in enumerate(zip(rows, counts, strict=True)):
        first = (most - count) * block_size
        read[at, most - count :] = row.blocks[:count]
        mask[at, first : first + row.end] = 1
    return read, mask
