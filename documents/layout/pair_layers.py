"""What networks over tokens with a bias for each pair of them share: a layer of attention, and embeddings of pairs."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name for it
from torch import Tensor, nn

MASK_SCORE = -1e4  # a softmax makes zero of this score


class Layer(nn.Module):
    """Attention whose scores have a bias for each pair, and a feed-forward part."""

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.attention_norm = nn.LayerNorm(width)
        self.feed_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 3 * width), nn.GELU(), nn.Linear(3 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        pages, length, width = hidden.shape
        split = self.qkv(self.attention_norm(hidden)).view(pages, length, 3, self.num_heads, width // self.num_heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, bias).transpose(1, 2).reshape(pages, length, width)
        hidden = hidden + self.dropout(self.out(mixed))
        return hidden + self.dropout(self.feed(self.feed_norm(hidden)))


def sum_of_rows(rows: Tensor, buckets: Tensor) -> Tensor:
    """(b, n, n, width): the sum of the rows of each pair's buckets (b, n, n, features).

    By a product where a gradient is wanted, which adds up in order.
    """
    if torch.is_grad_enabled():
        dtype = torch.bfloat16 if torch.is_autocast_enabled(buckets.device.type) else rows.dtype
        chosen = torch.zeros(*buckets.shape[:3], len(rows), dtype=dtype, device=buckets.device)
        return chosen.scatter_(3, buckets, 1.0) @ rows
    return F.embedding_bag(buckets.flatten(0, 2), rows, mode="sum").view(*buckets.shape[:3], -1)
