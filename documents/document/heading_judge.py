"""The judge of headings: a small network and a linear model over what a document says of its styles."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from documents.document.document_styles import FEATURES
from documents.document.heading_levels import PAIR_FEATURES, TIE_FEATURES

ARRAYS = ("mean", "scale", "hidden", "out", "pairs", "tie")
WEIGHTS = Path(__file__).resolve().parents[2] / "checkpoints" / "structure-compact" / "headings.json"


@dataclass(frozen=True, slots=True)
class HeadingJudge:
    """Weights as `python -m training.structure.headings.train` writes them.

    Attributes:
        mean, scale: float (FEATURES,), by which features are standardised.
        hidden: float (FEATURES + 1, units), the last row is a bias; its units are rectified.
        out: float (units + 1,), the last is a bias.
        pairs: float (PAIR_FEATURES,), of the margin by which a look stands above another.
        tie: float (TIE_FEATURES,), of the logarithm of the margin within which two looks are likely one level.
    """

    mean: np.ndarray
    scale: np.ndarray
    hidden: np.ndarray
    out: np.ndarray
    pairs: np.ndarray
    tie: np.ndarray

    @classmethod
    def of(cls, fields: dict[str, Any]) -> HeadingJudge:
        """As the file has them; raises ValueError where it was written for other features."""
        if tuple(fields["features"]) != FEATURES or tuple(fields["pair_features"]) != PAIR_FEATURES:
            raise ValueError("this judge of headings asks for other features")
        arrays = {name: np.array(fields[name], np.float64) for name in ARRAYS}
        if arrays["tie"].shape != (len(TIE_FEATURES),) or len(arrays["hidden"]) != len(FEATURES) + 1:
            raise ValueError("this judge of headings has weights of other features")
        return cls(**arrays)

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """float (texts,) in 0..1 that a text is a heading, of float (texts, FEATURES)."""
        if not len(features):
            return np.zeros(0)
        standard = (features - self.mean) / self.scale
        units = np.maximum(0.0, standard @ self.hidden[:-1] + self.hidden[-1])
        return _sigmoid(units @ self.out[:-1] + self.out[-1])

    def relations(self, pairs: np.ndarray, ties: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """float (looks, looks): that the first of a pair stands above the second, and that both are of one level."""
        above = _sigmoid(pairs @ self.pairs - np.exp(ties @ self.tie))
        return above, 1.0 - above - above.T


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))


@cache
def heading_judge() -> HeadingJudge:
    """The one that comes with the shipped structure network."""
    return HeadingJudge.of(json.loads(WEIGHTS.read_text(encoding="utf-8")))
