"""Builds the padded tensors of one forward pass for transformers models (the transformers route)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from batching.requests.rope_positions import positions_of
from batching.routes.paged_cache import CacheView
from batching.routes.row_groups import MAX_LENGTH_RATIO, Integers, as_tensor, slots_of
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
        cls, rows: Items[PlanRow], block_size: int, device: torch.device, scratch_slot: int, *, farthest: int = 0
    ) -> Batch:
        """`scratch_slot`: of rows without one. With `farthest`, each row begins with padding at that position.

        So rope that looks at the largest position of the pass sees it there.
        """
        num_new = max(row.count for row in rows) + bool(farthest)
        slots = [slots_of(row, 0, block_size) for row in rows]
        length = max(num_new, *(row.end for row in rows))
        ids = np.zeros((len(rows), num_new), np.int64)
        read, mask = np.zeros((2, len(rows), length), np.int64)
        for index, row in enumerate(rows):
            ids[index, num_new - row.count :] = row.tokens[row.start : row.end]
            read[index, length - row.end :] = slots[index]
            mask[index, length - row.end :] = 1
        padded = any(row.count < num_new for row in rows)
        whole = not padded and all(row.end == num_new for row in rows)  # prompts of one length: nothing to gather
        real = [index * num_new + np.arange(num_new - row.count, num_new) for index, row in enumerate(rows)]
        write = [row_slots[row.start :] for row, row_slots in zip(rows, slots, strict=True)]
        return cls(
            rows=tuple(rows),
            input_ids=as_tensor(ids, device),
            position_ids=as_tensor(_positions(rows, num_new, farthest), device),
            attention_mask=as_tensor(mask, device),
            view=CacheView(
                batch=len(rows),
                num_new=num_new,
                length=length,
                write=as_tensor(np.concatenate(write), device),
                real=as_tensor(np.concatenate(real), device) if padded else None,
                read=None if whole else as_tensor(read.reshape(-1), device),
                states=as_tensor(
                    np.array([scratch_slot if row.slot is None else row.slot for row in rows], np.int64), device
                ),
                begins=all(row.start == 0 for row in rows),
            ),
        )


def _positions(rows: Items[PlanRow], num_new: int, farthest: int) -> Integers:
    """(B, Q) or (axes, B, Q); padding is at `farthest`."""
    packed = positions_of((row.owner.rope, row.start, row.end) for row in rows)
    positions = np.full((*packed.shape[:-1], len(rows), num_new), farthest)
    first = 0
    for index, row in enumerate(rows):
        positions[..., index, num_new - row.count :] = packed[..., first : first + row.count]
        first += row.count
    return positions


def grouped(rows: Items[PlanRow], indices: Items[int]) -> Iterator[list[int]]:
    """Of `indices`, those worth a pass together: all single tokens, then prompts of similar lengths."""
    group: list[int] = []
    for index in sorted(indices, key=lambda index: rows[index].count):
        count = rows[index].count
        smallest = rows[group[0]].count if group else 0
        if group and (count > smallest * MAX_LENGTH_RATIO or (count > 1) != (smallest > 1)):
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def grouped_for_states(rows: Items[PlanRow], indices: Items[int]) -> Iterator[list[int]]:
    """Of `indices`, those that are one pass of a model with recurrent layers: padding would enter their states.

    All have as many new tokens, and all begin, or none does.
    """
    groups: dict[tuple[bool, int], list[int]] = {}
    for index in indices:
        groups.setdefault((rows[index].start > 0, rows[index].count), []).append(index)
    yield from groups.values()
