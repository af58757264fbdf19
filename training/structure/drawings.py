"""The documents that the structure network is trained on: both typesetters in turn."""

from __future__ import annotations

from collections.abc import Iterator

from training.structure.drawn import DrawnDocument


def drawn_documents(seed: int) -> Iterator[DrawnDocument]:
    """Documents without end."""
    raise NotImplementedError
