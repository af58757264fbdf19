"""Confidence of words: what it is made of, and that it is as sure as it says."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from documents.ocr_input.word_confidence import FEATURES, FILE_NAME, Calibration, ReadPart, features, line_confidence

SURE, UNSURE = math.log(0.999), math.log(0.2)


def part(text: str, *unsure: int, height: float = 20, width: float | None = None, is_cut: bool = False) -> ReadPart:
    """Letters at `unsure` are doubtful."""
    logprobs = tuple(UNSURE if k in unsure else SURE for k in range(len(text)))
    return ReadPart(text=text, logprobs=logprobs, height=height, width=width or len(text) * height / 2, is_cut=is_cut)


def column(name: str, read: ReadPart) -> list[float]:
    return features(read)[:, FEATURES.index(name)].tolist()


def test_a_doubtful_letter_makes_its_word_doubtful_alone() -> None:
    assert column("least", part("the harbour log", 6)) == pytest.approx([SURE, UNSURE, SURE])
    assert column("whole", part("the harbour log", 6)) == pytest.approx([3 * SURE, 6 * SURE + UNSURE, 3 * SURE])
    assert column("worst", part("the harbour log", 6)) == pytest.approx([UNSURE] * 3)


def test_text_that_does_not_fit_its_ink_is_doubtful() -> None:
    """Guards against twenty letters that were read out of a stroke, and one out of a long line."""
    assert column("dense", part("conse the conse the conse", width=60)) != [0.0] * 5
    assert column("sparse", part("a", width=300)) != [0.0]
    plain = part("an ordinary line of print")
    assert not any(column("dense", plain) + column("sparse", plain))


def test_letters_of_any_language_are_as_good_as_others_and_odd_symbols_are_not() -> None:
    assert column("symbols", part("Füße œuvre 東京")) == [0.0, 0.0, 0.0]
    assert column("symbols", part("×\u00ac\u00b6±"))[0] > 0.5


def test_small_letters_among_capitals_and_among_figures_are_told() -> None:
    """Guards against "JAlan SAcU" and "l4,165", of which every letter is sure, as it is often in small print."""
    assert column("mixed", part("SAcU l4,165 McKay")) == [1.0, 1.0, 1.0]
    assert column("mixed", part("Sagu JALAN 14,165 log &")) == [0.0] * 5


def test_small_print_is_less_sure_and_large_print_no_surer() -> None:
    assert column("small", part("log", height=14)) == pytest.approx([math.log(0.5)])
    assert column("small", part("log", height=90)) == [0.0]


def test_nothing_of_a_line_that_ran_away_can_be_believed() -> None:
    """Guards against "the conse", of which every repetition made the next one surer."""
    weights = tuple(float(name == "bias") * 9 for name in FEATURES)
    assert Calibration(weights).words(part("the conse", is_cut=True)) == (0.0, 0.0)


def test_without_a_calibration_the_mean_probability_is_the_confidence() -> None:
    read = part("two words", 0)
    mean = math.exp((8 * SURE + UNSURE) / 9)
    assert Calibration().words(read) == pytest.approx([mean, mean], abs=1e-3)


def test_weights_are_read_from_the_checkpoint(tmp_path: Path) -> None:
    weights = dict.fromkeys(FEATURES, 0.0) | {"least": 2.0, "bias": 1.0}
    (tmp_path / FILE_NAME).write_text(json.dumps({"weights": weights}), encoding="utf-8")
    confidences = Calibration.of_folder(tmp_path).words(part("ab", 0))
    assert confidences == pytest.approx([1 / (1 + math.exp(-(2 * UNSURE + 1)))], abs=1e-3)


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps({"weights": {"least": 1.0}}), encoding="utf-8")
    with pytest.raises(ValueError, match="weights"):
        Calibration.of_folder(tmp_path)


def test_a_text_of_other_tokens_than_letters_has_the_confidence_of_its_line() -> None:
    read = ReadPart(text="two words", logprobs=(SURE, UNSURE), height=20, width=90)
    assert column("least", read) == pytest.approx([(SURE + UNSURE) / 2] * 2)
    assert features(ReadPart(text="", logprobs=(), height=0, width=0)).shape == (0, len(FEATURES))


def test_long_words_decide_of_a_line() -> None:
    assert line_confidence([("a", 0.0), ("harbours!", 1.0)]) == 0.9
    assert line_confidence([]) == 0.0
    assert np.isfinite(features(part("x", 0)).sum())


@pytest.mark.parametrize(
    ("stored", "setting", "expected"), [(None, None, 0.45), (0.65, None, 0.65), (0.65, 0.1, 0.1), (None, 0.0, 0.0)]
)
def test_the_threshold_is_the_settings_or_the_checkpoints(
    tmp_path: Path, stored: float | None, setting: float | None, expected: float
) -> None:
    """Guards against a threshold that was chosen with other weights."""
    content = {"weights": dict.fromkeys(FEATURES, 1.0)} | ({} if stored is None else {"threshold": stored})
    (tmp_path / FILE_NAME).write_text(json.dumps(content))
    assert Calibration.of_folder(tmp_path, threshold=setting).threshold == expected
