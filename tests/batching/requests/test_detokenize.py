"""Text from tokens as they come."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from batching.requests.detokenize import REPLACEMENT_CHARACTER, Detokenizer


@pytest.fixture(scope="module")
def by_byte():
    """A tokenizer of one token a byte, and a special one."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<end>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")


def pieces(tokenizer, token_ids, size=1):
    detokenizer = Detokenizer(tokenizer)
    texts = [detokenizer.push(token_ids[at : at + size]) for at in range(0, len(token_ids), size)]
    return [*texts, detokenizer.whole(token_ids)[len("".join(texts)) :]]


@given(text=st.text(max_size=40), size=st.integers(1, 5))
@example(text="Grüße, 世界 👩‍🔬!", size=1)
def test_no_character_is_ever_cut_and_nothing_is_lost(by_byte, text, size):
    """A client that got half a character shows a black diamond for ever."""
    token_ids = by_byte(text)["input_ids"]
    texts = pieces(by_byte, token_ids, size)
    assert "".join(texts) == text
    if REPLACEMENT_CHARACTER not in text:
        assert not any(REPLACEMENT_CHARACTER in text_part for text_part in texts)


@given(token_ids=st.lists(st.integers(0, 256), max_size=40))
def test_bytes_that_are_no_text_give_what_decoding_the_whole_gives(by_byte, token_ids):
    """Models do emit invalid UTF-8; stream and result must not differ then."""
    assert "".join(pieces(by_byte, token_ids)) == by_byte.decode(token_ids, skip_special_tokens=True)


def test_a_space_at_the_beginning_of_a_token_stays_in_the_middle_of_a_text():
    """Decoders of the Llama kind drop a leading space, so tokens decoded one by one run together."""
    tokenizer = Tokenizer(models.WordLevel(vocab={"▁two": 0, "▁words": 1}, unk_token="▁two"))
    tokenizer.decoder = decoders.Metaspace()
    texts = pieces(PreTrainedTokenizerFast(tokenizer_object=tokenizer), [0, 1, 1])
    assert texts[:3] == ["two", " words", " words"]


def test_a_character_is_handed_out_as_soon_as_it_is_whole(by_byte):
    """Text held back to the end is no stream."""
    assert pieces(by_byte, by_byte("aé")["input_ids"]) == ["a", "", "é", ""]


def test_without_a_tokenizer_there_is_no_text():
    """Engines of bare token models stream, too."""
    assert pieces(None, [1, 2, 3]) == ["", "", "", ""]
