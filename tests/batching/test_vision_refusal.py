"""Image-text models that are refused at the start, by class and with what is missing."""

import json

import pytest

from batching import UnsupportedModel
from batching.loading.models import load_causal_lm, load_image_text
from tests.batching.test_vision_families import parts
from tests.batching.vision_parts import TEXT, VISION


def made(config):
    from transformers import AutoModelForImageTextToText

    return AutoModelForImageTextToText.from_config(config).eval()


def test_a_vision_model_that_looks_both_ways_is_refused_by_name(torch):
    """A chunk would end in the middle of what each of its tokens sees."""
    from transformers import Gemma3Config

    text = TEXT | {"head_dim": 16}
    vision = VISION | {"image_size": 64, "patch_size": 8}
    model = made(Gemma3Config(text_config=text, vision_config=vision, mm_tokens_per_image=16, image_token_index=300))
    with pytest.raises(UnsupportedModel, match=r"^Gemma3ForConditionalGeneration attends both ways within a picture"):
        load_image_text(model)


def test_a_model_without_pictures_is_no_image_text_model(tiny_lm, tmp_path):
    """Given, or in a folder."""
    with pytest.raises(UnsupportedModel, match=r"^LlamaForCausalLM has no get_image_features"):
        load_image_text(tiny_lm("llama"))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    with pytest.raises(UnsupportedModel, match="llama is not an image-text model"):
        load_image_text(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "dots_ocr", "auto_map": {}}))
    with pytest.raises(UnsupportedModel, match="dots_ocr needs code from the checkpoint"):
        load_image_text(tmp_path)


def test_a_vision_model_is_no_causal_language_model(torch):
    """Its text alone would run, and its pictures would be words."""
    model, _, _ = parts("qwen2_vl")
    with pytest.raises(UnsupportedModel, match="use load_image_text"):
        load_causal_lm(model)
