"""GOT-OCR2 over paged KV, against transformers' generate."""

import copy
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from batching import (
    Engine,
    EngineConfig,
    InvalidImage,
    InvalidPrompt,
    ModeUnavailable,
    Request,
    RequestFailed,
    SamplingParams,
    generate,
)
from batching.loading.models import load_got_ocr2
from tests.batching.native_route_here import NATIVE
from tests.batching.torch_graphs import load

COMPACT = Path(__file__).parents[4] / "checkpoints" / "ocr-compact"


def noise(seed, height=128, width=128):
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)


@pytest.fixture(scope="module")
def oracle(tiny_got, torch):
    """What generate reads from an image."""
    from transformers import AutoProcessor, GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()
    processor = AutoProcessor.from_pretrained(tiny_got)

    def tokens(image, mode, count):
        inputs = processor(images=image, format=mode == "format", num_image_tokens=4, return_tensors="pt")
        stop = processor.tokenizer.convert_tokens_to_ids("<|im_end|>")
        with torch.inference_mode():
            output = model.generate(
                **inputs, max_new_tokens=count, do_sample=False, eos_token_id=stop, pad_token_id=stop
            )
        return output[0, inputs["input_ids"].shape[1] :].tolist()

    return tokens


@pytest.fixture(scope="module", params=["transformers", "torch", NATIVE, "graphs"])
def runner(tiny_got, request):
    return load(load_got_ocr2, str(tiny_got), route=request.param)


IMAGES = [(noise(seed, *size), mode) for seed, (size, mode) in enumerate([
    ((128, 128), "plain"), ((128, 128), "format"), ((40, 300), "plain"), ((200, 90), "format"), ((128, 128), "plain"),
])]  # fmt: skip


@pytest.mark.parametrize(
    "limits",
    [{}, {"num_blocks": 27}, {"max_step_tokens": 50}, {"vision_budget_mb": 1}],
    ids=["roomy", "preempting", "chunked", "one image per step"],
)
def test_reading_equals_generate(limits, runner, oracle):
    """Images share encoding and decoding; prompts, features and places must not be mixed up."""
    params = SamplingParams(max_tokens=20)
    requests = [Request(image=image, mode=mode, sampling=params) for image, mode in IMAGES]
    steps = []
    completions = generate(runner, requests, EngineConfig(**{"max_running": 4} | limits, on_step=steps.append))
    num_prompt = sum(len(runner.inputs.prepare(Request(image=image, mode=mode)).token_ids) for image, mode in IMAGES)
    preempted = sum(step.num_prefill_tokens for step in steps) > num_prompt
    assert preempted == ("num_blocks" in limits)
    assert [completion.token_ids for completion in completions] == [oracle(image, mode, 20) for image, mode in IMAGES]
    assert len({token for completion in completions for token in completion.token_ids}) > 20


def test_a_pil_image_reads_as_its_array(runner):
    """Both are public; only one was tested would be the usual story."""
    params = SamplingParams(max_tokens=8)
    array = noise(3)
    images = [array, Image.fromarray(array)]
    one, other = generate(runner, [Request(image=image, sampling=params) for image in images])
    assert one.token_ids == other.token_ids


def test_text_prompts_and_images_share_steps(runner, oracle):
    """Rows with and without an image come into one pass."""
    params = SamplingParams(max_tokens=12)
    text = Request(prompt_token_ids=list(range(60, 190)), sampling=params)
    requests = [text, Request(image=IMAGES[0][0], sampling=params)]
    alone = generate(runner, [text])[0]
    together = generate(runner, requests)
    assert together[0].token_ids == alone.token_ids
    assert together[1].token_ids == oracle(IMAGES[0][0], "plain", 12)


def test_an_image_token_in_the_output_is_a_token_like_any_other(tiny_got, torch):
    """Recomputed after a preemption, it must not be taken for a place of the image."""
    from transformers import AutoProcessor, GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    with torch.no_grad():
        model.lm_head.weight[model.config.image_token_id] *= 6  # likely
    processor = AutoProcessor.from_pretrained(tiny_got)
    broken = load_got_ocr2(model, processor=processor)
    reference = load_got_ocr2(model, processor=processor, route="transformers")
    params = SamplingParams(max_tokens=40)
    requests = [Request(image=noise(seed), sampling=params) for seed in range(4)]
    steps = []
    tight = EngineConfig(max_running=4, num_blocks=37, on_step=steps.append)
    completions = generate(broken, requests, tight)
    num_prompt = sum(len(broken.inputs.prepare(request).token_ids) for request in requests)
    assert sum(step.num_prefill_tokens for step in steps) > num_prompt, "nothing was preempted"
    # the youngest is preempted when its prompt of 120 tokens outgrows its eight blocks
    assert broken.inputs.reader._image_token_id in completions[-1].token_ids[:8]
    assert [completion.token_ids for completion in completions] == [
        completion.token_ids for completion in generate(reference, requests)
    ]


def test_a_broken_image_fails_alone(runner, oracle, tmp_path, run_async):
    """A truncated file is found out only when it is decoded."""
    file = tmp_path / "cut.png"
    Image.fromarray(noise(1)).save(file)
    file.write_bytes(file.read_bytes()[:2000])
    params = SamplingParams(max_tokens=8)

    async def main():
        async with Engine(runner) as engine:
            good = engine.submit(Request(image=IMAGES[0][0], sampling=params))
            with Image.open(file) as cut:
                bad = engine.submit(Request(image=cut, sampling=params))
                with pytest.raises(RequestFailed, match="image"):
                    await bad.result()
            assert (await good.result()).token_ids == oracle(IMAGES[0][0], "plain", 8)
            assert engine.stats().num_free_blocks == engine.stats().num_blocks

    run_async(main)


def test_what_the_checkpoint_cannot_read_is_refused_at_submit(runner, run_async):
    """Typed, at once, and before anything is held for it."""

    async def main():
        async with Engine(runner) as engine:
            with pytest.raises(ModeUnavailable, match="poem"):
                engine.submit(Request(image=noise(0), mode="poem"))
            for image in (noise(0)[..., :1], noise(0).astype(np.float32), noise(0)[:0], "file.png"):
                with pytest.raises(InvalidImage):
                    engine.submit(Request(image=image))
            with pytest.raises(InvalidPrompt, match="image token"):
                engine.submit(Request(prompt_token_ids=[runner.inputs.reader._image_token_id]))

    run_async(main)


def test_no_features_are_left_when_the_prefill_is_over(runner, run_async):
    """Half a megabyte a region, kept, is the device's memory within an hour."""

    async def main():
        async with Engine(runner, EngineConfig(max_step_tokens=50)) as engine:
            stream = engine.submit(Request(image=noise(0), sampling=SamplingParams(max_tokens=30)))
            await anext(stream)
            seq = stream._outbox.seq
            assert seq.features is None
            assert seq.prompt.image is not None  # a preemption would need it again
            await stream.result()
            assert seq.prompt.image is None

    run_async(main)


def test_a_given_model_is_not_changed(tiny_got, torch):
    """Callers go on to use their model."""
    from transformers import AutoProcessor, GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).train()
    before = copy.deepcopy(model.state_dict())
    processor = AutoProcessor.from_pretrained(tiny_got)
    runner = load_got_ocr2(model, dtype=torch.bfloat16, processor=processor)
    generate(runner, [Request(image=noise(0), sampling=SamplingParams(max_tokens=3))])
    assert model.training
    assert all(torch.equal(before[name], values) for name, values in model.state_dict().items())


@pytest.mark.parametrize("mode", ["continuous", "static"])
def test_a_step_resizes_no_picture(mode, runner, oracle, monkeypatch):
    """On a GPU all that decoded stood still while sixteen fresh pictures were resized in the model thread."""
    tiles = type(runner.inputs.reader._tiles)
    pixels, threads = tiles.pixels, []
    monkeypatch.setattr(tiles, "pixels", lambda *args: threads.append(threading.current_thread().name) or pixels(*args))
    params = SamplingParams(max_tokens=4)
    completions = generate(
        runner,
        [Request(image=image, mode=mode, sampling=params) for image, mode in IMAGES],
        EngineConfig(mode=mode, num_blocks=24),
    )
    assert [completion.token_ids for completion in completions] == [oracle(image, mode, 4) for image, mode in IMAGES]
    assert len(threads) >= len(IMAGES)
    assert not [name for name in threads if not name.startswith("batching-images")]
