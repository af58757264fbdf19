"""The judge of cells in plain arrays: the same numbers as the network that was trained, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from documents.tables.judged.pairs import GROUPS, PAIR_BUCKETS
from documents.tables.judged.roles import MARKS, RELATIONS

HEAD_SIZE = 32  # dimensions of the queries and keys of a relation
MAX_FEATURE = 6.0  # standard deviations
EPSILON = 1e-5
BATCH_ROWS = 32  # rows of pairs per batch


@dataclass(frozen=True, slots=True)
class CellScores:
    """Logits of `n` pieces: by relation (n, n), symmetric; by mark (n,)."""

    relations: Mapping[str, np.ndarray]
    marks: Mapping[str, np.ndarray]


class CellJudge:
    """Scores of pairs of pieces and of pieces, by the weights of a checkpoint."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self._weights = {name: np.asarray(value, np.float32) for name, value in weights.items()}
        self._num_layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
        self._num_heads = len(self._weights["bias.bias"]) // self._num_layers
        offsets = np.cumsum([0, *PAIR_BUCKETS])
        rows = self._weights["pairs"]
        parts = [rows[start:end] for start, end in pairwise(offsets.tolist())]
        self._tables = [_sums([parts[k] for k in group]) for group in GROUPS]
        both = [self._weights[f"{name}.weight"].T for name in ("bias", "relation.0")]
        self._pair_weight = np.ascontiguousarray(np.concatenate(both, 1))
        self._pair_bias = np.concatenate([self._weights["bias.bias"], self._weights["relation.0.bias"]])

    def scores(self, numbers: np.ndarray, buckets: np.ndarray) -> CellScores:
        """Of the features of one table's pieces and pairs."""
        count = len(numbers)
        hidden = np.clip((numbers - self._weights["mean"]) / self._weights["scale"], -MAX_FEATURE, MAX_FEATURE)
        hidden = self._linear("enter.2", _gelu(self._linear("enter.0", hidden)))
        bias, relations = self._pairs(buckets)
        for layer in range(self._num_layers):
            heads = slice(layer * self._num_heads, (layer + 1) * self._num_heads)
            hidden = self._layer(f"layers.{layer}", hidden, bias[heads])
        hidden = self._norm("norm", hidden)
        query, key = (
            self._linear(name, hidden).reshape(count, len(RELATIONS), HEAD_SIZE).transpose(1, 0, 2)
            for name in ("query", "key")
        )
        relations = relations + query @ key.transpose(0, 2, 1) / HEAD_SIZE**0.5
        relations = (relations + relations.transpose(0, 2, 1)) / 2
        marks = self._linear("marks", hidden)
        return CellScores(
            relations={name: relations[k] for k, name in enumerate(RELATIONS)},
            marks={name: marks[:, k] for k, name in enumerate(MARKS)},
        )

    def _pairs(self, buckets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The bias of attention (heads of all layers, n, n), and what pairs say of relations (relations, n, n)."""
        count = buckets.shape[1]
        num_heads = self._num_layers * self._num_heads
        bias = np.empty((num_heads, count, count), np.float32)
        relations = np.empty((len(RELATIONS), count, count), np.float32)
        for start in range(0, count, BATCH_ROWS):
            part = buckets[:, start : start + BATCH_ROWS].reshape(len(buckets), -1)
            pairs = np.zeros((part.shape[1], self._tables[0].shape[1]), np.float32)
            for group, table in zip(GROUPS, self._tables, strict=True):
                index = part[group[0]].astype(np.intp)
                for k in group[1:]:
                    index *= PAIR_BUCKETS[k]
                    index += part[k]
                pairs += table.take(index, 0)
            np.maximum(pairs, 0, out=pairs)
            shape = (-1, part.shape[1] // count, count)
            hidden = pairs @ self._pair_weight + self._pair_bias
            bias[:, start : start + BATCH_ROWS] = hidden[:, :num_heads].T.reshape(shape)
            inner = np.maximum(hidden[:, num_heads:], 0)
            relations[:, start : start + BATCH_ROWS] = self._linear("relation.2", inner).T.reshape(shape)
        return bias, relations

    def _layer(self, name: str, hidden: np.ndarray, bias: np.ndarray) -> np.ndarray:
        count, width = hidden.shape
        qkv = self._linear(f"{name}.qkv", self._norm(f"{name}.attention_norm", hidden))
        query, key, value = qkv.reshape(count, 3, self._num_heads, -1).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / (width // self._num_heads) ** 0.5 + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(1, 0, 2).reshape(count, width)
        hidden = hidden + self._linear(f"{name}.out", mixed)
        inner = _gelu(self._linear(f"{name}.feed.0", self._norm(f"{name}.feed_norm", hidden)))
        return hidden + self._linear(f"{name}.feed.2", inner)

    def _linear(self, name: str, values: np.ndarray) -> np.ndarray:
        return values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, name: str, values: np.ndarray) -> np.ndarray:
        centred = values - values.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _sums(parts: list[np.ndarray]) -> np.ndarray:
    """The sums of one row of each part, in the order of their indices."""
    sums = parts[0]
    for part in parts[1:]:
        sums = (sums[:, None] + part[None]).reshape(-1, part.shape[1])
    return np.ascontiguousarray(sums, np.float32)


def _gelu(values: np.ndarray) -> np.ndarray:
    """By the error function of Abramowitz and Stegun, 7.1.26."""
    size = np.abs(values) / np.float32(2**0.5)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = np.copysign(1 - series * np.exp(-size * size), values)
    return (0.5 * values * (1 + error)).astype(np.float32)
