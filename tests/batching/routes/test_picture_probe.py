"""What the self-check of a load sees of pictures: a route that gets them wrong is not taken."""

import dataclasses

import numpy as np
import pytest

from batching import UnsupportedModel
from batching.inputs.image_inputs import overlay_of
from batching.loading.models import load_image_text
from batching.routes import padded_batch
from batching.routes.torch import packed_batch
from benchmarks.vision_peers import image_text_model
from tests.batching.test_vision_families import parts


def load(name, has_processor, route="torch"):
    model, processor, _ = parts(name)
    return load_image_text(model, processor=processor if has_processor else None, route=route)


def on_one_axis(ropes):
    return np.concatenate([np.arange(start, end) for _, start, end in ropes])


@pytest.mark.parametrize("has_processor", [True, False])
@pytest.mark.parametrize("name", ["qwen2_vl", "paddleocr_vl", "qwen3_vl"])
def test_vision_positions_on_one_axis_are_seen_by_the_self_check(name, has_processor, torch, monkeypatch):
    """Every model of this kind takes them without an error; a first attempt gave wrong text and passed the check."""
    assert load(name, has_processor).route == "torch"
    monkeypatch.setattr(packed_batch, "positions_of", on_one_axis)
    with pytest.raises(UnsupportedModel, match="behind a picture"):
        load(name, has_processor)


@pytest.mark.parametrize("has_processor", [True, False])
def test_vision_positions_of_a_model_with_recurrent_layers_are_seen_by_the_self_check(
    has_processor, torch, monkeypatch
):
    """Most of its layers have no positions: the few that have must be enough for the check."""
    assert load("qwen3_5", has_processor, "auto").route == "transformers"
    monkeypatch.setattr(padded_batch, "positions_of", on_one_axis)
    with pytest.raises(UnsupportedModel, match="behind a picture"):
        load("qwen3_5", has_processor, "auto")


def in_another_order(overlay):
    return dataclasses.replace(overlay, embeds=overlay.embeds.flip(0))


def without_deepstack(overlay):
    return dataclasses.replace(overlay, deepstack=())


@pytest.mark.parametrize("has_processor", [True, False])
@pytest.mark.parametrize(
    ("name", "torn", "route"),
    [
        ("qwen3_vl", in_another_order, "torch"),
        ("qwen3_vl", without_deepstack, "torch"),
        *((name, in_another_order, "auto") for name in ("qwen3_5", "minicpm_ocr", "lfm2_vl")),
    ],
)
def test_vision_features_are_seen_by_the_self_check(name, torn, route, has_processor, torch, monkeypatch):
    """A picture that is put elsewhere is wrong text, and no error."""

    def wrong(row, features):
        overlay = overlay_of(row, features)
        return None if overlay is None else torn(overlay)

    monkeypatch.setattr("batching.routes.self_check.overlay_of", wrong)
    with pytest.raises(UnsupportedModel, match="behind a picture"):
        load(name, has_processor, route)


def test_a_picture_may_be_as_far_from_float32_as_the_models_own_forward_makes_it(torch, monkeypatch):
    """Guards against roundings of a sharp model taken for a fault of the route: a GPU had no graphs for Qwen2-VL."""
    model = image_text_model(128, 3).to(torch.bfloat16)
    monkeypatch.setattr("batching.routes.self_check.LOW_PRECISION_TOLERANCE", 1e-4)
    assert load_image_text(model, route="torch").route == "torch"
    monkeypatch.setattr(packed_batch, "positions_of", on_one_axis)
    with pytest.raises(UnsupportedModel, match="behind a picture"):
        load_image_text(model, route="torch")
