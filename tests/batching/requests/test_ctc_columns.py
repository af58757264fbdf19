"""Texts of a CTC head, against the decoder of transformers' Wav2Vec2 tokenizer."""

import json
from typing import Any

import pytest
import torch

from batching.requests.ctc_columns import CtcColumns

VOCABULARY = 12


@pytest.fixture(scope="module")
def decoded(tmp_path_factory):
    """The text of the likeliest tokens of columns, by another implementation."""
    from transformers import Wav2Vec2CTCTokenizer

    file = tmp_path_factory.mktemp("ctc") / "vocab.json"
    file.write_text(json.dumps({"<pad>": 0, **{chr(ord("a") + k): k + 1 for k in range(VOCABULARY - 1)}}))
    none: Any = None  # which its signature does not know of
    tokenizer = Wav2Vec2CTCTokenizer(
        str(file), pad_token="<pad>", unk_token="<pad>", bos_token=none, eos_token=none, word_delimiter_token=none
    )
    return lambda logits: tokenizer.decode(logits.argmax(-1).tolist())


def columns_of(*peaks):
    """Logits of columns, each with its likeliest token and the probability of that."""
    logits = torch.zeros(len(peaks), VOCABULARY)
    for row, (token, chance) in zip(logits, peaks, strict=True):
        row[:] = torch.tensor((1 - chance) / (VOCABULARY - 1)).log()
        row[token] = torch.tensor(chance).log()
    return CtcColumns(logits, blank=0)


def test_equal_neighbours_are_one_token_and_blanks_are_none(decoded):
    """Random columns, in which every case of two neighbours occurs; nothing but blanks is an empty text."""
    chance = torch.Generator().manual_seed(3)
    for length in (1, 2, 9, 200):
        logits = torch.randn(length, VOCABULARY, generator=chance)
        logits[:, 0] += 1.5
        draft = CtcColumns(logits, blank=0).draft()
        assert "".join(chr(ord("a") + token - 1) for token in draft.token_ids) == decoded(logits)
        assert len(draft.probabilities) == len(draft.token_ids)
        assert all(0 < chance <= 1 for chance in draft.probabilities)
    assert columns_of((0, 0.9), (0, 0.8)).draft().token_ids == ()


def test_a_token_is_as_sure_as_its_surest_column():
    """An edge at which it is half another token says nothing."""
    draft = columns_of((4, 0.6), (4, 0.95), (4, 0.5), (7, 0.9)).draft()
    assert draft.token_ids == (4, 7)
    assert draft.probabilities == pytest.approx((0.95, 0.9))


def test_a_letter_that_may_be_missing_makes_the_next_one_unsure():
    """A blank that may be a third letter: what follows it is not to be relied on, what stands before it is."""
    sure = columns_of((4, 0.99), (0, 0.99), (7, 0.99)).draft()
    doubtful = columns_of((4, 0.99), (0, 0.55), (7, 0.99)).draft()
    assert sure.probabilities[1] > 0.95
    assert doubtful.probabilities[0] > 0.95
    assert doubtful.probabilities[1] < 0.7
