"""What of an image GOT-OCR2 reads, in how many tiles and by how many beams, against transformers' generate."""

import numpy as np
import pytest

from batching import EngineConfig, Request, SamplingParams, generate
from batching.inputs.got import vision_tower as got_vision_tower
from batching.loading.models import load_got_ocr2
from tests.batching.conftest import request_of
from tests.batching.native_route_here import NATIVE
from tests.batching.torch_graphs import load


def noise(seed, height=128, width=128):
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)


@pytest.fixture(scope="module")
def whole(tiny_got):
    """The model with all its weights; a runner's own may have lost some to its route."""
    from transformers import GotOcr2ForConditionalGeneration

    return GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()


@pytest.fixture(scope="module", params=["transformers", "torch", NATIVE, "graphs"])
def runner(tiny_got, request):
    return load(load_got_ocr2, str(tiny_got), route=request.param)


REGIONS = [
    (noise(11, 200, 200), {"box": (20, 10, 160, 150)}),
    (noise(12), {"color": "red"}),
    (noise(13, 256, 256), {"mode": "format", "box": (0, 0, 256, 128), "color": "blue"}),
    (noise(14, 300, 150), {"crop_to_patches": True}),
    (noise(15, 128, 128), {"crop_to_patches": True, "max_crops": 1}),
    (noise(16, 150, 420), {"crop_to_patches": True, "max_crops": 6, "mode": "format"}),
    (noise(17, 128, 128), {}),
]


@pytest.mark.parametrize(
    "limits",
    [{}, {"num_blocks": 110, "block_size": 4}, {"max_step_tokens": 50}],
    ids=["roomy", "preempting", "chunked"],
)
def test_boxes_colours_and_crops_equal_generate(limits, runner, whole, tiny_got, torch, images_prepared_inline):
    """Tiles of one image must stay together and in order, and each prompt has its own length."""
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(tiny_got)
    params = SamplingParams(max_tokens=16)
    requests = [Request(image=image, sampling=params, **settings) for image, settings in REGIONS]
    steps = []
    completions = generate(runner, requests, EngineConfig(**{"max_running": 4} | limits, on_step=steps.append))
    assert bool(sum(step.num_preempted for step in steps)) == ("num_blocks" in limits)
    for (image, settings), asked_for, completion in zip(REGIONS, requests, completions, strict=True):
        options = {"format": settings.get("mode") == "format", "num_image_tokens": 4}
        options |= {"color": settings["color"]} if "color" in settings else {}  # not every version takes None for these
        options |= {"box": list(settings["box"])} if "box" in settings else {}  # the processor changes it in place
        crops = {"crop_to_patches": "crop_to_patches" in settings, "max_patches": settings.get("max_crops", 12)}
        inputs = processor(images=image, return_tensors="pt", **options, **crops)
        assert inputs["input_ids"][0].tolist() == runner.inputs.prepare(asked_for).token_ids
        stop = processor.tokenizer.convert_tokens_to_ids("<|im_end|>")
        with torch.inference_mode():
            output = whole.generate(**inputs, max_new_tokens=16, do_sample=False, eos_token_id=stop, pad_token_id=stop)
        assert completion.token_ids == output[0, inputs["input_ids"].shape[1] :].tolist()


def test_beams_over_an_image_equal_generate(runner, whole, tiny_got, torch, images_prepared_inline):
    """Each step of a beam reads the image before what the beam says so far."""
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(tiny_got)
    requests = [request_of({"max_tokens": 14, "num_beams": 3}, image=noise(seed)) for seed in range(4)]
    limits = EngineConfig(max_running=12, num_blocks=30, max_step_tokens=100)
    completions = generate(runner, requests, limits)
    stop = processor.tokenizer.convert_tokens_to_ids("<|im_end|>")
    for seed, completion in enumerate(completions):
        inputs = processor(images=noise(seed), num_image_tokens=4, return_tensors="pt")
        with torch.inference_mode():
            settings = {"num_beams": 3, "eos_token_id": stop, "pad_token_id": stop}
            output = whole.generate(**inputs, max_new_tokens=14, do_sample=False, **settings)
        assert completion.token_ids == output[0, inputs["input_ids"].shape[1] :].tolist()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"box": (0, 0, 129, 50)}, "box"),
        ({"box": (30, 0, 20, 50)}, "box"),
        ({"box": (0, 0, 50)}, "box"),
        ({"color": "mauve"}, "color"),
        ({"crop_to_patches": True, "max_crops": 0}, "max_crops"),
    ],
)
def test_a_region_that_cannot_be_is_refused_by_its_name(settings, named, runner):
    """int(box / size) takes any number, and the model then reads somewhere else."""
    with pytest.raises(ValueError, match=named):
        runner.inputs.prepare(Request(image=noise(0), **settings))


def test_tiles_are_encoded_together_and_in_bounded_number(runner, monkeypatch):
    """A pass holds what the budget allows, a step one pass, but for an image that is more tiles itself."""
    pass_sizes = []
    encoded = type(runner.inputs.encoder)._encoded
    monkeypatch.setattr(
        type(runner.inputs.encoder),
        "_encoded",
        lambda self, tiles, *rest: pass_sizes.append(len(tiles)) or encoded(self, tiles, *rest),
    )
    params = SamplingParams(max_tokens=2)
    monkeypatch.setattr(got_vision_tower, "MAX_BIAS_BYTES", 1 << 19)  # so that a megabyte holds some tiles
    most = runner.inputs.max_patches(1) // 64  # a tile is 8 patches a side
    assert 3 <= most <= 5
    requests = [Request(image=noise(seed), sampling=params) for seed in range(most + 2)]
    generate(runner, requests, EngineConfig(vision_budget_mb=1))
    assert sum(pass_sizes) == most + 2
    assert max(pass_sizes) <= most
    pass_sizes.clear()
    dense = [Request(image=noise(9, 500, 500), sampling=params, crop_to_patches=True, max_crops=9)]
    generate(runner, dense, EngineConfig(vision_budget_mb=1))
    assert sum(pass_sizes) == 10
    assert max(pass_sizes) == most
