"""Speculative decoding: decides which draft tokens are verified in a step, and which the model accepts."""

from __future__ import annotations

from collections.abc import Iterable

from batching.engine_config import EngineConfig
from batching.kv.block_tables import BlockTables
from batching.requests.ctc_columns import Draft
from batching.sampling.prompt_lookup import Drafter
from batching.sampling.text_draft import TextDraft
from batching.sequence import Sequence
from batching.step_plan import PlanRow


class Drafting:
    """Drafts take only the rows, tokens and blocks that a step has to spare, and change no token of any output.

    A draft is a row of its own, a decode at the place where its token would be: its logits choose the token after it,
    which counts only if the model itself chose the draft.
    """

    def __init__(self, config: EngineConfig, tables: BlockTables) -> None:
        self._max_drafts = config.max_drafts
        self._new_drafter = config.drafter
        self._tables = tables
        self._is_drafting = self._max_drafts > 0  # whether any sequence has had a drafter
        self.num_proposed = 0
        self.num_accepted = 0

    def begin(self, seq: Sequence) -> None:
        """Give a new sequence its drafter, if there are any."""
        if self._max_drafts and _may_be_drafted(seq):
            seq.drafter = self._new_drafter()

    def suggest(self, seq: Sequence, draft: Draft) -> None:
        """Take what the vision side read for the drafts of a sequence that has no drafter, or not yet."""
        if _may_be_drafted(seq) and seq.drafter is None:
            seq.drafter = TextDraft(draft, seq.num_prompt)
            self._is_drafting = True

    def extended(self, rows: list[PlanRow], seqs: dict[int, Sequence], num_spare: int, num_idle: int) -> list[PlanRow]:
        """`rows` that decode, each followed by those of its drafts, at most `num_spare` of all.

        Of those that are looked up at most `num_idle`: they are often wrong, and a full batch leaves nothing idle.
        """
        if not self._is_drafting or num_spare <= 0:
            return rows
        extended: list[PlanRow] = []
        for row in rows:
            extended.append(row)
            seq = seqs[row.owner.seq_id]
            if seq.drafter is None:
                continue
            limit = num_spare if isinstance(seq.drafter, TextDraft) else min(self._max_drafts, num_spare, num_idle)
            drafts = self._rows(seq, seq.drafter, limit)
            num_spare -= len(drafts)
            num_idle -= len(drafts)
            extended += drafts
        return extended

    def accepts(self, seq: Sequence, row: PlanRow) -> bool:
        """Whether the model chose the draft of `row`, after all that came before it; such a one is counted."""
        accepted = row.end == len(seq.tokens) and row.tokens[-1] == seq.tokens[-1]
        self.num_accepted += accepted
        return accepted

    def end_step(self, seqs: Iterable[Sequence]) -> None:
        """Take the blocks of drafts that were not accepted back."""
        if not self._is_drafting:
            return
        for seq in seqs:
            if seq.drafter is not None:
                self._tables.trim(seq)

    def absorbs_error(self, seq: Sequence, row: PlanRow) -> bool:
        """Whether a row that broke ends nothing: a draft is not accepted, a decode is done again without drafts.

        They may be why it broke: where whole blocks are read, what drafts left there is read, too.
        """
        if row.drafted:
            return True
        if not row.decodes or seq.drafter is None:
            return False
        seq.drafter = None
        self._tables.trim(seq)
        return True

    def _rows(self, seq: Sequence, drafter: Drafter, limit: int) -> list[PlanRow]:
        count = min(limit, seq.max_tokens - seq.num_output - 1)
        tokens = seq.tokens
        rows: list[PlanRow] = []
        for token in drafter.propose(tokens, count)[:count] if count > 0 else ():
            if not self._tables.grow(seq, len(tokens) + 1):
                break
            tokens = [*tokens, token]
            start = len(tokens) - 1
            rows.append(
                PlanRow(
                    owner=seq.owner,
                    tokens=tokens,
                    start=start,
                    count=1,
                    blocks=seq.blocks,
                    slot=seq.slot,
                    decodes=True,
                    drafted=True,
                )
            )
        self.num_proposed += len(rows)
        return rows


def _may_be_drafted(seq: Sequence) -> bool:
    """Whether its tokens depend on the model alone, and it is never computed again."""
    return seq.params.takes_likeliest and seq.prompt.recompute_beyond is None
