"""The step after one that is in flight, planned before its tokens are known."""

from __future__ import annotations

from collections.abc import Sequence as Items

from batching.kv.block_tables import BlockTables
from batching.sequence import Sequence
from batching.step_plan import PlanRow, StepPlan


def rows_on_top_of(
    plan: StepPlan, running: Items[Sequence], tables: BlockTables, min_rows: int
) -> list[PlanRow] | None:
    """One token more for each sequence that `plan` does not end by length, or None where that depends on its tokens.

    All that runs must decode, by nothing but the model. A sequence that `plan` turns out to end takes part all
    the same: its result is dropped. None also where fewer than `min_rows` go on: others may take the places.
    """
    places = {row.owner.seq_id: index for index, row in enumerate(plan.rows)}
    if len(places) != len(running) or any(not row.samples or row.drafted for row in plan.rows):
        return None
    if any(not _is_the_models_alone(seq) or seq.seq_id not in places for seq in running):
        return None
    going_on = [seq for seq in running if seq.num_output + 1 < seq.max_tokens]
    if len(going_on) < min_rows:
        return None
    rows: list[PlanRow] = []
    for seq in going_on:
        if not tables.grow(seq, len(seq.tokens) + 1):
            return None
        rows.append(seq.row_after(places[seq.seq_id]))
    return rows


def _is_the_models_alone(seq: Sequence) -> bool:
    """Whether its next token and no other can follow, and is the model's to choose."""
    return seq.params.takes_likeliest and seq.drafter is None
