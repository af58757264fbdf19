"""The numbers that the structure network reads of each token, in arrays; nothing depends on a language or script."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from documents.segments.page_bands import MAX_BAND_TOKENS, bands
from documents.segments.page_tokens import BOX, PICTURE, RULE, SEGMENT, PageTokens
from documents.segments.text_features import text_features
from documents.segments.token_geometry import Geometry, smallest_box

NUM_HASHES, HASH_BUCKETS = 12, 4096
MIN_BODY_POINTS = 4.0  # minimum type size of a page's body
GROUPS = {  # columns of `PageFeatures.numbers`, by what they tell of
    "place": slice(0, 15),
    "type": slice(15, 28),
    "neighbours": slice(28, 44),
    "row": slice(44, 47),
    "graphics": slice(47, 55),
    "words": slice(55, 87),
}
NUM_FEATURES = GROUPS["words"].stop


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """What the network is given of one page, or of one band of a page, with `n` tokens; segments come first.

    Attributes:
        numbers: float32 (n, NUM_FEATURES).
        hashes: int16 (n, NUM_HASHES), of words and letters; 0 is none.
        kind: int8 (n,), of `page_tokens`.
        box: float32 (n, 4), in body sizes.
        size: float32 (n,), natural logarithm of points.
        bold: float32 (n,).
        inside: int16 (n,), index of the smallest box around a segment, -1 if there is none.
        lengths: int32 (n,), characters; 0 of graphics.
        rows: int32 (n,), index of a segment among those of the whole page; -1 of graphics.
    """

    numbers: np.ndarray
    hashes: np.ndarray
    kind: np.ndarray
    box: np.ndarray
    size: np.ndarray
    bold: np.ndarray
    inside: np.ndarray
    lengths: np.ndarray
    rows: np.ndarray


def features(tokens: PageTokens) -> PageFeatures:
    """The features of all tokens of a page, however many, as one band."""
    (page,) = features_by_band(tokens, len(tokens.kind))
    return page


def features_by_band(tokens: PageTokens, max_tokens: int = MAX_BAND_TOKENS) -> Iterator[PageFeatures]:
    """The features of each band of a page from the top; a token's type is compared with that of the whole page."""
    num_segments = tokens.num_segments
    lengths = np.array([len(text) for text in tokens.texts], np.float32)
    body = _body(tokens.size[:num_segments], lengths)
    types = _types(tokens, lengths, body) if num_segments else np.zeros((0, 13), np.float32)
    for rows, band in bands(tokens, max_tokens):
        yield _features(band, rows, lengths[rows], types[rows], body)


def _features(
    tokens: PageTokens, rows: np.ndarray, lengths: np.ndarray, types: np.ndarray, body: float
) -> PageFeatures:
    """Of one band; `rows`, `lengths` and `types` are of its segments."""
    count, num_segments = len(tokens.kind), tokens.num_segments
    graphics = (0, count - num_segments)
    numbers = np.zeros((count, NUM_FEATURES), np.float32)
    numbers[:, GROUPS["place"]] = _places(tokens, body)
    if num_segments:
        geometry = Geometry(tokens, body)
        own = numbers[:num_segments]
        own[:, GROUPS["type"]] = types
        own[:, GROUPS["neighbours"]] = np.concatenate(
            [geometry.neighbour(tokens, -1), geometry.neighbour(tokens, 1)], 1
        )
        own[:, GROUPS["row"]] = geometry.row()
        own[:, GROUPS["graphics"]] = geometry.graphics(tokens)
        own[:, GROUPS["words"]] = [text_features(text) for text in tokens.texts]
    hashes = np.zeros((count, NUM_HASHES), np.int16)
    for index, text in enumerate(tokens.texts):
        hashes[index] = _hashes(text)
    return PageFeatures(
        numbers=numbers,
        hashes=hashes,
        kind=tokens.kind,
        box=tokens.box / body,
        size=np.log(np.maximum(tokens.size, 1)).astype(np.float32),
        bold=tokens.style[:, 0],
        inside=smallest_box(tokens),
        lengths=np.pad(lengths, graphics).astype(np.int32),
        rows=np.pad(rows, graphics, constant_values=-1).astype(np.int32),
    )


def _body(size: np.ndarray, lengths: np.ndarray) -> float:
    """The type size of most letters, in steps of half a point."""
    if not len(size):
        return 10.0
    steps, index = np.unique(np.round(size * 2), return_inverse=True)
    weight = np.bincount(index, lengths)
    return max(MIN_BODY_POINTS, float(steps[weight.argmax()]) / 2)


def _places(tokens: PageTokens, body: float) -> np.ndarray:
    x0, y0, x1, y1 = tokens.box.T
    width, height = x1 - x0, y1 - y0
    page_width, page_height = max(tokens.width, 1), max(tokens.height, 1)
    columns = [
        x0 / page_width,
        x1 / page_width,
        y0 / page_height,
        y1 / page_height,
        width / page_width,
        width / body / 20,
        np.minimum(height / body, 20) / 3,
        (x0 + x1) / 2 / page_width - 0.5,
        np.full(len(x0), page_width / page_height - 1),
        *(tokens.kind == kind for kind in (SEGMENT, RULE, BOX, PICTURE)),
        width > 3 * height,
        height > 3 * width,
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], 1)


def _types(tokens: PageTokens, lengths: np.ndarray, body: float) -> np.ndarray:
    """Type and colour beside those of most letters, and how many letters of the page are set like this."""
    count = tokens.num_segments
    size, style, colour = tokens.size[:count], tokens.style[:count], tokens.colour[:count]
    key = np.stack([np.round(size * 2), style[:, 0] > 0.5, *np.round(colour.T * 3)], 1)
    _, index = np.unique(key, axis=0, return_inverse=True)
    index = index.reshape(-1)
    weight = np.bincount(index, lengths)
    total = max(1.0, float(lengths.sum()))
    main = colour[index == weight.argmax()][0]
    by_size = np.argsort(size, kind="stable")
    letters = np.cumsum(lengths[by_size], dtype=np.float64)
    larger = total - np.append(0.0, letters)[np.searchsorted(size[by_size], size * np.float32(1.03), side="right")]
    columns = [
        np.log(np.maximum(size, 1) / body),
        np.full(count, body / 10 - 1),
        *style.T,
        np.abs(colour - main).max(1),
        colour.max(1) - colour.min(1),
        colour.mean(1),
        weight[index] / total,
        larger / total,
    ]
    return np.stack(columns, 1).astype(np.float32)


def _hashes(text: str) -> list[int]:
    """Hashes of the first words, the last one, and the first letters by three."""
    head = text[:200].lower()
    words = re.sub(r"\d", "0", head).split()
    last = re.sub(r"\d", "0", text[-40:].lower()).split()
    grams = [f"w{word}" for word in words[:3]] + [f"e{word}" for word in last[-1:]]
    grams += [f"c{head[k : k + 3]}" for k in range(min(8, max(1, len(head) - 2)))]
    codes = [1 + zlib.crc32(gram.encode()) % (HASH_BUCKETS - 1) for gram in grams[:NUM_HASHES]]
    return codes + [0] * (NUM_HASHES - len(codes))
