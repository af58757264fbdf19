"""The free list of state slots."""

from __future__ import annotations


class StateSlots:
    """Every slot is free, or one sequence's alone: what recurrent layers keep of its past lies there."""

    def __init__(self, num_slots: int) -> None:
        self.num_slots = num_slots
        self._free = list(range(num_slots - 1, -1, -1))

    @property
    def num_free(self) -> int:
        return len(self._free)

    def take(self) -> int:
        """A slot that was free; what an earlier sequence left there is never read."""
        return self._free.pop()

    def release(self, slot: int) -> None:
        """Take a slot back."""
        assert slot not in self._free, "a slot was released that is not handed out"
        self._free.append(slot)

    def check_idle(self) -> None:
        """Raises RuntimeError: a slot is held, or free twice."""
        if sorted(self._free) != list(range(self.num_slots)):
            raise RuntimeError(f"idle, but {len(self._free)} of {self.num_slots} state slots are free")
