"""Loading."""

import copy

import pytest

from batching import Request, SamplingParams, UnsupportedModel, generate
from batching.models import load_causal_lm, load_got_ocr2


def test_a_given_model_is_not_changed(tiny_lm, torch):
    """A cast or a switch to evaluation in place would change the caller's training."""
    model = copy.deepcopy(tiny_lm("llama")).train()
    before = copy.deepcopy(model.state_dict())
    runner = load_causal_lm(model, dtype=torch.bfloat16)
    generate(runner, [Request(prompt_token_ids=[5, 6], sampling=SamplingParams(max_tokens=3))])
    assert model.training
    assert model.dtype == torch.float32
    assert all(torch.equal(before[name], each) for name, each in model.state_dict().items())


def test_a_folder_gives_the_same_tokens_as_its_model(tiny_lm, tmp_path):
    """A folder of weights alone has no tokenizer, so no text."""
    model = tiny_lm("qwen2")
    model.save_pretrained(tmp_path)
    asked = [Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=9))]
    of_model, of_folder = (generate(load_causal_lm(each), asked)[0] for each in (model, tmp_path))
    assert of_model.token_ids == of_folder.token_ids
    assert of_folder.text == ""


def test_the_models_own_stop_tokens_end_an_output_unless_ignored(tiny_lm, continued):
    """As generate does, by the generation config."""
    model = copy.deepcopy(tiny_lm("llama"))
    tokens = continued(model, [5, 6, 7], 9)
    model.generation_config.eos_token_id = [tokens[3], 300]
    stopped, ignoring = (
        generate(
            load_causal_lm(model),
            [Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=9, ignore_eos=ignore))],
        )[0]
        for ignore in (False, True)
    )
    assert stopped.token_ids == tokens[: tokens.index(tokens[3]) + 1]
    assert ignoring.token_ids == tokens


def test_a_given_got_model_needs_its_processor():
    """Class defaults of the image processor are those of no checkpoint."""
    with pytest.raises(ValueError, match="processor"):
        load_got_ocr2(object())


def test_an_encoder_decoder_is_refused(torch):
    """It would run, and generate nonsense."""
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=32, d_model=16, d_ff=16, d_kv=8, num_layers=1, num_heads=2)
    with pytest.raises(UnsupportedModel, match="T5"):
        load_causal_lm(T5ForConditionalGeneration(config))
