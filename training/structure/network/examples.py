"""Training pages of the structure network: tokens with their truth, and files of many of them."""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from documents.segments.page_tokens import PageTokens

NO_RANK = -1.0  # of what has no place in the reading order
NO_TABLE, UNKNOWN_TABLE = -1, -2
INT16 = (-(2**15), 2**15 - 1)  # tenths of a point: some files draw far outside of their page


@dataclass(frozen=True, slots=True)
class Example:
    """One page: `tokens`, and of each of its segments

    role: int8, index in ROLES, -1 if nobody knows; block: int32, equal for those of one block, -1 if unknown; place:
    float32, of a segment within its block; rank: float32, in the reading order of blocks, NO_RANK of furniture; table:
    int16, equal for those of one table, NO_TABLE of those of none, UNKNOWN_TABLE if nobody knows.
    """

    tokens: PageTokens
    role: np.ndarray
    block: np.ndarray
    place: np.ndarray
    rank: np.ndarray
    table: np.ndarray


def save(examples: Iterable[Example], path: Path) -> None:
    """Write a file of examples; it appears whole."""
    packed = [_packed(example) for example in examples]
    partial = path.with_suffix(".partial")
    partial.write_bytes(lzma.compress(pickle.dumps(packed, 4), preset=1))
    partial.rename(path)


def load(path: Path) -> Iterator[Example]:
    """The examples of one file that `save` wrote: a pickle of our own, never one from elsewhere."""
    for page in pickle.loads(lzma.decompress(path.read_bytes())):
        yield _unpacked(page)


def _packed(example: Example) -> tuple[object, ...]:
    """Small: boxes to a tenth of a point, colours and styles to a byte."""
    tokens = example.tokens
    return (
        tokens.width,
        tokens.height,
        tokens.texts,
        tokens.kind,
        np.round(tokens.box * 10).clip(*INT16).astype(np.int16),
        np.round(tokens.size * 10).astype(np.uint16),
        np.round(tokens.style * 100).astype(np.uint8),
        np.round(tokens.colour * 240).astype(np.uint8),
        example.role,
        example.block,
        example.place.astype(np.float32),
        example.rank.astype(np.float32),
        example.table.astype(np.int16),
    )


def _unpacked(packed: tuple[object, ...]) -> Example:
    width, height, texts, kind, box, size, style, colour, role, block, place, rank, table = packed
    tokens = PageTokens(
        width=width,  # pyright: ignore[reportArgumentType]
        height=height,  # pyright: ignore[reportArgumentType]
        texts=texts,  # pyright: ignore[reportArgumentType]
        kind=kind,  # pyright: ignore[reportArgumentType]
        box=np.asarray(box, np.float32) / 10,
        size=np.asarray(size, np.float32) / 10,
        style=np.asarray(style, np.float32) / 100,
        colour=np.asarray(colour, np.float32) / 240,
    )
    return Example(
        tokens, np.asarray(role), np.asarray(block), np.asarray(place), np.asarray(rank, np.float64), np.asarray(table)
    )
