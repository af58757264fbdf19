"""Confidence of each OCR word, from token probabilities and how text and ink agree; calibrated by `confidence.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FILE_NAME = "confidence.json"  # a file beside the weights, valid for them only
FEATURES = (
    *("least", "whole", "line", "worst"),  # log-probabilities: of a letter, the word, the line, the line's worst letter
    *("sparse", "dense", "small"),  # letters for the ink that there is
    *("short", "alone", "symbols", "mixed"),  # what the text looks like
    "bias",
)
MIN_TOKEN_LOGPROB = -6.0  # lower log-probabilities say nothing more
MIN_MEAN_LOGPROB = -3.0
MIN_WORD_LOGPROB = -12.0
DEFAULT_THRESHOLD = 0.45  # applies if the checkpoint states none
FULL_INK_HEIGHT = 28.0  # height of a line's ink in pixels: in a lower line, letters are less distinct
MIN_LETTER_DENSITY = 1.2  # minimum letters of print per line height of length
MAX_LETTER_DENSITY = 3.2  # maximum letters of print per line height of length
PLAIN_SYMBOLS = frozenset("""!"#$%&'()*+,-./:;<=>?@[]_|‘’“”„–—•·…€£§°©®×""")  # symbols that are frequent in print


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPart:
    """What one sequence read: a line, or the part of one that fits a square."""

    text: str
    logprobs: tuple[float, ...]  # of the tokens of its text; as many as it has characters, or they tell the mean alone
    height: float  # pixels of its ink
    width: float
    is_cut: bool = False  # it was ended because it repeated itself


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of a logistic function, one per feature; `None`: the mean probability of the tokens is the confidence.

    `threshold`: a word with a lower confidence is not believed, unless a setting says otherwise.
    """

    weights: tuple[float, ...] | None = None
    threshold: float = DEFAULT_THRESHOLD

    @classmethod
    def of_folder(cls, folder: Path | str, *, threshold: float | None = None) -> Calibration:
        """As measured for a checkpoint, or with another `threshold`; ValueError if the file has other features."""
        file = Path(folder) / FILE_NAME
        if not file.is_file():
            return cls(threshold=DEFAULT_THRESHOLD if threshold is None else threshold)
        stored: dict[str, Any] = json.loads(file.read_text("utf-8"))
        if tuple(stored["weights"]) != FEATURES:
            raise ValueError(f"{file} must hold the weights {', '.join(FEATURES)}")
        weights = tuple(float(value) for value in stored["weights"].values())
        return cls(weights, float(stored.get("threshold", DEFAULT_THRESHOLD)) if threshold is None else threshold)

    def words(self, part: ReadPart) -> tuple[float, ...]:
        """How likely each word of its text is right, 0..1, rounded far above what a step's company changes.

        Of a sequence that ran away nothing is.
        """
        if part.is_cut:
            return (0.0,) * len(part.text.split())
        if self.weights is None:
            sure = math.exp(_mean(part.logprobs, -math.inf)) if part.logprobs else 0.0
            return tuple(round(sure, 3) for _ in part.text.split())
        values = features(part) @ np.array(self.weights)
        return tuple(round(float(1 / (1 + math.exp(-value))), 3) for value in values)


def features(part: ReadPart) -> np.ndarray:
    """float64 (words, FEATURES)."""
    words = _places(part.text)
    by_letter = part.logprobs if len(part.logprobs) == len(part.text) else ()
    line = _mean(part.logprobs, MIN_MEAN_LOGPROB)
    density = math.log(max(1, len(part.text)) * max(1.0, part.height) / max(1.0, part.width))
    signs = [sign for sign in part.text if not sign.isspace()]
    odd = sum(not sign.isalnum() and sign not in PLAIN_SYMBOLS for sign in signs) / max(1, len(signs))
    least = [max(MIN_TOKEN_LOGPROB, min(by_letter[start:end] or (line,))) for start, end in words]
    rows = [
        [
            lowest,
            max(MIN_WORD_LOGPROB, sum(by_letter[start:end] or (line,))),
            line,
            min(least),
            max(0.0, math.log(MIN_LETTER_DENSITY) - density),
            max(0.0, density - math.log(MAX_LETTER_DENSITY)),
            min(0.0, math.log(max(1.0, part.height) / FULL_INK_HEIGHT)),
            float(end - start <= 2),
            float(len(words) == 1),
            odd,
            float(_is_mixed(part.text[start:end])),
            1.0,
        ]
        for lowest, (start, end) in zip(least, words, strict=True)
    ]
    return np.array(rows, float).reshape(-1, len(FEATURES))


def _is_mixed(word: str) -> bool:
    """Whether small letters stand with capitals other than the first, or letters with figures."""
    signs = [sign for sign in word if sign.isalnum()]
    num_capitals = sum(map(str.isupper, signs))
    has_small = any(map(str.islower, signs))
    has_figures = any(map(str.isdecimal, signs))
    is_name = num_capitals == 0 or (num_capitals == 1 and signs[0].isupper())
    return (has_small and not is_name) or (has_figures and any(map(str.isalpha, signs)))


def line_confidence(words: Sequence[tuple[str, float]]) -> float:
    """Of a whole line: the mean over its words, long ones weigh more."""
    length = sum(len(word) for word, _ in words)
    return round(sum(len(word) * sure for word, sure in words) / length, 3) if length else 0.0


def _mean(values: Sequence[float], lowest: float) -> float:
    return max(lowest, sum(values) / len(values)) if values else lowest


def _places(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end."""
    places: list[tuple[int, int]] = []
    end = 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        places.append((start, end))
    return places
