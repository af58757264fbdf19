"""BlockTables: which KV blocks each branch of each sequence has."""

from __future__ import annotations

import itertools

from batching.beam import Branch, Offspring
from batching.blocks import BlockPool
from batching.sequence import Sequence


class BlockTables:
    """A branch has a block to itself before it writes there; branches share only what none of them writes any more.

    To write into a shared block a branch gets a copy of it: the step that is scheduled next carries out `take_copies`.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        """See `BlockPool`."""
        self.pool = BlockPool(num_blocks, block_size)
        self._copies: dict[int, list[tuple[int, int]]] = {}  # by sequence

    def fill(self, seq: Sequence, num_spare: int) -> bool:
        """Give a sequence blocks for all its tokens, if `num_spare` others stay free; else none, and False."""
        pool = self.pool
        if pool.num_free < sum(pool.blocks_for(len(each.tokens)) for each in seq.branches) + num_spare:
            return False
        for branch in seq.branches:
            branch.blocks += pool.take(pool.blocks_for(len(branch.tokens))) or []
        return True

    def own_slot(self, seq_id: int, branch: Branch, position: int) -> bool:
        """Give a branch a block of its own for the token at `position`, which is its next; False when none is free."""
        at = position // self.pool.block_size
        if at >= len(branch.blocks):
            taken = self.pool.take(1)
            branch.blocks += taken or []
            return taken is not None
        if not self.pool.is_shared(branch.blocks[at]):
            return True
        taken = self.pool.take(1)
        if taken is None:
            return False
        self._copies.setdefault(seq_id, []).append((branch.blocks[at], taken[0]))
        self.pool.release([branch.blocks[at]])
        branch.blocks[at] = taken[0]
        return True

    def trim(self, branch: Branch) -> None:
        """Take back the blocks behind those that its tokens need."""
        surplus = branch.blocks[self.pool.blocks_for(len(branch.tokens)) :]
        del branch.blocks[len(branch.blocks) - len(surplus) :]
        self.pool.release(surplus)

    def fork(self, seq: Sequence, offspring: list[Offspring]) -> None:
        """New branches over the blocks of their parents; parents without offspring give theirs back."""
        parents = seq.branches
        seq.branches = [
            Branch(
                tokens=[*parents[each.parent].tokens, each.token_id],
                num_computed=parents[each.parent].num_computed,
                blocks=self.pool.share(parents[each.parent].blocks),
                score=each.score,
            )
            for each in offspring
        ]
        for parent in parents:
            self.pool.release(parent.blocks)

    def release(self, seq: Sequence) -> None:
        """Take all blocks of a sequence back; what was to be copied to them is not copied."""
        for branch in seq.branches:
            self.pool.release(branch.blocks)
        self._copies.pop(seq.seq_id, None)

    def take_copies(self) -> tuple[tuple[int, int], ...]:
        """Blocks to copy before the next step writes, each (from, to)."""
        copies = tuple(itertools.chain.from_iterable(self._copies.values()))
        self._copies = {}
        return copies
