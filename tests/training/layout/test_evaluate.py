"""The measures of layout, and the shipped checkpoint by them."""

from pathlib import Path

import numpy as np
import pytest

from training.layout.evaluate import evaluate
from training.layout.precision import average_precision, overlap

CHECKPOINT = Path(__file__).parents[3] / "checkpoints" / "layout-compact"
TRUTH = [np.array([[0, 0, 0, 10, 10], [0, 20, 20, 30, 30], [1, 50, 50, 60, 60]], float)]


def detections(*rows):
    return [np.array(rows, float).reshape(-1, 6)]


def test_overlap_is_the_shared_share():
    """Half a box shared by two of one size is a third of both."""
    a = np.array([[0, 0, 10, 10]], float)
    assert overlap(a, np.array([[5, 0, 15, 10], [20, 20, 30, 30]], float))[0] == pytest.approx([1 / 3, 0])


def test_precision_counts_each_region_once_and_each_class_alone():
    """Two boxes on one region are one hit and one error; a box of another class is none."""
    first, second, wrong = (0, 0, 10, 10, 0.9, 0), (20, 20, 30, 30, 0.8, 0), (50, 50, 60, 60, 0.95, 0)
    assert average_precision(detections(first, second), TRUTH, 0) == pytest.approx(1.0)
    assert average_precision(detections(first), TRUTH, 0) == pytest.approx(0.5)
    assert average_precision(detections(first, first, second), TRUTH, 0) == pytest.approx(0.5 + 0.5 * 2 / 3)
    assert average_precision(detections(wrong, first, second), TRUTH, 0) == pytest.approx(2 / 3)
    assert average_precision(detections(), TRUTH, 1) == 0.0
    assert np.isnan(average_precision(detections(first), TRUTH, 5))


def test_the_shipped_checkpoint_finds_regions():
    """A checkpoint that came apart from its recipe finds nothing."""
    assert evaluate(CHECKPOINT, [], count=6)["map50_synthetic"] > 0.3
