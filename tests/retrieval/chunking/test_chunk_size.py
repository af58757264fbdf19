"""Token counters."""

import json

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from retrieval.chunking.chunk_size import ByteCounter, counter_for, limit_of
from retrieval.embedding.embedder import Embedder
from retrieval.errors import WrongWeights


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


def save(folder, **files):
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_special_tokens_and_the_prompt_of_documents_are_part_of_what_the_model_sees(tmp_path):
    """Guards against the end of every full chunk being cut off where a model wants "passage: " before it."""
    tokenizer = Tokenizer(WordLevel({"[U]": 0, "[E]": 1}, unk_token="[U]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="$A [E]", special_tokens=[("[E]", 1)])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    save(tmp_path, sentence_bert_config={"max_seq_length": 100})
    assert counter_for(tmp_path).max_tokens == 99
    save(tmp_path, config_sentence_transformers={"prompts": {"query": "query : now", "passage": "passage : "}})
    assert counter_for(tmp_path).max_tokens == 97


def test_the_limit_is_what_the_folder_says_else_what_model_and_tokenizer_allow(tmp_path):
    """Guards against a limit of another model: too low wastes it, too high cuts chunks without a word."""
    assert limit_of(tmp_path) == 256
    save(tmp_path, config={"max_position_embeddings": 514}, tokenizer_config={"model_max_length": 1e30})
    assert limit_of(tmp_path) == 514
    save(tmp_path, tokenizer_config={"model_max_length": 512})
    assert limit_of(tmp_path) == 512
    save(tmp_path, sentence_bert_config={"max_seq_length": None})
    assert limit_of(tmp_path) == 512
    save(tmp_path, sentence_bert_config={"max_seq_length": 128})
    assert limit_of(tmp_path) == 128


def test_a_folder_without_a_tokenizer_file_is_refused_by_name(tmp_path):
    """Guards against an error of a library that names no cause."""
    with pytest.raises(WrongWeights, match="tokenizer"):
        counter_for(tmp_path)
