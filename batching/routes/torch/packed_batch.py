"""Builds the tensors of one forward pass without padding (the torch route): decode groups and prompt parts."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from batching.kv.block_pool import ceil_div
from batching.requests.rope_positions import positions_of
from batching.routes.row_groups import MAX_LENGTH_RATIO, Integers, as_tensor, slots_of
from batching.step_plan import PlanRow

MIN_GROUP_ROWS = 4


@dataclass(frozen=True, slots=True, eq=False)
class DecodeGroup:
    """Rows with one query each, of similar length."""

    tokens: Tensor  # which of the queries they are
    read: Tensor  # (B * N) blocks, padded on the right with the padding block
    mask: Tensor  # (B, 1, 1, N * block size), true where KV is real


@dataclass(frozen=True, slots=True, eq=False)
class PromptPart:
    """Several new tokens of one row; `read` and `mask` (Q, L) are None where nothing came before."""

    tokens: slice
    read: Tensor | None
    mask: Tensor | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pack:
    """T new tokens of all rows, one after the other."""

    token_ids: Tensor  # (T)
    position_ids: Tensor  # (T), or (axes, T) where the axes of a row's rope differ; see `Rope`
    firsts: Integers  # (B), of each row, its first token's place among the T
    lasts: Tensor  # (B), of each row, its last token's place
    write: Tensor  # slots of the new tokens
    decodes: list[DecodeGroup]  # of the rows of one new token
    prompts: list[PromptPart]

    @classmethod
    def of(cls, rows: Items[PlanRow], block_size: int, device: torch.device) -> Pack:
        """Rows of one token are read together, others alone."""
        counts = np.array([row.count for row in rows])
        ends = counts.cumsum()
        firsts = ends - counts
        single = [index for index, row in enumerate(rows) if row.count == 1 and row.end > 1]
        return cls(
            token_ids=as_tensor(np.concatenate([row.tokens[row.start : row.end] for row in rows]), device),
            position_ids=as_tensor(positions_of((row.owner.rope, row.start, row.end) for row in rows), device),
            firsts=firsts,
            lasts=as_tensor(ends - 1, device),
            write=as_tensor(np.concatenate([slots_of(row, row.start, block_size) for row in rows]), device),
            decodes=[
                _decode_group([rows[index] for index in group], firsts[group], block_size, device)
                for group in _by_length(rows, single)
            ],
            prompts=[
                _prompt_part(row, slice(first, end), block_size, device)
                for row, first, end in zip(rows, firsts.tolist(), ends.tolist(), strict=True)
                if row.count > 1 or row.end == 1
            ],
        )


def _by_length(rows: Items[PlanRow], single: Items[int]) -> list[list[int]]:
    """The rows `single`, grouped so that none is padded far beyond its length."""
    groups: list[list[int]] = []
    for index in sorted(single, key=lambda index: rows[index].end, reverse=True):
        longest = rows[groups[-1][0]].end if groups else 0
        if not groups or (len(groups[-1]) >= MIN_GROUP_ROWS and rows[index].end * MAX_LENGTH_RATIO < longest):
            groups.append([])
        groups[-1].append(index)
    return [sorted(group) for group in groups] if len(groups) == 1 else groups


def _decode_group(rows: list[PlanRow], places: Integers, block_size: int, device: torch.device) -> DecodeGroup:
    ends = np.array([row.end for row in rows])
    num_blocks = ceil_div(int(ends.max()), block_size)
    read = np.zeros((len(rows), num_blocks), np.int64)
    for of_row, row in zip(read, rows, strict=True):
        blocks = row.blocks[:num_blocks]
        of_row[: len(blocks)] = blocks
    mask = np.arange(num_blocks * block_size) < ends[:, None]
    return DecodeGroup(
        as_tensor(places, device),
        as_tensor(read.reshape(-1), device),
        torch.as_tensor(mask, device=device)[:, None, None],
    )


def _prompt_part(row: PlanRow, tokens: slice, block_size: int, device: torch.device) -> PromptPart:
    if row.start == 0:
        return PromptPart(tokens, None, None)
    blocks = row.blocks[: ceil_div(row.end, block_size)]
    mask = np.arange(len(blocks) * block_size) <= np.arange(row.start, row.end)[:, None]
    return PromptPart(tokens, as_tensor(np.asarray(blocks, np.int64), device), torch.as_tensor(mask, device=device))
