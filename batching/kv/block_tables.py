"""Assigns KV blocks to sequences, and shares the blocks of equal prompt prefixes."""

from __future__ import annotations

import itertools
from array import array
from hashlib import sha256

from batching.beam import Branch, Offspring
from batching.kv.block_pool import BlockPool
from batching.sequence import Sequence


class BlockTables:
    """A branch has a block to itself before it writes there; branches share only what none of them writes any more.

    To write into a shared block a branch gets a copy of it: the step that is scheduled next carries out `take_copies`.
    """

    def __init__(self, num_blocks: int, block_size: int, reuse_prefixes: bool = False) -> None:
        """See `BlockPool`; `reuse_prefixes`: a sequence begins with blocks that hold the head of its tokens."""
        self.pool = BlockPool(num_blocks, block_size)
        self.num_reused = 0  # tokens that were not computed, for their blocks were there
        self._reuse_prefixes = reuse_prefixes
        self._copies: dict[int, list[tuple[int, int]]] = {}  # by sequence

    def fill(self, seq: Sequence, num_spare: int) -> bool:
        """Give a sequence blocks for all its tokens, if `num_spare` others stay free; else none, and False."""
        pool = self.pool
        prefix = self._known_blocks(seq)
        num_wanted = sum(pool.blocks_for(len(branch.tokens)) for branch in seq.branches) - len(prefix)
        if pool.num_free - pool.num_free_of(prefix) < num_wanted + num_spare:
            return False
        for branch in seq.branches:  # one, where blocks are known
            branch.blocks += pool.share(prefix)
            branch.blocks += pool.take(pool.blocks_for(len(branch.tokens)) - len(prefix)) or []
            branch.num_named = len(prefix)
            branch.num_computed = len(prefix) * pool.block_size
        self.num_reused += len(prefix) * pool.block_size
        return True

    def note_computed(self, seq: Sequence) -> None:
        """The blocks that a sequence has filled may be shared from now on: nobody writes to them any more."""
        if not self._reuse_prefixes or not seq.repeatable:
            return
        (branch,) = seq.branches
        num_full = branch.num_computed // self.pool.block_size
        if num_full > branch.num_named:
            for at in range(branch.num_named, num_full):
                self.pool.name(branch.blocks[at], self._names(branch, num_full)[at])
            branch.num_named = num_full

    def own_slot(self, seq_id: int, branch: Branch, position: int) -> bool:
        """Give a branch a block of its own for the token at `position`, which is its next; False when none is free."""
        at = position // self.pool.block_size
        is_new = at >= len(branch.blocks)
        if is_new or self.pool.is_shared(branch.blocks[at]):
            blocks = self.pool.take(1)
            if blocks is None:
                return False
            if is_new:
                branch.blocks += blocks
            else:
                self._copies.setdefault(seq_id, []).append((branch.blocks[at], blocks[0]))
                self.pool.release([branch.blocks[at]])
                branch.blocks[at] = blocks[0]
        branch.num_owned = (at + 1) * self.pool.block_size
        return True

    def trim(self, branch: Branch) -> None:
        """Take back the blocks behind those that its tokens need."""
        surplus = branch.blocks[self.pool.blocks_for(len(branch.tokens)) :]
        del branch.blocks[len(branch.blocks) - len(surplus) :]
        branch.num_owned = 0
        self.pool.release(surplus)

    def fork(self, seq: Sequence, offspring: list[Offspring]) -> None:
        """New branches over the blocks of their parents; parents without offspring give theirs back."""
        parents = seq.branches
        seq.branches = [
            Branch(
                tokens=[*parents[child.parent].tokens, child.token_id],
                num_computed=parents[child.parent].num_computed,
                blocks=self.pool.share(parents[child.parent].blocks),
                score=child.score,
            )
            for child in offspring
        ]
        for parent in parents:
            self.pool.release(parent.blocks)

    def _known_blocks(self, seq: Sequence) -> list[int]:
        """Those that hold the head of its tokens; the last token is always computed, since logits come of it."""
        if not self._reuse_prefixes or not seq.repeatable:
            return []
        (branch,) = seq.branches
        return self.pool.named(self._names(branch, (len(branch.tokens) - 1) // self.pool.block_size))

    def _names(self, branch: Branch, count: int) -> list[bytes]:
        """Of the contents of its first `count` blocks: each depends on all tokens before its end alone."""
        size = self.pool.block_size
        for at in range(len(branch.names), count):
            before = branch.names[-1] if branch.names else b""
            tokens = array("q", branch.tokens[at * size : (at + 1) * size])
            branch.names.append(sha256(before + tokens.tobytes()).digest())
        return branch.names[:count]

    def release(self, seq: Sequence) -> None:
        """Take all blocks of a sequence back; what was to be copied to them is not copied."""
        for branch in seq.branches:
            self.pool.release(branch.blocks)
            branch.num_owned = 0
        self._copies.pop(seq.seq_id, None)

    def take_copies(self) -> tuple[tuple[int, int], ...]:
        """Blocks to copy before the next step writes, each (from, to)."""
        copies = tuple(itertools.chain.from_iterable(self._copies.values()))
        self._copies = {}
        return copies
