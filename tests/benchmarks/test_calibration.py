"""Fits of confidence: against numbers that are drawn with known odds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import Words, calibration_error, fitted, labelled
from documents.ocr_input.word_confidence import FEATURES, ReadPart


def test_the_odds_by_which_words_were_drawn_are_found_again() -> None:
    rng = np.random.default_rng(4)
    features = np.zeros((20_000, len(FEATURES)))
    features[:, 0] = -rng.exponential(1.5, 20_000)
    features[:, -1] = 1.0
    likely = 1 / (1 + np.exp(-(1.7 * features[:, 0] + 2.2)))
    weights = fitted([Words(features, rng.random(20_000) < likely)])
    assert weights[[0, -1]] == pytest.approx([1.7, 2.2], abs=0.25)
    assert not weights[1:-1].any()


def test_the_calibration_error_is_the_distance_of_confidence_and_truth() -> None:
    right = np.array([True] * 6 + [False] * 4)
    assert calibration_error(np.full(10, 0.6), right) == pytest.approx(0.0)
    assert calibration_error(np.full(10, 0.95), right) == pytest.approx(0.35)
    assert calibration_error(np.array([0.95, 0.05]), np.array([True, False])) == pytest.approx(0.05)


def test_a_word_that_was_read_twice_is_right_where_it_was_surer() -> None:
    sure = ReadPart(text="log", logprobs=(-0.01,) * 3, height=20, width=30)
    unsure = ReadPart(text="log -", logprobs=(-2.0,) * 5, height=20, width=50)
    words = labelled([unsure, sure], "The log.")
    assert words.right.tolist() == [True, False]
    assert words.features[0, FEATURES.index("least")] == pytest.approx(-0.01)
