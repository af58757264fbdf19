"""Every image-text family of docs/models.md against transformers' generate, token for token.

Requests hold one, two or three pictures of different sizes, or none.
"""

import copy
import functools
import re
from pathlib import Path

import pytest

from batching import EngineConfig, generate
from batching.loading.models import load_image_text
from batching.native.library import library
from tests.batching.conftest import request_of
from tests.batching.torch_graphs import load
from tests.batching.vision_families import FAMILIES_VISION, make, picture

# of transformers' processor for GLM-OCR, under NumPy 2
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

COUNT = 14
PICTURES = [  # of each request: seed, height, width
    [(1, 60, 90)],
    [(2, 90, 48), (3, 40, 120)],
    [],
    [(4, 64, 64), (5, 33, 70), (6, 120, 50)],
    [(7, 140, 60)],
    [],
    [(8, 48, 48), (9, 48, 48)],
]
TEXTS = ["read", "what is in both of these?", "one and one is", "tables of all three", "", "say something", "OCR:"]
LIMITS = {
    "roomy": {},
    "chunks inside pictures": {"max_step_tokens": 13, "max_running": 4},
    "preempting": {"block_size": 4, "max_running": 4, "max_step_tokens": 100},
    "one picture a pass": {"vision_budget_mb": 1, "max_running": 3},
}
GRAPHS = ("lighton_ocr", "qwen2_vl", "qwen3_vl")  # one axis, three axes, deepstack; uncaptured on a CPU

HYBRIDS = ("qwen3_5", "minicpm_ocr", "lfm2_vl")  # with recurrent layers
ON_GPU = [(name, route) for name in GRAPHS for route in ("transformers", "torch")] + [
    (name, "transformers") for name in HYBRIDS
]


def routes_of(name):
    family = FAMILIES_VISION[name]
    if family.route == "transformers":
        return ["transformers"]
    has_native = family.native and library() is not None
    return ["transformers", "torch", *(["native"] if has_native else []), *(["graphs"] if name in GRAPHS else [])]


ROUTES = [(name, route) for name in FAMILIES_VISION for route in routes_of(name)]


@functools.cache
def parts(name):
    """Model and processor of a family, and the inputs of each request."""
    model, processor = make(name)
    inputs = [inputs_of(processor, text, pictures) for text, pictures in zip(TEXTS, PICTURES, strict=True)]
    return model, processor, inputs


def inputs_of(processor, text, pictures):
    images = [picture(*spec) for spec in pictures]
    content = [*({"type": "image"} for _ in images), {"type": "text", "text": text}]
    prompt = processor.apply_chat_template(
        [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
    )
    if not images:
        return dict(processor.tokenizer([prompt], return_tensors="pt"))
    return dict(processor(text=[prompt], images=images, return_tensors="pt"))


@functools.cache
def expected(name, seed=None, **settings):
    """What generate adds to each request."""
    import torch
    from transformers import GenerationMixin

    model, _, all_inputs = parts(name)
    general = getattr(GenerationMixin, "_expand_multimodal_outputs", None)
    if general is None and "num_beams" in settings:
        pytest.skip("this transformers hands beams the features of several pictures as A A B B")
    if name == "glm_ocr" and general is not None:
        # its own override (5.23) hands beams the features of several pictures as A A B B where A B A B is meant, an
        # error that transformers' general method does not have any more
        model._expand_multimodal_outputs = functools.partial(general, model)
    outputs = []
    for inputs in all_inputs:
        torch.manual_seed(seed or 0)
        with torch.inference_mode():
            output = model.generate(
                **inputs, max_new_tokens=COUNT, pad_token_id=0, **{"do_sample": seed is not None} | settings
            )
        outputs.append(output[0, inputs["input_ids"].shape[1] :].tolist())
    return outputs


@functools.cache
def runner_of(name, route):
    model, processor, _ = parts(name)
    runner = load(load_image_text, model, processor=processor, route=route)
    assert runner.route == ("torch" if route == "graphs" else route)
    return runner


def requests(name, **settings):
    """Every other one that has pictures by them and its text, the rest by inputs that are ready."""
    request = functools.partial(request_of, {"max_tokens": COUNT} | settings)
    _, _, all_inputs = parts(name)
    return [
        request(inputs=inputs)
        if at % 2 or not pictures
        else request(prompt=text, images=[picture(*spec) for spec in pictures])
        for at, (inputs, text, pictures) in enumerate(zip(all_inputs, TEXTS, PICTURES, strict=True))
    ]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_vision_families_say_what_generate_says(name, route, limits, torch, images_prepared_inline):
    """Places, features, positions and layers of deepstack may be mixed up without any error."""
    reference = expected(name, repetition_penalty=1.5)
    assert len({token for tokens in reference for token in tokens}) > 40, "output loops and would hide errors"
    steps = []
    batch, pool = requests(name, repetition_penalty=1.5), {}
    if limits == "preempting":  # four that fit with their prompts, and not with what they say
        batch, reference = ([items[at] for at in (0, 3, 1, 4)] for items in (batch, reference))
        pool = {"num_blocks": 4 + sum(-(-parts(name)[2][at]["input_ids"].shape[1] // 4) for at in (0, 3, 1, 4))}
    config = EngineConfig(**LIMITS[limits], **pool, on_step=steps.append)
    completions = generate(runner_of(name, route), batch, config)
    assert [completion.token_ids for completion in completions] == reference
    assert bool(sum(step.num_preempted for step in steps)) == (limits == "preempting")


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_vision_beams_equal_generate(name, route, torch):
    """Each step of a beam reads the pictures before what the beam says so far."""
    reference = expected(name, num_beams=3, repetition_penalty=1.5)
    limits = EngineConfig(max_running=9, block_size=8, num_blocks=120, max_step_tokens=60)
    completions = generate(runner_of(name, route), requests(name, num_beams=3, repetition_penalty=1.5), limits)
    assert [completion.token_ids for completion in completions] == reference


@pytest.mark.parametrize(("name", "route"), ROUTES)
def test_vision_sampling_by_seed_equals_generate(name, route, torch):
    """The seed alone decides, whatever shares the steps."""
    reference = expected(name, seed=11, temperature=0.9, top_k=20, top_p=0.9)
    batch = requests(name, seed=11, temperature=0.9, top_k=20, top_p=0.9)
    limits = EngineConfig(max_running=4, max_step_tokens=40)
    assert [completion.token_ids for completion in generate(runner_of(name, route), batch, limits)] == reference


@pytest.mark.gpu
@pytest.mark.parametrize("limits", ["roomy", "chunks inside pictures", "one picture a pass"])
@pytest.mark.parametrize(("name", "route"), ON_GPU)
def test_vision_on_a_gpu_says_what_generate_says_there(name, route, limits, torch):
    """Pictures encoded in groups, and positions on several axes in captured graphs, which no CPU runs."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    model, processor, all_inputs = parts(name)
    on_gpu = copy.deepcopy(model).to("cuda")
    reference = []
    for inputs in all_inputs:
        there = {key: value.to("cuda") for key, value in inputs.items()}
        with torch.inference_mode():
            output = on_gpu.generate(
                **there, max_new_tokens=COUNT, pad_token_id=0, do_sample=False, repetition_penalty=1.5
            )
        reference.append(output[0, inputs["input_ids"].shape[1] :].tolist())
    runner = load_image_text(on_gpu, processor=processor, device="cuda", route=route)
    completions = generate(runner, requests(name, repetition_penalty=1.5), EngineConfig(**LIMITS[limits]))
    assert [completion.token_ids for completion in completions] == reference


@pytest.mark.parametrize("name", FAMILIES_VISION)
def test_vision_auto_route_is_the_torch_one_where_the_decoder_has_one(name, torch):
    """A family that falls back to the transformers route is slower by half, without a message."""
    model, processor, _ = parts(name)
    runner_route = load_image_text(model, processor=processor).route
    assert (
        runner_route == "transformers"
        if FAMILIES_VISION[name].route == "transformers"
        else runner_route in ("torch", "native")
    )


@pytest.mark.parametrize("name", FAMILIES_VISION)
def test_vision_output_depends_on_every_picture(name, torch):
    """A tiny model that does not see its pictures would pass all other tests."""
    model, _, all_inputs = parts(name)
    with torch.inference_mode():
        whole = model(**all_inputs[3]).logits[0, -1]
        _, _, other = parts(name)
        changed = dict(other[3])
        pixels = changed["pixel_values"].clone()
        last = pixels[0] if pixels.ndim == 5 else pixels
        last[-1] += 0.5
        changed["pixel_values"] = pixels
        assert float((model(**changed).logits[0, -1] - whole).abs().max()) > 1e-2


def test_the_table_of_vision_families_is_the_tested_one():
    """A family in the docs that no test runs is a promise."""
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z0-9_]+)` \|.*\| (torch|transformers) \|[^|]*\|$", page, re.MULTILINE)
    assert dict(rows) == {name: family.route for name, family in FAMILIES_VISION.items()}
