"""What depends on the length of all that a pass holds, against transformers' generate."""

import inspect

import pytest
from transformers import Phi3ForCausalLM

from batching import EngineConfig, PromptTooLong, UnsupportedModel, generate
from batching.inputs.context_length import RopeSwitch, context_length, rope_switch
from batching.loading.models import load_causal_lm
from tests.batching.conftest import request_of
from tests.batching.families import LLAMA

COUNT = 26
LENGTHS = (1, 9, 15, 17, 24, 31, 38, 39, 40, 41, 63, 70)
"""Short and staying so, crossing 40 or 64 at the first token, in the middle and never, long from the beginning."""
MLA = {
    "num_key_value_heads": 4,
    "q_lora_rank": 32,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 16,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
}
MSCALE = {"short_mscale": 1.2, "long_mscale": 1.9}
SETTINGS = {
    "phi3": LLAMA,
    "phi3, sliding window": LLAMA | {"sliding_window": 16},
    "phimoe": LLAMA | {"num_local_experts": 4, "sliding_window": None},
    "minicpm3": LLAMA | MLA,
    "llama": LLAMA,
    "qwen2": LLAMA,
}
RECOMPUTED = ("phi3", "phi3, sliding window", "phimoe")
OLD = "next_sequence_length" not in inspect.getsource(Phi3ForCausalLM.prepare_inputs_for_generation)
generate_recomputes = pytest.mark.skipif(
    OLD,
    reason="generate of this transformers (5.17) drops the cache when it crosses, and goes on without the prompt",
)


@pytest.fixture(scope="module")
def long_rope(torch):
    """Tiny models by name and length of the switch."""
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    def tiny_model(name, switch):
        rope = {
            "rope_type": "longrope",
            "rope_theta": 1e4,
            "factor": 8.0,
            "short_factor": [1.0 + 0.1 * at for at in range(8)],
            "long_factor": [2.0 + 0.9 * at for at in range(8)],
            "original_max_position_embeddings": switch,
        }
        kind = name.split(",")[0]
        own = {"original_max_position_embeddings": switch} if kind == "phi3" else {}
        rope |= MSCALE if kind == "phimoe" else {}
        torch.manual_seed(3)
        config = CONFIG_MAPPING[kind](**SETTINGS[name] | own | {"rope_parameters": rope})
        return AutoModelForCausalLM.from_config(config).eval()

    return tiny_model


def prompts(lengths=LENGTHS):
    return [[(at * 37 + step * step * 11) % 490 + 5 for step in range(length)] for at, length in enumerate(lengths)]


def completed(runner, all_tokens, sampling, **limits):
    """`sampling`: settings as `request_of` takes them."""
    steps = []
    requests = [request_of(sampling, prompt_token_ids=tokens) for tokens in all_tokens]
    config = EngineConfig(block_size=8, on_step=steps.append, **limits)
    outputs = generate(runner, requests, config)
    return [completion.token_ids for completion in outputs], steps


@generate_recomputes
@pytest.mark.parametrize("switch", [40, 64])
@pytest.mark.parametrize("name", RECOMPUTED)
def test_neighbours_on_both_sides_of_the_switch_get_the_text_of_generate(name, switch, long_rope, continued):
    """One long neighbour turned the keys of all others; a sequence that crossed kept the keys of short ones."""
    model = long_rope(name, switch)
    runner = load_causal_lm(model)
    params = {"max_tokens": COUNT, "repetition_penalty": 1.5}
    outputs, steps = completed(runner, prompts(), params, max_running=5, num_blocks=27, max_step_tokens=40)
    assert sum(step.num_preempted for step in steps), "nothing was preempted"
    assert outputs == [continued(model, prompt, COUNT, repetition_penalty=1.5) for prompt in prompts()]
    assert len({token for output in outputs for token in output}) >= 100, "output loops and would hide errors"


def test_the_two_sides_differ(long_rope, torch):
    """Else the tests of the switch would pass without it."""
    for name in RECOMPUTED:
        model = long_rope(name, 40)
        ids = torch.tensor([prompts()[5]])
        far = torch.cat([torch.arange(31), torch.tensor([40])])[None]
        with torch.inference_mode():
            short = model(ids).logits[0, 30]
            long = model(torch.cat([ids, ids[:, :1]], 1), position_ids=far, use_cache=False).logits[0, 30]
        assert (short - long).abs().max() > 0.01 * short.abs().max(), name


@generate_recomputes
@pytest.mark.parametrize("name", ["phi3", "phimoe"])
def test_beams_cross_the_switch_together(name, long_rope, continued):
    """A beam beyond the switch is computed whole by the angles of long contexts."""
    model = long_rope(name, 40)
    all_tokens = prompts((9, 24, 32, 39, 40, 41))
    params = {"max_tokens": 20, "num_beams": 3}
    outputs, steps = completed(
        load_causal_lm(model), all_tokens, params, max_running=9, num_blocks=32, max_step_tokens=30
    )
    assert outputs == [continued(model, tokens, 20, num_beams=3) for tokens in all_tokens]
    assert steps[-1].num_free_blocks == 32


@generate_recomputes
def test_a_sequence_alone_crosses_at_the_end_of_a_block(long_rope, continued):
    """The token that crosses needs a block that the recomputed ones do not."""
    model = long_rope("phi3", 40)
    outputs, _ = completed(load_causal_lm(model), prompts((38,)), {"max_tokens": 9}, num_blocks=6)
    assert outputs == [continued(model, prompts((38,))[0], 9)]


@pytest.mark.parametrize("switch", [40, 64])
@pytest.mark.parametrize("name", ["minicpm3", "llama", "qwen2"])
def test_where_generate_mixes_both_angles_the_context_ends_at_the_switch(name, switch, long_rope, continued, caplog):
    """Beyond it the text depends on how the tokens came into the cache."""
    model = long_rope(name, switch)
    runner = load_causal_lm(model)
    assert runner.max_length == switch
    assert f"is limited to {switch} of its 256 positions" in caplog.text
    short = [prompt for prompt in prompts() if len(prompt) <= switch]
    params = {"max_tokens": COUNT, "repetition_penalty": 1.5}
    outputs, steps = completed(runner, short, params, max_running=5, num_blocks=18, max_step_tokens=40)
    assert sum(step.num_preempted for step in steps), "nothing was preempted"
    expected = [
        continued(model, prompt, min(COUNT, switch + 1 - len(prompt)), repetition_penalty=1.5) for prompt in short
    ]
    assert outputs == expected
    with pytest.raises(PromptTooLong, match=f"context holds {switch}"):
        completed(runner, prompts((switch + 1,)), params)


def test_the_self_check_sees_both_sides_of_the_switch(long_rope, monkeypatch):
    """Its prompts of 21 tokens never come near 4,096: what is wrong beyond would show in no load."""
    monkeypatch.setattr("batching.routes.transformers_route.rope_switch", lambda config: None)
    with pytest.raises(UnsupportedModel, match="does not compute the same"):
        load_causal_lm(long_rope("phi3", 4096 // 32))


def test_rope_that_depends_on_the_length_by_its_own_code_is_refused(tiny_lm, monkeypatch):
    """A model may compute such a switch itself, without a word in its config."""
    model = tiny_lm("llama")
    rotary = type(model.model.rotary_emb)
    plain = rotary.forward

    def stretched(self, x, position_ids):
        return plain(self, x, position_ids * 0.5 if position_ids.max() > 100 else position_ids)

    monkeypatch.setattr(rotary, "forward", stretched)
    with pytest.raises(UnsupportedModel, match="largest position of the pass"):
        load_causal_lm(model)


@pytest.mark.parametrize(
    ("rope", "switch"),
    [
        ({"rope_type": "default"}, None),
        ({"rope_type": "dynamic", "factor": 2.0}, None),
        ({"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 64}, None),
        ({"rope_type": "longrope", "original_max_position_embeddings": 256}, None),
        ({"rope_type": "longrope", "original_max_position_embeddings": 64}, 64),
        (
            {
                "sliding_attention": {"rope_type": "default"},
                "full_attention": {"rope_type": "longrope", "original_max_position_embeddings": 64},
            },
            64,
        ),
    ],
)
def test_the_switch_is_read_from_flat_and_nested_settings(rope, switch):
    """One that is at the end of the context is never reached; dynamic rope starts beyond it."""
    from types import SimpleNamespace

    config = SimpleNamespace(model_type="gemma3_text", rope_parameters=rope, max_position_embeddings=256)
    assert rope_switch(config) == (None if switch is None else RopeSwitch(switch, recomputes=False))
    assert context_length(config) == (switch or 256)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(
            "doge",
            {"keep_window_size": 40},
            marks=pytest.mark.skipif(OLD, reason="the self-check refuses Doge as transformers 5.17 has it"),
        ),
        (
            "llama4_text",
            {
                "head_dim": 16,
                "intermediate_size_mlp": 96,
                "num_local_experts": 4,
                "moe_layers": [1],
                "no_rope_layers": [1, 0],
                "attention_chunk_size": 16,
                "layer_types": ["chunked_attention", "full_attention"],
                "floor_scale": 41,
                "attn_scale": 2.0,
            },
        ),
    ],
)
def test_attention_that_looks_at_the_padded_length_ends_the_context_there(kind, settings, torch, continued):
    """Doge drops tokens and Llama 4 scales queries by the row as it is padded: a longer neighbour changed the text."""
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[kind](**LLAMA | settings)).eval()
    runner = load_causal_lm(model)
    assert runner.max_length == 40
    params = {"max_tokens": COUNT, "repetition_penalty": 1.5}
    outputs, _ = completed(runner, prompts(LENGTHS[:9]), params, max_running=5, num_blocks=18, max_step_tokens=40)
    expected = [
        continued(model, prompt, min(COUNT, 41 - len(prompt)), repetition_penalty=1.5)
        for prompt in prompts(LENGTHS[:9])
    ]
    assert outputs == expected
