"""How a checkpoint says that it reads."""

import json

import pytest

from batching.inputs.reading_config import GOT_PROMPT, ReadingConfig


def test_without_a_file_a_checkpoint_reads_as_the_published_one(tmp_path):
    """Published folders have no such file."""
    reading = ReadingConfig.of_folder(tmp_path)
    assert reading == ReadingConfig()
    assert reading.text(reading.query("format"), "XX") == (
        "<|im_start|>system\nYou should follow the instructions carefully and explain your answers in detail.<|im_end|>"
        "<|im_start|>user\n<img>XX</img>\n OCR with format: <|im_end|><|im_start|>assistant\n"
    )
    assert reading.prompt == GOT_PROMPT


def test_a_file_is_read_and_keys_for_others_are_left_alone(tmp_path):
    """The same file tells training and documentation things that the engine need not know."""
    settings = {"unit": "strip", "prompt": "<img>{image}</img>", "modes": ["plain"], "max_tokens": 128, "height": 32}
    (tmp_path / "reading.json").write_text(json.dumps(settings))
    reading = ReadingConfig.of_folder(tmp_path)
    assert reading == ReadingConfig(unit="strip", prompt="<img>{image}</img>", modes=("plain",), max_tokens=128)
    assert reading.text(reading.query("plain"), "XX") == "<img>XX</img>"


@pytest.mark.parametrize(
    "settings", [{"unit": "page"}, {"prompt": "no image"}, {"modes": []}, {"modes": ["poem"]}, {"max_tokens": 0}]
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(settings, tmp_path):
    """A checkpoint that is read wrongly gives wrong text and no error."""
    (tmp_path / "reading.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=next(iter(settings))):
        ReadingConfig.of_folder(tmp_path)
