"""Speculative decoding: decides which draft tokens are verified in a step, and which the model accepts."""

from __future__ import annotations

from collections.abc import Sequence as Items

from batching.engine_config import EngineConfig
from batching.kv.block_tables import BlockTables
from batching.requests.completion import FinishReason
from batching.sampling.prompt_lookup import Drafter
from batching.sequence import Sequence
from batching.step_plan import PlanRow, RowResult


class Drafting:
    """Drafts take only the rows, tokens and blocks that a step has to spare, and change no token of any output.

    A draft is a row of its own, a decode at the place where its token would be: its logits choose the token after it,
    which counts only if the model itself chose the draft.
    """

    def __init__(self, config: EngineConfig, tables: BlockTables) -> None:
        self._config = config
        self._tables = tables
        self.num_proposed = 0
        self.num_accepted = 0

    def begin(self, seq: Sequence) -> None:
        """Give a new sequence its drafter, if its tokens depend on the model alone and it is never computed again."""
        if not self._config.max_drafts or self._config.mode != "continuous":
            return
        if seq.params.takes_likeliest and seq.prompt.recompute_beyond is None:
            seq.drafter = self._config.drafter()

    def extended(self, rows: list[PlanRow], seqs: dict[int, Sequence], num_spare: int) -> list[PlanRow]:
        """`rows` that decode, each followed by those of its drafts, at most `num_spare` of all."""
        if not self._config.max_drafts or num_spare <= 0:
            return rows
        extended: list[PlanRow] = []
        for row in rows:
            extended.append(row)
            seq = seqs[row.seq_id]
            if seq.drafter is not None and num_spare > 0:
                drafts = self._rows(seq, seq.drafter, num_spare)
                num_spare -= len(drafts)
                extended += drafts
        return extended

    def confirm(
        self,
        seq: Sequence,
        rows: Items[PlanRow],
        results: Items[RowResult],
        reason: FinishReason | None,
        now: float,
    ) -> FinishReason | None:
        """Append the tokens after drafts that are what the model chose; the reason to end, `reason` or theirs."""
        (branch,) = seq.branches
        for row, result in zip(rows, results, strict=True):
            if reason is not None or result.error is not None or row.tokens[-1] != branch.tokens[-1]:
                break
            branch.num_computed = row.end
            self.num_accepted += 1
            reason = seq.append(result, now)
        self._tables.trim(branch)
        return reason

    def give_up(self, seq: Sequence) -> None:
        """No more drafts for a sequence; what a step did for it is done again."""
        seq.drafter = None
        self._tables.trim(seq.branches[0])

    def _rows(self, seq: Sequence, drafter: Drafter, num_spare: int) -> list[PlanRow]:
        (branch,) = seq.branches
        count = min(self._config.max_drafts, num_spare, seq.max_tokens - seq.num_output - 1)
        tokens = branch.tokens
        rows: list[PlanRow] = []
        for token in drafter.propose(tokens, count)[:count] if count > 0 else ():
            if not self._tables.own_slot(seq.seq_id, branch, len(tokens)):
                break
            tokens = [*tokens, token]
            row = PlanRow(seq.seq_id, tokens, len(tokens) - 1, 1, branch.blocks, seq.params, decodes=True, drafted=True)
            row.label, row.rope = seq.label, seq.rope
            rows.append(row)
        self.num_proposed += len(rows)
        return rows
