"""BlockPool: which KV blocks are free, and how many hold each of the others."""

from __future__ import annotations

PADDING_BLOCK = 0
"""Belongs to no one, is never handed out, and always holds zeros: padded views read it."""


def scratch_block(num_blocks: int) -> int:
    """The block behind the usable ones: rows that are computed for nothing write and read it."""
    return num_blocks + 1


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-dividend // divisor)


class BlockPool:
    """Every usable KV block is free or has one holder or more; the padding and the scratch block are neither."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        """`num_blocks` usable blocks of `block_size` tokens each."""
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._free = list(range(num_blocks, PADDING_BLOCK, -1))
        self._holders: dict[int, int] = {}

    @property
    def num_free(self) -> int:
        """Usable blocks that nobody holds."""
        return len(self._free)

    def blocks_for(self, num_tokens: int) -> int:
        """How many blocks hold `num_tokens` tokens."""
        return ceil_div(num_tokens, self.block_size)

    def take(self, count: int) -> list[int] | None:
        """Hand out `count` blocks, or none at all."""
        if count > len(self._free):
            return None
        taken = [self._free.pop() for _ in range(count)]
        self._holders.update(dict.fromkeys(taken, 1))
        return taken

    def share(self, blocks: list[int]) -> list[int]:
        """The same blocks for one more holder, who releases them, too; nobody writes to a shared block."""
        for block in blocks:
            self._holders[block] += 1
        return list(blocks)

    def is_shared(self, block: int) -> bool:
        """Whether a block has several holders."""
        return self._holders[block] > 1

    def release(self, blocks: list[int]) -> None:
        """Take `blocks` back from one holder; the list is emptied, so that its holder cannot release them twice."""
        assert self._holders.keys() >= set(blocks), "a block was released that is not handed out"
        for block in reversed(blocks):
            self._holders[block] -= 1
            if not self._holders[block]:
                del self._holders[block]
                self._free.append(block)
        blocks.clear()
