"""The free list of KV blocks, with reference counts."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Items

PADDING_BLOCK = 0
"""Belongs to no one, is never handed out, and always holds zeros: padded views read it."""


def scratch_block(num_blocks: int) -> int:
    """The block behind the usable ones: rows that are computed for nothing write and read it."""
    return num_blocks + 1


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-dividend // divisor)


class BlockPool:
    """Every usable KV block is free or has one holder or more; the padding and the scratch block are neither.

    A block may be found by a hash of its contents until it is handed out again. Of the free ones those without a hash
    are handed out first, then the one that was released the longest ago.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        """`num_blocks` usable blocks of `block_size` tokens each."""
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._free = list(range(num_blocks, PADDING_BLOCK, -1))
        self._holders: dict[int, int] = {}
        self._cached_free: dict[int, None] = {}  # free, with a hash; the longest first
        self._by_hash: dict[bytes, int] = {}
        self._hashes: dict[int, bytes] = {}

    @property
    def num_free(self) -> int:
        """Usable blocks that nobody holds."""
        return len(self._free) + len(self._cached_free)

    def blocks_for(self, num_tokens: int) -> int:
        """How many blocks hold `num_tokens` tokens."""
        return ceil_div(num_tokens, self.block_size)

    def take(self, count: int) -> list[int] | None:
        """Hand out `count` blocks, or none at all."""
        if count > self.num_free:
            return None
        blocks = [self._free.pop() if self._free else self._evict() for _ in range(count)]
        self._holders.update(dict.fromkeys(blocks, 1))
        return blocks

    def share(self, blocks: list[int]) -> list[int]:
        """The same blocks for one more holder, who releases them, too; nobody writes to a shared block."""
        for block in blocks:
            self._holders[block] = self._holders.get(block, 0) + 1
            self._cached_free.pop(block, None)
        return list(blocks)

    def set_hash(self, block: int, digest: bytes) -> None:
        """From now on `block` is found by its contents, which change no more; nothing where another block has them."""
        if self._by_hash.setdefault(digest, block) == block:
            self._hashes[block] = digest

    def find_cached(self, hashes: Iterable[bytes]) -> list[int]:
        """The blocks of these contents, up to the first that no block has; share them before any is taken."""
        blocks: list[int] = []
        for digest in hashes:
            block = self._by_hash.get(digest)
            if block is None:
                break
            blocks.append(block)
        return blocks

    def num_free_of(self, blocks: Items[int]) -> int:
        """How many of `blocks` nobody holds."""
        return len([block for block in blocks if block not in self._holders])

    def release(self, blocks: list[int]) -> None:
        """Take `blocks` back from one holder; the list is emptied, so that its holder cannot release them twice."""
        assert self._holders.keys() >= set(blocks), "a block was released that is not handed out"
        for block in reversed(blocks):
            self._holders[block] -= 1
            if not self._holders[block]:
                del self._holders[block]
                if block in self._hashes:
                    self._cached_free[block] = None
                else:
                    self._free.append(block)
        blocks.clear()

    def check_idle(self) -> None:
        """Check that nobody holds a block and that each usable one is free exactly once.

        Raises:
            RuntimeError: the pool has lost a block, or has one twice.
        """
        free = sorted([*self._free, *self._cached_free])
        if self._holders or free != list(range(PADDING_BLOCK + 1, self.num_blocks + 1)):
            raise RuntimeError(
                f"idle, but {len(self._holders)} KV blocks are held, {len(free)} of {self.num_blocks} free"
            )

    def _evict(self) -> int:
        """The free block with a hash that was released the longest ago; it has none any more."""
        block = next(iter(self._cached_free))
        del self._cached_free[block]
        del self._by_hash[self._hashes.pop(block)]
        return block
