"""Requests to an image-text model that it cannot serve, and those that fail while they run."""

import asyncio

import numpy as np
import pytest

from batching import (
    Engine,
    EngineConfig,
    InvalidImage,
    InvalidPrompt,
    ModeUnavailable,
    PromptTooLong,
    Request,
    RequestFailed,
    SamplingParams,
    generate,
)
from batching.inputs.any_model.processor_reader import TEXT_FIELDS
from batching.loading.models import load_image_text
from tests.batching.test_vision_families import HYBRIDS, expected, inputs_of, parts, requests, runner_of
from tests.batching.vision_families import picture

TOKENS = SamplingParams(max_tokens=4)


@pytest.fixture(scope="module")
def runner(torch):
    return runner_of("qwen2_vl", "torch")


def test_a_vision_prompt_that_outgrows_the_pool_is_refused_with_both_numbers(runner, run_async):
    """How long it is shows only when the processor has resized the picture; it waited for room for ever."""

    async def main():
        async with Engine(runner, EngineConfig(num_blocks=3)) as engine:
            large = engine.submit(Request(images=[picture(1, 96, 96)], prompt="read", sampling=TOKENS))
            small = engine.submit(Request(images=[picture(1, 30, 30)], prompt="read", sampling=TOKENS))
            with pytest.raises(PromptTooLong, match=r"the prompt has \d+ tokens, the KV pool holds 48"):
                await asyncio.wait_for(large.result(), 20)
            assert len((await small.result()).token_ids) == 4
            with pytest.raises(PromptTooLong, match="holds 48"):  # ready inputs tell it at once
                engine.submit(Request(inputs=parts("qwen2_vl")[2][3]))
            assert engine.stats().num_free_blocks == 3

    run_async(main)


@pytest.mark.parametrize("name", ["qwen2_vl", *HYBRIDS])
def test_vision_inputs_that_do_not_fit_together_fail_alone(name, run_async, torch):
    """One picture less than the prompt has places for: the features of another request must not fill them."""
    good = parts(name)[2][0]
    other = inputs_of(parts(name)[1], "read", [(3, 40, 40)])
    torn = good | {field: values for field, values in other.items() if field not in TEXT_FIELDS}

    async def main():
        async with Engine(runner_of(name, "transformers")) as engine:
            streams = [engine.submit(Request(inputs=inputs, sampling=TOKENS)) for inputs in (good, torn, good)]
            with pytest.raises(RequestFailed):
                await streams[1].result()
            outputs = [(await streams[at].result()).token_ids for at in (0, 2)]
            assert outputs == [expected(name)[0][:4]] * 2
            assert engine.stats().num_free_blocks == engine.stats().num_blocks

    run_async(main)


@pytest.mark.parametrize("name", ["internvl", *HYBRIDS])
def test_pictures_that_the_vision_encoder_refuses_fail_their_request(name, run_async, torch):
    """Anything that it raised ended the engine, and every other request with it."""
    good = parts(name)[2][0]
    wrong = good | {"pixel_values": good["pixel_values"][..., :-3]}

    async def main():
        async with Engine(runner_of(name, "transformers")) as engine:
            bad = engine.submit(Request(inputs=wrong, sampling=TOKENS))
            fine = engine.submit(Request(inputs=good, sampling=TOKENS))
            with pytest.raises(RequestFailed, match="pictures"):
                await bad.result()
            assert (await fine.result()).token_ids == expected(name)[0][:4]

    run_async(main)


@pytest.mark.parametrize(
    ("settings", "error", "named"),
    [
        ({"prompt_token_ids": [5, 257]}, InvalidPrompt, "image token"),
        ({"inputs": {"pixel_values": None}}, InvalidPrompt, "input_ids"),
        ({"inputs": {"input_ids": [[1, 2], [3, 4]]}}, InvalidPrompt, "one prompt"),
        ({"inputs": {"input_ids": [[1, 2]], "attention_mask": [[0, 1]]}}, InvalidPrompt, "padding"),
        ({"inputs": {"input_ids": [[1, 2]], "pixel_values_videos": 0}}, InvalidPrompt, "pixel_values_videos"),
        ({"inputs": {"input_ids": [[1, 99_999]]}}, InvalidPrompt, "99999"),
        ({"inputs": {"input_ids": [[1, 2]], "pixel_values": "picture.png"}}, InvalidPrompt, "tensors"),
        ({"image": np.zeros((9, 9, 3), np.uint8)}, ModeUnavailable, "reading profile"),
        ({"prompt": "read", "images": ["file.png"]}, InvalidImage, "PIL image"),
        ({"prompt": "read"}, InvalidPrompt, "without pictures"),
    ],
)
def test_what_a_vision_model_cannot_take_is_refused_at_submit(settings, error, named, runner):
    """By its name, before anything is held for it."""
    with pytest.raises(error, match=named):
        runner.inputs.prepare(Request(**settings))


@pytest.mark.parametrize(
    "settings",
    [{}, {"prompt": "a", "messages": []}, {"images": ["picture"]}, {"prompt_token_ids": [1], "images": ["picture"]}],
)
def test_a_vision_request_has_exactly_one_source(settings):
    """Two of them, and one would be ignored."""
    with pytest.raises(ValueError, match=r"exactly one|images need"):
        Request(**settings)


def test_a_vision_model_without_a_processor_takes_ready_inputs_alone(torch):
    """The chat template is the processor's."""
    model, _, all_inputs = parts("qwen2_vl")
    bare = load_image_text(model)
    with pytest.raises(InvalidPrompt, match="processor"):
        bare.inputs.prepare(Request(prompt="read"))
    params = SamplingParams(max_tokens=14, repetition_penalty=1.5)
    completions = generate(bare, [Request(inputs=inputs, sampling=params) for inputs in all_inputs])
    assert [completion.token_ids for completion in completions] == expected("qwen2_vl", repetition_penalty=1.5)


def test_a_vision_chat_of_several_turns_goes_through_the_template(runner, torch):
    """`messages` is taken as it is."""
    model, processor, _ = parts("qwen2_vl")
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "and this?"}]},
    ]
    images = [picture(5, 40, 64), picture(6, 64, 40)]
    text = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    inputs = dict(processor(text=[text], images=images, return_tensors="pt"))
    with torch.inference_mode():
        expected = model.generate(**inputs, max_new_tokens=9, do_sample=False, pad_token_id=0)
    request = Request(messages=messages, images=images, sampling=SamplingParams(max_tokens=9))
    (completion,) = generate(runner, [request])
    assert completion.token_ids == expected[0, inputs["input_ids"].shape[1] :].tolist()


def test_vision_features_live_no_longer_than_the_prefill(runner, run_async):
    """Megabytes a page, kept, are the device's memory within an hour."""

    async def main():
        async with Engine(runner, EngineConfig(max_step_tokens=40)) as engine:
            (request, *_) = requests("qwen2_vl")
            stream = engine.submit(request)
            await anext(stream)
            seq = stream._outbox.seq
            assert seq.features is None
            assert seq.pixels is None
            await stream.result()
            assert seq.prompt.image is None

    run_async(main)


def test_vision_prefixes_are_not_shared(runner):
    """Two prompts of equal tokens and different pictures have different keys and values."""
    params = SamplingParams(max_tokens=14)
    requests_of_pictures = [Request(prompt="read", images=[picture(seed, 64, 64)], sampling=params) for seed in (1, 2)]
    alone = [generate(runner, [request])[0].token_ids for request in requests_of_pictures]
    assert alone[0] != alone[1]
    limits = EngineConfig(reuse_prefixes=True, max_running=1)
    assert [completion.token_ids for completion in generate(runner, requests_of_pictures, limits)] == alone


@pytest.mark.parametrize("name", HYBRIDS)
def test_vision_prompts_of_equal_pictures_have_their_own_states(name, torch):
    """Equal pictures and tokens would share their blocks, and no block holds the state at its end."""
    reference = expected(name, repetition_penalty=1.5)
    batch = requests(name, repetition_penalty=1.5)
    limits = EngineConfig(reuse_prefixes=True, max_drafts=3, max_running=2, block_size=8)
    completions = generate(runner_of(name, "transformers"), [batch[at] for at in (1, 3, 1, 3, 2)], limits)
    assert [completion.token_ids for completion in completions] == [reference[at] for at in (1, 3, 1, 3, 2)]
