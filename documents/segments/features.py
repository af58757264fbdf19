"""The numbers that the structure network reads of each token, in arrays; nothing depends on a language or script."""

from __future__ import annotations

import re
import unicodedata
import zlib
from dataclasses import dataclass

import numpy as np

from documents.segments.page_bands import bands
from documents.segments.page_tokens import BOX, PICTURE, RULE, SEGMENT, PageTokens

NUM_HASHES, HASH_BUCKETS = 12, 4096
MIN_BODY = 4.0  # points: the least that a page's text is taken to be set in
FAR = 6.0  # in body sizes: gaps are cut off there
BULLETS = frozenset("•◦▪‣·●○■□–—-*►✓➢▶§❖◆☐☒☑✔")
FIRST = {
    "Lu": 1,
    "Lt": 1,
    "Ll": 2,
    "Nd": 3,
    "Ps": 4,
    "Pi": 4,
    "Lo": 6,
    "Sm": 7,
    "Co": 0,
}  # classes of a first character
LAST = {
    ".": 0, "。": 0, "।": 0, "۔": 0, ":": 1, "：": 1, ";": 2, ",": 2, "、": 2, "，": 2, "،": 2, "?": 3, "!": 3,
    "？": 3, "！": 3, "؟": 3, "-": 4, "\u00ad": 4, ")": 5, "]": 5, "%": 6,
}  # fmt: skip
DIGIT_LAST, OTHER_LAST = 7, 8
NUMBER = re.compile(r"(?:[A-Z]\.?|\d{1,3})(?:[.\-]\d{1,3})*[.):]?(?=\s|$)")
ITEM = re.compile(r"[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]+)[.)\]]")
LEADER = re.compile(r"(?:\. ?){4,}|…{2,}|_{4,}")
PAGE_NUMBER = re.compile(
    r"[-–— ]*(?:page |p\. ?|seite |página |第)?(?:\d{1,4}|[ivxlc]{1,6})[-–— ]*(?:(?:of|/|von|sur|de) ?\d+)?页?",
    re.I,
)
NUM_FEATURES = 15 + 13 + 16 + 3 + 8 + 32


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """What the network is given of one page with `n` tokens.

    Attributes:
        numbers: float32 (n, NUM_FEATURES).
        hashes: int16 (n, NUM_HASHES), of words and letters; 0 is none.
        kind: int8 (n,), of `page_tokens`.
        box: float32 (n, 4), in body sizes.
        size: float32 (n,), natural logarithm of points.
        bold: float32 (n,).
        inside: int16 (n,), index of the smallest box around a segment, -1 if there is none.
        lengths: int32 (n,), characters; 0 of graphics.
    """

    numbers: np.ndarray
    hashes: np.ndarray
    kind: np.ndarray
    box: np.ndarray
    size: np.ndarray
    bold: np.ndarray
    inside: np.ndarray
    lengths: np.ndarray


def features(tokens: PageTokens) -> PageFeatures:
    """The features of all tokens of a page."""
    count, num_segments = len(tokens.kind), tokens.num_segments
    lengths = np.array([len(text) for text in tokens.texts], np.float32)
    body = _body(tokens.size[:num_segments], lengths)
    numbers = np.zeros((count, NUM_FEATURES), np.float32)
    numbers[:, :15] = _places(tokens, body)
    inside = _smallest_box(tokens)
    if num_segments:
        rows = numbers[:num_segments]
        rows[:, 15:28] = _types(tokens, lengths, body)
        for band, part in bands(tokens):
            geometry = _Geometry(part, body)
            rows[band, 28:44] = np.concatenate([geometry.neighbour(part, -1), geometry.neighbour(part, 1)], 1)
            rows[band, 44:47] = geometry.row()
            rows[band, 47:55] = geometry.graphics(part)
        rows[:, 55:] = [_text_features(text) for text in tokens.texts]
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
        inside=inside,
        lengths=np.pad(lengths, (0, count - num_segments)).astype(np.int32),
    )


def _body(size: np.ndarray, lengths: np.ndarray) -> float:
    """The type size of most letters, in steps of half a point."""
    if not len(size):
        return 10.0
    steps, index = np.unique(np.round(size * 2), return_inverse=True)
    weight = np.bincount(index, lengths)
    return max(MIN_BODY, float(steps[weight.argmax()]) / 2)


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


class _Geometry:
    """How the segments of a page lie to one another and to its graphics."""

    def __init__(self, tokens: PageTokens, body: float) -> None:
        self._count = tokens.num_segments
        self._body = body
        self._x0, self._y0, self._x1, self._y1 = tokens.box.T
        self._middle = (self._y0 + self._y1) / 2
        rows = slice(0, self._count)
        self._overlap_x = np.minimum(self._x1[rows, None], self._x1) - np.maximum(self._x0[rows, None], self._x0)
        self._overlap_y = np.minimum(self._y1[rows, None], self._y1) - np.maximum(self._y0[rows, None], self._y0)
        self._height = (self._y1 - self._y0)[rows]

    def neighbour(self, tokens: PageTokens, sign: int) -> np.ndarray:
        """float32 (segments, 8) about the nearest segment above (-1) or below (1) that overlaps it level."""
        rows = np.arange(self._count)
        middle = self._middle[: self._count]
        distance = sign * (middle[None] - middle[:, None])
        fits = (self._overlap_x[:, : self._count] > 0) & (distance > 0.3 * self._height[:, None])
        distance = np.where(fits, distance, np.inf)
        near = distance.argmin(1)
        known = np.isfinite(distance[rows, near])
        x0, y0, x1, y1 = (edge[: self._count] for edge in (self._x0, self._y0, self._x1, self._y1))
        gap = y0[near] - y1 if sign > 0 else y0 - y1[near]
        size, bold = np.maximum(tokens.size[: self._count], 1), tokens.style[: self._count, 0]
        columns = [
            np.clip(gap / self._body, -1, FAR) / 2,
            np.log(size / size[near]),
            bold - bold[near],
            np.clip((x0[near] - x0) / self._body, -FAR, FAR) / 3,
            np.clip((x1[near] - x1) / self._body, -2 * FAR, 2 * FAR) / 6,
            np.abs(x0[near] + x1[near] - x0 - x1) < 0.5 * self._body,
            np.minimum(1.5, (x1[near] - x0[near]) / np.maximum(x1 - x0, 1)),
        ]
        table = np.stack([np.where(known, column, 0.0) for column in columns], 1)
        table[~known, 0] = FAR / 2
        return np.concatenate([~known[:, None], table], 1).astype(np.float32)

    def row(self) -> np.ndarray:
        """float32 (segments, 3): how many stand level with it, and the gaps to its left and right."""
        count = self._count
        x0, x1 = self._x0[:count], self._x1[:count]
        level = (self._overlap_y[:, :count] > 0.5 * self._height[:, None]) & ~np.eye(count, dtype=bool)
        left = np.where(level & (x1[None] <= x0[:, None] + 1), x1[None], -np.inf).max(1)
        right = np.where(level & (x0[None] >= x1[:, None] - 1), x0[None], np.inf).min(1)
        columns = [
            np.minimum(level.sum(1), 8) / 4,
            np.minimum((x0 - left) / self._body, FAR) / 3,
            np.minimum((right - x1) / self._body, FAR) / 3,
        ]
        return np.stack(columns, 1).astype(np.float32)

    def graphics(self, tokens: PageTokens) -> np.ndarray:
        """float32 (segments, 8): gaps to rules, boxes and pictures above and below; whether it lies in one of these."""
        count = self._count
        middle, x0, x1 = (edge[:count, None] for edge in (self._middle, self._x0, self._x1))
        columns: list[np.ndarray] = []
        for kind in (RULE, BOX, PICTURE):
            fits = (tokens.kind == kind) & (self._overlap_x > 0)
            if kind == RULE:
                fits &= self._x1 - self._x0 > self._y1 - self._y0
            above = np.where(fits & (self._y1 <= middle), self._y1, -np.inf).max(1, initial=-np.inf)
            below = np.where(fits & (self._y0 >= middle), self._y0, np.inf).min(1, initial=np.inf)
            columns += [
                np.clip((self._y0[:count] - above) / self._body, -1, 5) / 2,
                np.clip((below - self._y1[:count]) / self._body, -1, 5) / 2,
            ]
            if kind != RULE:
                around = fits & (self._x0 <= x0 + 1) & (self._x1 >= x1 - 1) & (self._y0 < middle) & (self._y1 > middle)
                columns.append(around.any(1))
        return np.stack(columns, 1).astype(np.float32)


def _smallest_box(tokens: PageTokens) -> np.ndarray:
    """Of each segment, the index of the smallest drawn box around it; -1 of none, and of graphics."""
    inside = np.full(len(tokens.kind), -1, np.int16)
    boxes = np.flatnonzero(tokens.kind == BOX)
    if not len(boxes) or not tokens.num_segments:
        return inside
    x0, y0, x1, y1 = tokens.box[: tokens.num_segments].T[:, :, None]
    left, top, right, bottom = tokens.box[boxes].T
    middle = (y0 + y1) / 2
    around = (left <= x0 + 2) & (right >= x1 - 2) & (top <= middle) & (bottom >= middle)
    area = np.where(around, (right - left) * (bottom - top), np.inf)
    inside[: tokens.num_segments] = np.where(around.any(1), boxes[area.argmin(1)], -1)
    return inside


def _text_features(text: str) -> list[float]:
    length = max(1, len(text))
    letters = [sign for sign in text if sign.isalpha()]
    words = text.split()
    initials = [word[0] for word in words if word[0].isalpha()]
    first, last = [0.0] * 8, [0.0] * 9
    first[_first_class(text[:1])] = 1.0
    last[LAST.get(text[-1:], DIGIT_LAST if text[-1:].isdigit() else OTHER_LAST)] = 1.0
    number = NUMBER.match(text)
    depth = 1 + number[0].rstrip(".:)").count(".") if number else 0
    return [
        float(np.log(length)) / 5,
        len(words) / 12,
        sum(sign.isupper() for sign in letters) / max(1, len(letters)),
        sum(sign.isupper() for sign in initials) / max(1, len(initials)),
        sum(sign.isdigit() for sign in text) / length,
        len(letters) / length,
        *first,
        *last,
        min(depth, 4) / 2,
        float(ITEM.match(text) is not None),
        float(LEADER.search(text[:300]) is not None),
        float(len(text) <= 30 and PAGE_NUMBER.fullmatch(text) is not None),
        sum(unicodedata.category(sign) == "Sm" for sign in text) / length,
        float(any(sign in ":：" for sign in text[:40])),
        float(len(words) == 1),
        float(text[:1].islower()),
        float(sum(sign > "\u2e7f" for sign in text) > 0.3 * length),  # scripts without spaces
    ]


def _first_class(sign: str) -> int:
    if not sign or sign in BULLETS:
        return 0
    return FIRST.get(unicodedata.category(sign), 5)


def _hashes(text: str) -> list[int]:
    """Hashes of the first words, the last one, and the first letters by three."""
    head = text[:200].lower()
    words = re.sub(r"\d", "0", head).split()
    last = re.sub(r"\d", "0", text[-40:].lower()).split()
    grams = [f"w{word}" for word in words[:3]] + [f"e{word}" for word in last[-1:]]
    grams += [f"c{head[k : k + 3]}" for k in range(min(8, max(1, len(head) - 2)))]
    codes = [1 + zlib.crc32(gram.encode()) % (HASH_BUCKETS - 1) for gram in grams[:NUM_HASHES]]
    return codes + [0] * (NUM_HASHES - len(codes))
