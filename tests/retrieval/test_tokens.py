"""Token counters."""

import pytest

from retrieval.embedder import Embedder
from retrieval.tokens import ByteCounter, counter_for


def test_bytes_are_counted_up():
    """Rounded down, short words would be free."""
    assert [ByteCounter().count(text) for text in ("", "a", "abc", "abcd", "漢字")] == [0, 1, 1, 2, 2]


def test_without_an_embedder_bytes_are_counted():
    """Full text alone must not need the embedder's tokenizer."""
    assert isinstance(counter_for(None), ByteCounter)


def test_the_tokenizer_counts_long_texts_to_their_end():
    """Its file sets a truncation at 128 tokens: with it every long text would seem to fit."""
    folder = Embedder.find("all-MiniLM-L6-v2")
    if folder is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    counter = counter_for(folder)
    assert counter.max_tokens == 254
    assert counter.count("word " * 1000) == 1000
