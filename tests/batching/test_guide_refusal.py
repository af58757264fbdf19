"""Guides that cannot be followed are refused before anything is generated, and the message says where."""

import pytest
from transformers import LlamaConfig, LlamaForCausalLM

from batching import Guide, InvalidGuide, Request, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.sampling.guide_matcher import check_guide
from tests.batching.byte_tokenizer import byte_tokenizer

pytest.importorskip("llguidance")  # a machine that only runs the GPU queue lacks it
pytest.importorskip("llguidance.hf")
pytest.importorskip("llguidance.torch")


@pytest.fixture(scope="module")
def tokenizer():
    return byte_tokenizer()


@pytest.fixture(scope="module")
def runner(tokenizer):
    config = LlamaConfig(
        vocab_size=272,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    return load_causal_lm(LlamaForCausalLM(config).eval(), tokenizer=tokenizer)


@pytest.mark.parametrize(
    ("settings", "field"),
    [({"stop": ("x",)}, "stop"), ({"ignore_eos": True}, "ignore_eos")],
)
def test_what_does_not_go_with_a_guide_is_refused_by_name(settings, field):
    with pytest.raises(ValueError, match=f"^{field} must be .* with a guide"):
        SamplingParams(guide=Guide.choice(["a"]), **settings)


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"type": "strin"}, "its root"),
        ({"type": "object", "properties": {"a/b": {"type": "array", "uniqueItems": True}}}, "/properties/a~1b"),
        ({"anyOf": [{"type": "null"}, {"items": {"not": {}}}]}, "/anyOf/1/items"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"pattern": "(?=x)"}}}, "/properties/a"),
        ({"$ref": "#/$defs/c"}, "its root"),
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused_with_its_place(schema, pointer, runner):
    """Of a large schema nobody finds the one keyword."""
    sampling = SamplingParams(guide=Guide.json_schema(schema))
    with pytest.raises(InvalidGuide, match=f"^schema, at {pointer}: "):
        generate(runner, [Request(prompt_token_ids=[1], sampling=sampling)])
    with pytest.raises(InvalidGuide, match=f"^schema, at {pointer}: "):
        check_guide(Guide.json_schema(schema))


def test_a_regex_that_cannot_be_followed_is_refused(runner):
    with pytest.raises(InvalidGuide, match="look-around"):
        generate(runner, [Request(prompt_token_ids=[1], sampling=SamplingParams(guide=Guide.regex("a(?=b)")))])


def test_a_model_without_stop_token_or_tokenizer_takes_no_guide(tiny_lm, tokenizer):
    sampling = SamplingParams(guide=Guide.choice(["a"]))
    for own, message in ((tokenizer, "stop token"), (None, "tokenizer")):
        with pytest.raises(InvalidGuide, match=message):
            generate(
                load_causal_lm(tiny_lm("llama"), tokenizer=own), [Request(prompt_token_ids=[1], sampling=sampling)]
            )


def test_a_schema_of_many_wrong_parts_is_refused_soon(monkeypatch):
    """Guards against a compilation for each of the 10,000 parts that a caller may send."""
    from batching.sampling import guide_matcher

    compiled = []
    error = guide_matcher._error
    monkeypatch.setattr(guide_matcher, "_error", lambda guide: compiled.append(guide) or error(guide))
    members = {f"m{number}": {"type": "string"} for number in range(300)}
    schema = {"type": "object", "properties": members | {"wrong": {"type": "array", "uniqueItems": True}}}
    with pytest.raises(InvalidGuide, match="uniqueItems"):
        check_guide(Guide.json_schema(schema))
    assert len(compiled) <= 1 + guide_matcher.MAX_SCHEMA_PARTS
