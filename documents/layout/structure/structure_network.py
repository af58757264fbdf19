"""The structure network: a small transformer over the tokens of a page, with a learnt bias for each pair of places.

For each segment it gives a role and which segment goes on with it, for each pair which comes first and whether both
are of one table. The bias is what
lets so small a network read columns: every layer and every head of a relation sees how two tokens lie to one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor, nn

from documents.layout.pair_layers import MASK_SCORE, Layer, sum_of_rows
from documents.segments.features import HASH_BUCKETS, NUM_FEATURES, PageFeatures
from documents.segments.page_tokens import SEGMENT
from documents.segments.roles import ROLES

RELATIONS = ("next", "before")
PAIR_BUCKETS = (17, 17, 17, 25, 17, 5, 5, 6, 4, 4, 5)  # of each feature of a pair, as `pair_buckets` makes them
NUM_PAIR_BUCKETS = sum(PAIR_BUCKETS)
HEAD_SIZE = 32  # dimensions of the queries and keys of a relation
WORD_SIZE = 32  # dimensions of the embedding of a hash
MAX_FEATURE = 6.0  # standard deviations


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """Sizes of the network: those of the checkpoint's `config.json`."""

    width: int = 160
    num_layers: int = 5
    num_heads: int = 5
    pair_width: int = 32


@dataclass(frozen=True, slots=True)
class PageBatch:
    """`b` pages filled up to `n` tokens; as `PageFeatures`, with kind -1 where there is no token."""

    numbers: Tensor  # float32 (b, n, NUM_FEATURES)
    hashes: Tensor  # int64 (b, n, NUM_HASHES)
    kind: Tensor  # int64 (b, n)
    box: Tensor  # float32 (b, n, 4)
    size: Tensor  # float32 (b, n)
    bold: Tensor  # float32 (b, n)
    inside: Tensor  # int64 (b, n)


@dataclass(frozen=True, slots=True)
class PageScores:
    """Logits of `b` pages with `n` tokens.

    Attributes:
        role: (b, n, roles).
        next: (b, n, n + 1): [i, j] that j goes on with i; [i, n] that i ends its block.
        before: (b, n, n), antisymmetric: [i, j] that i is read before j.
        table: (b, n, n), symmetric: that i and j are of one table.
    """

    role: Tensor
    next: Tensor
    before: Tensor
    table: Tensor


def batch_of(pages: Sequence[PageFeatures], device: str | torch.device = "cpu") -> PageBatch:
    """The pages side by side, filled up to the longest."""
    length = max(len(page.kind) for page in pages)

    def stacked(name: str, dtype: torch.dtype, fill: float = 0) -> Tensor:
        arrays = [np.asarray(getattr(page, name)) for page in pages]
        shape = (len(pages), length, *arrays[0].shape[1:])
        whole = np.full(shape, fill, arrays[0].dtype)
        for index, array in enumerate(arrays):
            whole[index, : len(array)] = array
        return torch.from_numpy(whole).to(device=device, dtype=dtype)

    return PageBatch(
        numbers=stacked("numbers", torch.float32),
        hashes=stacked("hashes", torch.int64),
        kind=stacked("kind", torch.int64, -1),
        box=stacked("box", torch.float32),
        size=stacked("size", torch.float32),
        bold=stacked("bold", torch.float32),
        inside=stacked("inside", torch.int64, -1),
    )


def pair_buckets(batch: PageBatch) -> Tensor:
    """int64 (b, n, n, 11): how token j lies to token i, as rows of one table of embeddings."""
    x0, y0, x1, y1 = batch.box.unbind(-1)
    width, height = (x1 - x0).clamp(min=0.1), (y1 - y0).clamp(min=0.1)
    overlap_x = _least(x1) - _most(x0)
    overlap_y = _least(y1) - _most(y0)
    down = _difference(y0)
    apart = torch.where(down > 0, y0[:, None] - y1[:, :, None], y0[:, :, None] - y1[:, None])
    level = overlap_y > 0.3 * _least(height)
    gap = torch.where(level, 0.0, torch.where(down > 0, 1.0, -1.0) * apart.clamp(min=0.02))
    bold = (_difference(batch.bold).abs() > 0.5).long()
    style = torch.bucketize(_difference(batch.size), batch.box.new_tensor([-0.03, 0.03])) + 3 * bold
    mine, other = batch.inside[:, :, None], batch.inside[:, None]
    same_box = torch.where(mine == other, torch.where(mine < 0, 0, 1), torch.where((mine < 0) | (other < 0), 2, 3))
    kind = batch.kind.clamp(min=0)[:, None].expand_as(same_box)
    buckets = [
        _bucket(_difference(x0), 17, 2),
        _bucket(_difference(x1), 17, 2),
        _bucket(_difference((x0 + x1) / 2), 17, 2),
        _bucket(gap, 25, 4),
        _bucket(_difference((y0 + y1) / 2), 17, 1),
        _share(overlap_x, width),
        _share(overlap_y, height),
        style,
        same_box,
        kind,
        _nearest(batch, overlap_x, overlap_y, height),
    ]
    offsets = np.cumsum([0, *PAIR_BUCKETS[:-1]])
    return torch.stack([bucket + int(offset) for bucket, offset in zip(buckets, offsets, strict=True)], -1)


def _difference(edge: Tensor) -> Tensor:
    return edge[:, None] - edge[:, :, None]


def _least(edge: Tensor) -> Tensor:
    return torch.minimum(edge[:, None], edge[:, :, None])


def _most(edge: Tensor) -> Tensor:
    return torch.maximum(edge[:, None], edge[:, :, None])


def _bucket(distance: Tensor, count: int, steepness: float) -> Tensor:
    """Buckets that are narrow near 0 and reach to 40 body sizes."""
    half = count // 2
    scaled = torch.log1p(distance.abs() * steepness) * (half / np.log1p(40 * steepness))
    return half + (torch.sign(distance) * scaled).round().clamp(-half, half).long()


def _share(overlap: Tensor, size: Tensor) -> Tensor:
    return torch.bucketize(overlap / _least(size), overlap.new_tensor([0.0, 0.3, 0.7, 0.95]))


def _nearest(batch: PageBatch, overlap_x: Tensor, overlap_y: Tensor, height: Tensor) -> Tensor:
    """Whether j is the nearest segment below (1), above (2), to the right (3) or left (4) of i; 0: none of these."""
    text = batch.kind == SEGMENT
    both = text[:, :, None] & text[:, None]
    level = overlap_y > 0.5 * _least(height)
    x0, y0 = batch.box[..., 0], batch.box[..., 1]
    near = torch.zeros_like(overlap_x, dtype=torch.long)
    for label, (fits, distance) in enumerate(
        (
            (overlap_x > 0, _difference(y0)),
            (overlap_x > 0, -_difference(y0)),
            (level, _difference(x0)),
            (level, -_difference(x0)),
        ),
        start=1,
    ):
        far = torch.where(fits & both & (distance > 0.2), distance, torch.inf)
        least, index = far.min(2, keepdim=True)
        near.scatter_(2, index, torch.where(least.isfinite(), label, near.gather(2, index)))
    return near


class TableRelation(nn.Module):
    """Whether two segments are of one table, by a layer of its own above the others: it can be learnt without them."""

    def __init__(self, shape: NetworkShape, dropout: float) -> None:
        super().__init__()
        self.pairs = nn.Parameter(0.3 * torch.randn(NUM_PAIR_BUCKETS, shape.pair_width))
        self.bias = nn.Linear(shape.pair_width, shape.num_heads)
        self.layer = Layer(shape.width, shape.num_heads, dropout)
        self.norm = nn.LayerNorm(shape.width)
        self.query = nn.Linear(shape.width, HEAD_SIZE)
        self.key = nn.Linear(shape.width, HEAD_SIZE)
        self.relation = nn.Sequential(
            nn.Linear(shape.pair_width, shape.pair_width), nn.GELU(), nn.Linear(shape.pair_width, 1)
        )

    def forward(self, hidden: Tensor, buckets: Tensor, real: Tensor) -> Tensor:
        """(b, n, n), symmetric; of tokens (b, n, width), buckets of pairs (b, n, n, features)."""
        pairs = F.gelu(sum_of_rows(self.pairs, buckets))
        bias = self.bias(pairs).permute(0, 3, 1, 2).masked_fill(~real[:, None, None], MASK_SCORE)
        hidden = self.norm(self.layer(hidden, bias))
        scores = self.query(hidden) @ self.key(hidden).transpose(1, 2) / HEAD_SIZE**0.5 + self.relation(pairs)[..., 0]
        return (scores + scores.transpose(1, 2)) / 2


class StructureNetwork(nn.Module):
    """Scores of roles and relations of pages of any length."""

    def __init__(self, shape: NetworkShape = NetworkShape(), dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.mean: Tensor  # of the features of the training pages
        self.scale: Tensor
        self.register_buffer("mean", torch.zeros(NUM_FEATURES))
        self.register_buffer("scale", torch.ones(NUM_FEATURES))
        self.words = nn.Embedding(HASH_BUCKETS, WORD_SIZE, padding_idx=0)
        self.enter = nn.Sequential(
            nn.Linear(NUM_FEATURES + 2 * WORD_SIZE, shape.width), nn.GELU(), nn.Linear(shape.width, shape.width)
        )
        self.pairs = nn.Parameter(0.3 * torch.randn(NUM_PAIR_BUCKETS, shape.pair_width))
        self.bias = nn.Linear(shape.pair_width, shape.num_heads * shape.num_layers)
        self.layers = nn.ModuleList(Layer(shape.width, shape.num_heads, dropout) for _ in range(shape.num_layers))
        self.norm = nn.LayerNorm(shape.width)
        self.role = nn.Linear(shape.width, len(ROLES))
        self.query = nn.Linear(shape.width, HEAD_SIZE * len(RELATIONS))
        self.key = nn.Linear(shape.width, HEAD_SIZE * len(RELATIONS))
        self.relation = nn.Sequential(
            nn.Linear(shape.pair_width, shape.pair_width), nn.GELU(), nn.Linear(shape.pair_width, len(RELATIONS))
        )
        self.end = nn.Linear(shape.width, 1)
        self.table = TableRelation(shape, dropout)

    def forward(self, batch: PageBatch) -> PageScores:
        pages, length = batch.kind.shape
        real, text = batch.kind >= 0, batch.kind == SEGMENT
        numbers = ((batch.numbers - self.mean) / self.scale).clamp(-MAX_FEATURE, MAX_FEATURE)
        words = self.words(batch.hashes)
        num_words = (batch.hashes > 0).sum(2, keepdim=True).clamp(min=1)
        hidden = self.enter(torch.cat([numbers, words[:, :, 0], words.sum(2) / num_words], -1))
        buckets = pair_buckets(batch)
        pairs = F.gelu(sum_of_rows(self.pairs, buckets))
        bias = self.bias(pairs).permute(0, 3, 1, 2).masked_fill(~real[:, None, None], MASK_SCORE)
        for layer, part in zip(self.layers, bias.split(self.shape.num_heads, 1), strict=True):
            hidden = layer(hidden, part)
        hidden = self.norm(hidden)
        query, key = (
            project(hidden).view(pages, length, len(RELATIONS), HEAD_SIZE).transpose(1, 2)
            for project in (self.query, self.key)
        )
        follows, before = (
            query @ key.transpose(2, 3) / HEAD_SIZE**0.5 + self.relation(pairs).permute(0, 3, 1, 2)
        ).unbind(1)
        itself = torch.eye(length, dtype=torch.bool, device=follows.device)
        follows = follows.masked_fill(~text[:, None] | itself, MASK_SCORE)
        return PageScores(
            role=self.role(hidden),
            next=torch.cat([follows, self.end(hidden)], 2),
            before=before - before.transpose(1, 2),
            table=self.table(hidden, buckets, real),
        )
