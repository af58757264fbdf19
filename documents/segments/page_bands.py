"""Bands of a page of very many segments: the work of comparing all tokens with all grows with their square."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from documents.segments.page_tokens import PageTokens

# maximum tokens per band: these are compared with one another, and read in one pass of the network
MAX_BAND_TOKENS = 640


def bands(tokens: PageTokens, max_tokens: int = MAX_BAND_TOKENS) -> Iterator[tuple[np.ndarray, PageTokens]]:
    """Indices of segments, and the page of these and all graphics: bands from the top, one where the page has few."""
    count = tokens.num_segments
    graphics = np.arange(count, len(tokens.kind))
    room = max_tokens - len(graphics)
    if count <= room:
        yield np.arange(count), tokens
        return
    by_top = np.argsort(tokens.box[:count, 1], kind="stable")
    for band in np.array_split(by_top, -(-count // room)):
        rows = np.sort(band)
        chosen = np.concatenate([rows, graphics])
        yield (
            rows,
            replace(
                tokens,
                texts=tuple(tokens.texts[k] for k in rows.tolist()),
                kind=tokens.kind[chosen],
                box=tokens.box[chosen],
                size=tokens.size[chosen],
                style=tokens.style[chosen],
                colour=tokens.colour[chosen],
            ),
        )
