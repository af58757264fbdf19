"""Refusals say why, in words; a model that would give wrong text has no runner."""

import json

import pytest

from batching import UnsupportedModel
from batching.loading.models import load_causal_lm
from tests.batching.families import LLAMA

MROPE = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}}


@pytest.fixture
def tiny_model(torch):
    """A tiny model of a type."""

    def model(kind, settings):
        from transformers import CONFIG_MAPPING, AutoModelForCausalLM

        return AutoModelForCausalLM.from_config(CONFIG_MAPPING[kind](**settings)).eval()

    return model


def test_any_other_failure_is_named_with_what_the_model_said(tiny_model):
    """A cache of its own kind, for example one with an index of its keys."""
    settings = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    with pytest.raises(UnsupportedModel, match=r"^GPTNeoXJapaneseForCausalLM has custom attention.*Runtime"):
        load_causal_lm(tiny_model("gpt_neox_japanese", settings | {"intermediate_multiple_size": 2}))


VISION = {
    "qwen2_vl": {"depth": 1, "embed_dim": 32, "hidden_size": 64, "num_heads": 2},
    "qwen2_5_vl": {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 64, "num_heads": 2},
    "paddleocr_vl": {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2},
}


@pytest.mark.parametrize("kind", VISION)
def test_positions_on_several_axes_are_refused(kind, torch, tmp_path):
    """They passed the self-check, and read pictures as if all their tokens were in one line."""
    from transformers import CONFIG_MAPPING, AutoModelForImageTextToText

    config = CONFIG_MAPPING[kind](text_config=LLAMA | MROPE, vision_config=VISION[kind])
    model = AutoModelForImageTextToText.from_config(config).eval()
    with pytest.raises(UnsupportedModel, match=f"^{type(model).__name__} .*M-RoPE"):
        load_causal_lm(model)
    config.save_pretrained(tmp_path)
    with pytest.raises(UnsupportedModel, match=f"{kind} is not a causal language model"):
        load_causal_lm(tmp_path)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"auto_map": {"AutoConfig": "configuration_drawn.DrawnConfig"}}, "needs code from the checkpoint's folder"),
        ({}, "is not a model type that transformers"),
    ],
)
def test_a_model_type_that_transformers_lacks_is_refused(settings, reason, torch, tmp_path):
    """It was a raw ValueError of transformers, after a question on the terminal whether to run the code."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "drawn"} | settings))
    with pytest.raises(UnsupportedModel, match=f"^drawn {reason}"):
        load_causal_lm(tmp_path)


@pytest.mark.parametrize("error", [MemoryError, "torch"])
def test_a_machine_without_memory_is_no_fault_of_the_model(tiny_model, monkeypatch, torch, error):
    """Guards against a refusal that calls it a model with custom attention."""
    error = torch.OutOfMemoryError if error == "torch" else error

    def exhausted(*_, **__):
        raise error("no memory is left")

    monkeypatch.setattr("batching.routes.route_choice.self_check", exhausted)
    with pytest.raises(error):
        load_causal_lm(tiny_model("llama", LLAMA), route="transformers")


def test_code_that_lies_with_a_tokenizer_is_never_run_nor_asked_about(tiny_model, tmp_path, monkeypatch):
    """It was a question on the terminal of a server, answered by whoever had that."""
    tiny_model("llama", LLAMA).save_pretrained(tmp_path)
    code = {"auto_map": {"AutoTokenizer": ["tokenization_drawn.Drawn", None]}, "tokenizer_class": "Drawn"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(code))
    (tmp_path / "tokenization_drawn.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    questions = []
    monkeypatch.setattr("builtins.input", lambda question: questions.append(question) or "y")
    load_causal_lm(tmp_path)
    assert questions == []
    assert not (tmp_path / "ran").exists()


def test_a_decoder_with_sections_of_rope_is_refused(tiny_model):
    """The text decoder of such a model, taken out of it."""
    with pytest.raises(UnsupportedModel, match=r"^LlamaForCausalLM .*M-RoPE"):
        load_causal_lm(tiny_model("llama", LLAMA | MROPE))
