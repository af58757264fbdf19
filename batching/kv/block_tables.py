"""Assigns KV blocks to sequences, and shares the blocks of equal prompt prefixes."""

from __future__ import annotations

from array import array
from hashlib import sha256

from batching.kv.block_pool import BlockPool
from batching.kv.state_slots import StateSlots
from batching.sequence import Sequence


class BlockTables:
    """A sequence writes into blocks that it alone holds; those that it shares are full and never written again."""

    def __init__(self, num_blocks: int, block_size: int, num_slots: int, reuse_prefixes: bool = False) -> None:
        """See `BlockPool` and `StateSlots`; `reuse_prefixes`: a sequence begins with blocks of its tokens' head."""
        self.pool = BlockPool(num_blocks, block_size)
        self.slots = StateSlots(num_slots)
        self.num_reused = 0  # tokens that were not computed, for their blocks were there
        self._reuse_prefixes = reuse_prefixes

    def fill(self, seq: Sequence, num_spare: int) -> bool:
        """Give a sequence a slot, and blocks for all its tokens, if `num_spare` others stay free; else nothing."""
        pool = self.pool
        if not self.slots.num_free:
            return False
        prefix = self._cached_prefix(seq)
        num_new = pool.blocks_for(len(seq.tokens)) - len(prefix)
        if pool.num_free - pool.num_free_of(prefix) < num_new + num_spare:
            return False
        seq.blocks += pool.share(prefix)
        seq.blocks += pool.take(num_new) or []
        seq.slot = self.slots.take()
        seq.num_hashed = len(prefix)
        seq.num_computed = len(prefix) * pool.block_size
        self.num_reused += seq.num_computed
        return True

    def grow(self, seq: Sequence, num_tokens: int) -> bool:
        """Make room for `num_tokens`, one more than there may have been; False when no block is free."""
        if num_tokens > len(seq.blocks) * self.pool.block_size:
            blocks = self.pool.take(1)
            if blocks is None:
                return False
            seq.blocks += blocks
        return True

    def trim(self, seq: Sequence) -> None:
        """Take back the blocks behind those that its tokens need."""
        num_needed = self.pool.blocks_for(len(seq.tokens))
        surplus = seq.blocks[num_needed:]
        del seq.blocks[num_needed:]
        self.pool.release(surplus)

    def release(self, seq: Sequence) -> None:
        """Take all blocks of a sequence back, and its slot."""
        self.pool.release(seq.blocks)
        if seq.slot is not None:
            self.slots.release(seq.slot)
            seq.slot = None
        seq.num_computed = 0

    def check_idle(self) -> None:
        """Raises RuntimeError: a block or a slot is lost, or there twice."""
        self.pool.check_idle()
        self.slots.check_idle()

    def note_computed(self, seq: Sequence) -> None:
        """The blocks that a sequence has filled may be shared from now on: nobody writes to them any more."""
        if not self._reuse_prefixes or not seq.repeatable:
            return
        num_full = seq.num_computed // self.pool.block_size
        if num_full > seq.num_hashed:
            hashes = self._hashes(seq, num_full)
            for index in range(seq.num_hashed, num_full):
                self.pool.set_hash(seq.blocks[index], hashes[index])
            seq.num_hashed = num_full

    def _cached_prefix(self, seq: Sequence) -> list[int]:
        """Blocks that hold the head of its tokens; the last token is always computed, since logits come of it."""
        if not self._reuse_prefixes or not seq.repeatable:
            return []
        return self.pool.find_cached(self._hashes(seq, (len(seq.tokens) - 1) // self.pool.block_size))

    def _hashes(self, seq: Sequence, count: int) -> list[bytes]:
        """Of the contents of its first `count` blocks: each depends on its pictures and all tokens before its end."""
        size = self.pool.block_size
        for index in range(len(seq.block_hashes), count):
            before = seq.block_hashes[-1] if seq.block_hashes else seq.prefix_key
            tokens = array("q", seq.tokens[index * size : (index + 1) * size])
            seq.block_hashes.append(sha256(before + tokens.tobytes()).digest())
        return seq.block_hashes[:count]
