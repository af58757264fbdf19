"""Features of a page as bytes: what the child that inspects a page hands on to the network.

The bytes come from a process that has read a stranger's file: they are numbers, and checked, never unpickled.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np

from documents.inspection import Inspection, TextLine
from documents.segments.features import HASH_BUCKETS, NUM_FEATURES, NUM_HASHES, PageFeatures, features_by_band
from documents.segments.page_bands import MAX_BAND_TOKENS
from documents.segments.page_tokens import MAX_GRAPHICS, PICTURE, SEGMENT, page_tokens

HEADER = struct.Struct("<I")  # the number of tokens of a band
# maximum tokens of all bands: lines are bounded by `RenderLimits.max_lines`, graphics by `page_tokens`
MAX_PAGE_TOKENS = 40_000
MAX_FEATURE = 60_000.0  # maximum value of a feature, size or place in body sizes: no page is as large
COLUMNS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("numbers", "<f2", (NUM_FEATURES,)),
    ("hashes", "<i2", (NUM_HASHES,)),
    ("kind", "<i1", ()),
    ("box", "<f4", (4,)),
    ("size", "<f4", ()),
    ("bold", "<f4", ()),
    ("inside", "<i2", ()),
    ("lengths", "<i4", ()),
    ("rows", "<i4", ()),
)


def packed_segments(inspection: Inspection, lines: Sequence[TextLine] | None = None) -> bytes:
    """The features of these lines of a page, by default the visible ones; nothing where there are none."""
    if lines is None:
        lines = [line for line in inspection.lines if line.hidden is None]
    return pack(features_by_band(page_tokens(inspection, lines))) if lines else b""


def pack(bands: Iterable[PageFeatures]) -> bytes:
    """The bands of a page as bytes, about 240 per token."""
    parts: list[bytes] = []
    for band in bands:
        parts.append(HEADER.pack(len(band.kind)))
        parts += [_bounded(np.asarray(getattr(band, name))).astype(kind).tobytes() for name, kind, _ in COLUMNS]
    return b"".join(parts)


def unpack(content: bytes) -> tuple[PageFeatures, ...]:
    """The bands that `pack` wrote.

    Raises:
        ValueError: the bytes are of another form, or hold numbers that no page has.
    """
    bands: list[PageFeatures] = []
    offset, num_tokens = 0, 0
    while offset < len(content):
        band, offset = _band(content, offset)
        num_tokens += len(band.kind)
        if num_tokens > MAX_PAGE_TOKENS:
            raise ValueError("more tokens than a page has")
        bands.append(band)
    rows = [band.rows[band.kind == SEGMENT] for band in bands]
    if bands and not np.array_equal(np.sort(np.concatenate(rows)), np.arange(sum(map(len, rows)))):
        raise ValueError("segments that no page has")
    return tuple(bands)


def _band(content: bytes, offset: int) -> tuple[PageFeatures, int]:
    """The band that begins at `offset`, and where it ends."""
    if len(content) < offset + HEADER.size:
        raise ValueError("features end early")
    (count,) = HEADER.unpack_from(content, offset)
    if not 0 < count <= MAX_BAND_TOKENS:
        raise ValueError("more tokens than a band has, or none")
    offset += HEADER.size
    columns: dict[str, np.ndarray] = {}
    for name, kind, shape in COLUMNS:
        size = int(np.prod(shape, dtype=int)) * count
        columns[name] = np.frombuffer(content, kind, size, offset).reshape(count, *shape)
        offset += size * np.dtype(kind).itemsize
    band = PageFeatures(**columns)
    finite = all(np.isfinite(columns[name]).all() for name in ("numbers", "box", "size", "bold"))
    if not finite or not _are_in_range(band):
        raise ValueError("numbers that no page has")
    return band, offset


def _bounded(array: np.ndarray) -> np.ndarray:
    return np.clip(array, -MAX_FEATURE, MAX_FEATURE) if array.dtype.kind == "f" else array


def _are_in_range(page: PageFeatures) -> bool:
    count = len(page.kind)
    ranges = (
        (page.hashes, 0, HASH_BUCKETS - 1),
        (page.kind, 0, PICTURE),
        (page.inside, -1, count - 1),
        (page.lengths, 0, np.iinfo(np.int32).max),
        *((array, -MAX_FEATURE, MAX_FEATURE) for array in (page.numbers, page.box, page.size, page.bold)),
    )
    segments = int((page.kind == SEGMENT).sum())
    if (page.kind[:segments] != SEGMENT).any() or count - segments > MAX_GRAPHICS:
        return False
    return all(not array.size or (array.min() >= low and array.max() <= high) for array, low, high in ranges)
