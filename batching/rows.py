"""Rows of a plan, made of the sequences that they advance."""

from __future__ import annotations

from batching.beam import Branch
from batching.plan import PlanRow
from batching.sampling import SamplingParams
from batching.sequence import Sequence

NOBODY = -1
"""The sequence of padding rows."""


def row_of(seq: Sequence, at: int, branch: Branch, count: int) -> PlanRow:
    """The next `count` tokens of branch `at`."""
    return PlanRow(
        seq_id=seq.seq_id,
        branch=at,
        tokens=branch.tokens,
        start=branch.num_computed,
        count=count,
        blocks=branch.blocks,
        params=seq.params,
        num_candidates=0 if seq.beams is None else seq.beams.num_candidates,
        label=seq.label,
        decodes=seq.decoding,
        image=seq.image,
        features=seq.features,
        generator=seq.generator,
    )


def row_ahead(seq: Sequence, branch: Branch, fed_by: int) -> PlanRow:
    """The token that row `fed_by` of the step in flight samples."""
    return PlanRow(
        seq_id=seq.seq_id,
        tokens=branch.tokens,
        start=len(branch.tokens),
        count=1,
        blocks=tuple(branch.blocks),  # as they are now: when this step is over the sequence may have ended before it
        params=seq.params,
        label=seq.label,
        decodes=True,
        fed_by=fed_by,
    )


def padding_row(length: int) -> PlanRow:
    """A row that has ended, of a static batch that is `length` tokens long by now."""
    return PlanRow(
        seq_id=NOBODY,
        tokens=[0] * length,
        start=length - 1,
        count=1,
        blocks=(),
        params=SamplingParams(),
        decodes=False,
        padding=True,
    )
