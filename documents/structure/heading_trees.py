"""Gradient-boosted trees: the probability that a text is a heading."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from documents.structure.heading_features import NAMES

FILE = "heading_trees.json"  # written by `python -m training.headings.train`


@dataclass(frozen=True, slots=True)
class HeadingTrees:
    """All trees in arrays (trees, nodes): a node asks whether a feature is at most a threshold; leaves ask nothing.

    A leaf has itself as both children, so that every text comes to rest at one after `depth` steps.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    base: float
    depth: int

    @classmethod
    def of(cls, fields: dict[str, Any]) -> HeadingTrees:
        """As the file has them; raises ValueError where it was written for other features."""
        if tuple(fields["names"]) != NAMES:
            raise ValueError("these trees ask for other features")
        trees = [np.array(tree, float).reshape(-1, 5) for tree in fields["trees"]]
        size = max(len(tree) for tree in trees)
        rows = np.stack([np.pad(tree, ((0, size - len(tree)), (0, 0))) for tree in trees])
        feature, threshold, left, right, value = (rows[..., k] for k in range(5))
        own = np.arange(size)[None, :].repeat(len(trees), axis=0)
        leaf = feature < 0
        return cls(
            feature=np.where(leaf, 0, feature).astype(int),
            threshold=threshold,
            left=np.where(leaf, own, left).astype(int),
            right=np.where(leaf, own, right).astype(int),
            value=value,
            base=float(fields["base"]),
            depth=int(fields["depth"]),
        )

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """float (texts,) in 0..1, of `features` (texts, NAMES)."""
        features = features.astype(np.float32)  # as they were learnt: thresholds stand between such numbers
        total = np.full(len(features), self.base)
        rows = np.arange(len(features))
        for tree in range(len(self.feature)):
            at = np.zeros(len(features), int)
            for _ in range(self.depth):
                below = features[rows, self.feature[tree, at]] <= self.threshold[tree, at]
                at = np.where(below, self.left[tree, at], self.right[tree, at])
            total += self.value[tree, at]
        return 1.0 / (1.0 + np.exp(-total))


@cache
def heading_trees() -> HeadingTrees:
    """Those that come with the package."""
    text = files("documents.structure").joinpath(FILE).read_text(encoding="utf-8")
    return HeadingTrees.of(json.loads(text))
