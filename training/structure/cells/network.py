"""The judge of cells as it is trained: a small transformer over the pieces of a table, with a learnt bias for pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor, nn

from documents.layout.pair_layers import MASK_SCORE, Layer, sum_of_rows
from documents.tables.judged.features import NUM_FEATURES
from documents.tables.judged.pairs import NUM_PAIR_BUCKETS, PAIR_BUCKETS
from documents.tables.judged.roles import MARKS, RELATIONS

HEAD_SIZE = 32  # of queries and keys of a relation
MAX_FEATURE = 6.0  # standard deviations


@dataclass(frozen=True, slots=True)
class JudgeShape:
    """Sizes of the network: those of the checkpoint's `config.json`."""

    width: int = 128
    num_layers: int = 4
    num_heads: int = 4
    pair_width: int = 32


class CellNetwork(nn.Module):
    """Logits of RELATIONS for pairs of pieces, symmetric, and of MARKS for pieces."""

    def __init__(self, shape: JudgeShape = JudgeShape(), dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.mean: Tensor  # of the features of the training tables
        self.scale: Tensor
        self.offsets: Tensor
        self.register_buffer("mean", torch.zeros(NUM_FEATURES))
        self.register_buffer("scale", torch.ones(NUM_FEATURES))
        self.register_buffer("offsets", torch.from_numpy(np.cumsum([0, *PAIR_BUCKETS[:-1]])), persistent=False)
        self.enter = nn.Sequential(nn.Linear(NUM_FEATURES, shape.width), nn.GELU(), nn.Linear(shape.width, shape.width))
        self.pairs = nn.Parameter(0.3 * torch.randn(NUM_PAIR_BUCKETS, shape.pair_width))
        self.bias = nn.Linear(shape.pair_width, shape.num_heads * shape.num_layers)
        self.layers = nn.ModuleList(Layer(shape.width, shape.num_heads, dropout) for _ in range(shape.num_layers))
        self.norm = nn.LayerNorm(shape.width)
        self.query = nn.Linear(shape.width, HEAD_SIZE * len(RELATIONS))
        self.key = nn.Linear(shape.width, HEAD_SIZE * len(RELATIONS))
        self.relation = nn.Sequential(
            nn.Linear(shape.pair_width, shape.pair_width), nn.ReLU(), nn.Linear(shape.pair_width, len(RELATIONS))
        )
        self.marks = nn.Linear(shape.width, len(MARKS))

    def forward(self, numbers: Tensor, buckets: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """(b, relations, n, n) and (b, n, marks), of numbers (b, n, features), buckets (b, n, n, features) and whether
        there is a piece (b, n).
        """
        tables, length = real.shape
        hidden = self.enter(((numbers - self.mean) / self.scale).clamp(-MAX_FEATURE, MAX_FEATURE))
        pairs = F.relu(sum_of_rows(self.pairs, buckets.long() + self.offsets))
        bias = self.bias(pairs).permute(0, 3, 1, 2).masked_fill(~real[:, None, None], MASK_SCORE)
        for layer, part in zip(self.layers, bias.split(self.shape.num_heads, 1), strict=True):
            hidden = layer(hidden, part)
        hidden = self.norm(hidden)
        query, key = (
            project(hidden).view(tables, length, len(RELATIONS), HEAD_SIZE).transpose(1, 2)
            for project in (self.query, self.key)
        )
        relations = query @ key.transpose(2, 3) / HEAD_SIZE**0.5 + self.relation(pairs).permute(0, 3, 1, 2)
        return (relations + relations.transpose(2, 3)) / 2, self.marks(hidden)
