"""Float32Mode: what a model of half precision computes in it is what its copy in float32 does."""

import copy

import pytest

from batching.machine.float32_mode import Float32Mode
from tests.batching.families import FAMILIES

NAMES = ("llama, attention and MLP biases", "llama, rope of Llama 3", "gpt2", "qwen3_moe", "deepseek_v3", "gemma2")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", NAMES)
def test_logits_are_those_of_a_copy_in_float32(name, dtype, torch):
    """Guards against an operation that rounds on the way, or a norm or router that goes back to the model's dtype."""
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    model_type, config, _ = FAMILIES[name]
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[model_type](**config)).eval().to(getattr(torch, dtype))
    ids = torch.tensor([[k * 31 % 97 for k in range(20)]])
    with torch.no_grad():
        own = model(input_ids=ids, use_cache=False).logits
        with Float32Mode():
            logits = model(input_ids=ids, use_cache=False).logits
        expected = copy.deepcopy(model).float()(input_ids=ids, use_cache=False).logits
        again = model(input_ids=ids, use_cache=False).logits
    assert logits.dtype == torch.float32
    assert torch.allclose(logits, expected, atol=1e-5 * float(expected.abs().max()))
    assert not torch.allclose(own.float(), expected, atol=1e-5 * float(expected.abs().max()))
    assert torch.equal(again, own)
