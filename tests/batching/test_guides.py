"""Outputs that follow a guide: what is allowed is the library's to say, what is chosen is generate's."""

import asyncio
import json
import re

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessor

from batching import (
    Engine,
    EngineConfig,
    FinishReason,
    Guide,
    InvalidGuide,
    Request,
    RequestFailed,
    SamplingParams,
    generate,
)
from batching.loading.models import load_causal_lm
from batching.sampling.guide_matcher import JSON_OPTIONS, MAX_COMPILED_GUIDES, GuideCompiler
from benchmarks.loads.random_schemas import random_schema
from tests.batching.byte_tokenizer import byte_tokenizer
from tests.batching.native_route_here import NATIVE
from tests.batching.torch_graphs import load

jsonschema = pytest.importorskip("jsonschema")  # a machine that only runs the GPU queue has neither
llguidance = pytest.importorskip("llguidance")
pytest.importorskip("llguidance.hf")
pytest.importorskip("llguidance.torch")

INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
        "date": {"type": "string", "format": "date"},
        "lines": {"type": "array", "items": {"enum": ["a", "bé", None, 4]}, "minItems": 2, "maxItems": 3},
        "paid": {"type": "boolean"},
    },
    "required": ["number", "date", "lines", "paid"],
    "additionalProperties": False,
}
GUIDES = (
    Guide.json_schema(INVOICE),
    Guide.regex("[a-c]{5}-(x|yz)[0-9]+"),
    Guide.choice(["yes", "no", 'with "quotes"\n', "perhaps é"]),
    None,
)


class OwnMask(LogitsProcessor):
    """The library's mask as a processor of generate."""

    def __init__(self, tokenizer, grammar):
        self._matcher = llguidance.LLMatcher(llguidance.hf.from_tokenizer(tokenizer), grammar)
        self._length = None

    def __call__(self, ids, scores):
        if self._length is not None:
            self._matcher.consume_tokens(ids[0, self._length :].tolist())
        self._length = ids.shape[1]
        mask = llguidance.torch.allocate_token_bitmask(1, scores.shape[1])
        llguidance.torch.fill_next_token_bitmask(self._matcher, mask)
        tokens = torch.arange(scores.shape[1])  # the library's own function compiles itself for half a minute
        return scores.masked_fill((mask[0, tokens // 32] >> tokens % 32) & 1 == 0, -torch.inf)


def grammar(guide):
    if guide.kind == "json_schema":
        return llguidance.LLMatcher.grammar_from_json_schema(guide.text, overrides=JSON_OPTIONS)
    if guide.kind == "regex":
        return llguidance.LLMatcher.grammar_from_regex(guide.text)
    return llguidance.LLMatcher.grammar_from_regex("|".join(map(re.escape, json.loads(guide.text))))


@pytest.fixture(scope="module")
def tokenizer():
    return byte_tokenizer()


@pytest.fixture(scope="module")
def model(torch, tokenizer):
    """More columns of logits than the tokenizer has tokens, as published models have."""
    torch.manual_seed(5)
    config = LlamaConfig(
        vocab_size=272,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        initializer_range=0.2,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    return LlamaForCausalLM(config).eval()


@pytest.fixture
def runner(model, tokenizer):
    return load_causal_lm(model, tokenizer=tokenizer)


def prompt(at):
    return [(at * 37 + step * step * 11) % 200 + 5 for step in range(at + 3)]


def requests(count, **settings):
    return [
        Request(
            prompt_token_ids=prompt(at),
            sampling=SamplingParams(max_tokens=90, guide=GUIDES[at % len(GUIDES)], **settings),
        )
        for at in range(count)
    ]


def assert_follows(guide, text):
    if guide.kind == "json_schema":
        jsonschema.validate(json.loads(text), json.loads(guide.text))
    elif guide.kind == "regex":
        assert re.fullmatch(guide.text, text)
    else:
        assert text in json.loads(guide.text)


@pytest.mark.parametrize(
    ("route", "settings"),
    [
        ("transformers", {}),
        ("torch", {}),
        ("graphs", {}),
        pytest.param("native", {}, marks=NATIVE.marks),
        ("auto", {"repetition_penalty": 1.4}),
        ("auto", {"temperature": 0.9, "seed": 3, "top_k": 30}),
    ],
)
def test_guided_output_equals_generate_with_the_librarys_mask(route, settings, model, tokenizer, continued, torch):
    """In a batch with others that follow other guides or none, in a pool that is too small for all."""
    steps = []
    runner = load(load_causal_lm, model, tokenizer=tokenizer, route=route)
    limits = EngineConfig(max_running=5, num_blocks=40, block_size=8, on_step=steps.append)
    guided = requests(8, **settings)
    completions = generate(runner, guided, limits)
    assert sum(step.num_preempted for step in steps) > 0
    for request, completion in zip(guided, completions, strict=True):
        guide = request.sampling.guide
        own = {"do_sample": True, **settings} if "temperature" in settings else dict(settings)
        torch.manual_seed(own.pop("seed", 0))
        if guide is not None:
            own["logits_processor"] = [OwnMask(tokenizer, grammar(guide))]
        expected = continued(model, list(request.prompt_token_ids), 90, **own)
        assert completion.token_ids == expected
        if completion.finish_reason is FinishReason.STOP and guide is not None:
            assert_follows(guide, completion.text)
    reasons = [completion.finish_reason for completion in completions]
    assert reasons.count(FinishReason.STOP) >= 4


def test_guides_are_reported_with_their_time(runner):
    """How much longer a step was for them is what an operator has to know."""
    steps = []
    generate(runner, requests(4), EngineConfig(on_step=steps.append))
    guided = [step for step in steps if step.num_guided]
    assert max(step.num_guided for step in guided) == 3
    assert all(step.guide_s > 0 and step.guide_wait_s >= 0 for step in guided)
    assert all(step.guide_s == 0 for step in steps if not step.num_guided)


def test_drafts_are_off_for_a_guided_sequence_alone(runner):
    """A draft may not be what the guide allows; its neighbours keep theirs."""
    plain = generate(runner, requests(8), EngineConfig())
    steps = []
    drafted = generate(runner, requests(8), EngineConfig(max_drafts=4, on_step=steps.append))
    assert [completion.token_ids for completion in drafted] == [completion.token_ids for completion in plain]
    only = [request for request in requests(8) if request.sampling.guide is not None]
    steps.clear()
    generate(runner, only, EngineConfig(max_drafts=4, on_step=steps.append))
    assert sum(step.num_drafts for step in steps) == 0


@pytest.mark.parametrize("max_tokens", [0, 1, 7, 20])
def test_an_output_that_is_cut_says_that_it_is_incomplete(max_tokens, runner):
    """Half a JSON value must not pass for a whole one."""
    sampling = SamplingParams(max_tokens=max_tokens, guide=Guide.json_schema(INVOICE))
    (completion,) = generate(runner, [Request(prompt_token_ids=[1], sampling=sampling)])
    assert completion.finish_reason is FinishReason.INCOMPLETE
    assert len(completion.token_ids) == max_tokens


def test_an_output_that_is_cut_where_it_could_end_was_ended_by_length(runner):
    sampling = SamplingParams(max_tokens=3, guide=Guide.regex("[a-z]+"))
    (completion,) = generate(runner, [Request(prompt_token_ids=[1], sampling=sampling)])
    assert completion.finish_reason is FinishReason.LENGTH
    assert re.fullmatch("[a-z]{3}", completion.text)


@pytest.mark.parametrize("seed", range(40))
def test_random_schemas_get_valid_json(seed, runner):
    """A quick part of `benchmarks/guides.py`, which asks for a thousand with many models."""
    schema = random_schema(seed)
    sampling = SamplingParams(max_tokens=900, guide=Guide.json_schema(schema), temperature=1.0, seed=seed)
    (completion,) = generate(runner, [Request(prompt_token_ids=prompt(seed % 7), sampling=sampling)])
    assert completion.finish_reason is FinishReason.STOP
    jsonschema.validate(json.loads(completion.text), schema)


def test_a_guide_is_compiled_once_and_ahead_of_its_request(runner, run_async, monkeypatch):
    """Compiling on the event loop would hold up every stream."""
    threads = []
    compile_ = GuideCompiler._compile
    monkeypatch.setattr(
        GuideCompiler, "_compile", lambda *args: threads.append(asyncio._get_running_loop()) or compile_(*args)
    )

    async def test():
        async with Engine(runner) as engine:
            request = requests(1)[0]
            await engine.compile(request)
            streams = [engine.submit(request) for _ in range(3)]
            assert len({tuple((await stream.result()).token_ids) for stream in streams}) == 1
            with pytest.raises(InvalidGuide):
                await engine.compile(Request(prompt_token_ids=[1], sampling=SamplingParams(guide=Guide.regex("("))))

    run_async(test)
    assert threads == [None, None]


def test_compiled_guides_are_forgotten_in_the_end(tokenizer):
    """Callers may send any number of schemas."""
    compiler = GuideCompiler(tokenizer)
    for at in range(MAX_COMPILED_GUIDES + 5):
        compiler.matcher(Guide.choice([str(at)]), 1, frozenset({tokenizer.eos_token_id}))
    assert len(compiler._compiled) == MAX_COMPILED_GUIDES


def test_a_guide_that_leaves_no_token_fails_its_own_request_alone(tokenizer, torch):
    """Else the likeliest of nothing would be token 0, and the batch mates would not be told apart."""
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=100,  # fewer than the tokenizer has: é needs bytes that this model cannot write
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        bos_token_id=None,
        eos_token_id=50,
    )
    runner = load_causal_lm(LlamaForCausalLM(config).eval(), tokenizer=tokenizer)
    guided = [
        Request(prompt_token_ids=[1], sampling=SamplingParams(max_tokens=9, guide=guide))
        for guide in (Guide.choice(["aé"]), Guide.choice(["ab"]))
    ]
    failed, whole = generate(runner, guided)
    assert isinstance(failed.error, RequestFailed)
    assert "none of the model's tokens" in str(failed.error)
    assert (whole.finish_reason, whole.text[:2]) == (FinishReason.STOP, "ab")
