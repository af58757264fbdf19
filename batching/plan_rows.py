"""Makes the rows of a step plan from sequences."""

from __future__ import annotations

from batching.beam import Branch
from batching.sequence import Sequence
from batching.step_plan import PlanRow


def row_of(seq: Sequence, at: int, branch: Branch, count: int, decodes: bool) -> PlanRow:
    """The next `count` tokens of branch `at`; `decodes` is that of the sequence."""
    return PlanRow(  # by place: by name it takes three times as long
        seq.seq_id,
        branch.tokens,
        branch.num_computed,
        count,
        branch.blocks,
        seq.params,
        decodes,
        seq.label,
        at,
        0 if seq.beams is None else seq.beams.num_candidates,
        seq.pixels,
        seq.features,
        seq.prompt.generator,
        seq.rope,
        False,
        seq.matcher,
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
        rope=seq.rope,
        fed_by=fed_by,
    )
