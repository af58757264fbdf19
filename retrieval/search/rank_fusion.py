"""Merges the rankings of vector and full-text search (reciprocal rank fusion)."""

from __future__ import annotations

from collections.abc import Sequence

RRF_K = 60  # Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, SIGIR 2009


def fuse(rankings: Sequence[Sequence[str]], k: int = RRF_K) -> list[tuple[str, float]]:
    """Each key once with its score, the sum of 1 / (k + rank) over `rankings` (best first, ranks from 1); best first,
    ties by key.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
