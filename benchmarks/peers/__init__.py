"""Others' programs at the same work: each runs in a process of its own, under any Python that has it."""
