"""What fails or is wrong on a processor is not used there: the model loads, and its text is that of `generate`."""

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch

from batching import Request, SamplingParams, UnsupportedModel, generate
from batching.inputs.got import vision_tower as tower_module
from batching.loading.models import load_causal_lm, load_got_ocr2
from batching.machine.probe import NotHere, probed
from batching.native.library import library
from batching.native.matrix import PackedMatrix, slowness
from batching.native.native_route import NativeRoute
from batching.routes.torch import linear
from batching.routes.torch.torch_route import TorchRoute

PROMPT = [5, 6, 7, 8]
NUM_TOKENS = 9


def fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("this processor\nhas no such product")


def wrong(real: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **named: real(*args, **named) * 1.2


@pytest.fixture(autouse=True)
def unknown_processor(monkeypatch):
    """What was tried before does not count, nor does what a test makes of it count afterwards."""
    monkeypatch.setattr(
        "batching.native.matrix.TIMING_SHAPE", (96, 64)
    )  # which product is faster is not looked at here
    monkeypatch.setattr("batching.routes.route_choice.MAX_TIME_RATIO", 1e9)
    caches = (slowness, linear.is_here, linear.saturates, library)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture(params=["fails", "wrong"])
def broken(request, monkeypatch):
    """Makes a function of an owner fail, or give other numbers."""

    def break_it(owner: Any, name: str) -> None:
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, fails if request.param == "fails" else wrong(real))

    return break_it


PARTS = {
    "native": [(NativeRoute, "logits")],
    "native and torch": [(NativeRoute, "logits"), (TorchRoute, "logits")],
}


def tokens_of(runner: Any) -> list[int]:
    ask = Request(prompt_token_ids=PROMPT, sampling=SamplingParams(max_tokens=NUM_TOKENS))
    return list(generate(runner, [ask])[0].token_ids)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("parts", PARTS)
def test_a_model_loads_without_what_does_not_work_and_generates_the_same(parts, dtype, broken, tiny_lm, continued):
    """With AVX2 alone no model in bfloat16 was loaded: a product that was tried on its own raised an error."""
    for owner, name in PARTS[parts]:
        broken(owner, name)
    model = copy.deepcopy(tiny_lm("llama")).to(getattr(torch, dtype))
    runner = load_causal_lm(model)
    expected = continued(model, PROMPT, NUM_TOKENS)
    assert runner.route == ("torch" if parts == "native" else "transformers")
    if parts == "native and torch" or dtype == "float32":
        assert tokens_of(runner) == expected
    else:  # roundings differ, and later tokens with them
        assert tokens_of(runner)[0] == expected[0]


def test_a_library_whose_products_cannot_be_timed_is_not_used(monkeypatch, tiny_lm):
    """The native route is chosen by how fast they are."""
    monkeypatch.setattr(PackedMatrix, "__call__", fails)
    assert load_causal_lm(tiny_lm("llama")).route == "torch"


def test_a_product_that_raises_is_reported_once(monkeypatch, tiny_lm, caplog):
    """One line, however many matrices and models there are; and it is one line, whatever the error says."""
    monkeypatch.setattr(torch.ops.aten, "_weight_int8pack_mm", fails)
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            load_causal_lm(tiny_lm("llama"), route="torch", quantisation="int8")
    lines = [record.getMessage() for record in caplog.records if "the product" in record.getMessage()]
    reason = "RuntimeError: this processor has no such product"
    assert lines == [f"the product of int8 is not used, it fails here: {reason}"]


PRODUCTS = {
    "int8": (torch.ops.aten, "_weight_int8pack_mm"),
    "int4": (torch.ops.aten, "_weight_int4pack_mm_for_cpu"),
    "dynamic_int8": (torch.ops.aten, "_int_mm"),
}


@pytest.mark.parametrize("kind", PRODUCTS)
def test_a_model_is_not_quantised_where_the_products_do_not_work(kind, broken, tiny_lm, continued, monkeypatch, caplog):
    """A setting that saves memory must not keep a server from starting on another machine."""
    monkeypatch.setattr("batching.routes.route_choice.library", lambda: None)
    broken(*PRODUCTS[kind])
    model = tiny_lm("llama")
    runner = load_causal_lm(model, quantisation=kind)
    assert runner.num_bytes == load_causal_lm(model, route="torch").num_bytes
    assert tokens_of(runner) == continued(model, PROMPT, NUM_TOKENS)
    assert f"LlamaForCausalLM runs without {kind}" in caplog.text


def test_bytes_are_multiplied_by_torch_where_the_library_cannot(monkeypatch, tiny_lm):
    """A wrong product of the native route refused the model, although torch's own was right."""
    if library() is None:
        pytest.skip("no compiler, or no AVX2")
    real = NativeRoute.__init__

    def fails_in_int8(self: NativeRoute, *args: Any, quantised: bool = False) -> None:
        real(self, *args, quantised=False)
        if quantised:
            fails()

    monkeypatch.setattr(NativeRoute, "__init__", fails_in_int8)
    runner = load_causal_lm(tiny_lm("llama-narrow"), quantisation="dynamic_int8")
    assert runner.route == "torch"
    assert runner.num_bytes < load_causal_lm(tiny_lm("llama-narrow"), route="torch").num_bytes / 3


def test_pictures_are_read_where_our_attention_does_not_work(broken, tiny_got):
    """The vision tower of transformers is there in any case."""
    tiles = torch.randn(2, 3, 128, 128, generator=torch.Generator().manual_seed(3))
    broken(tower_module, "attention")
    runner = load_got_ocr2(tiny_got)
    with torch.inference_mode():
        expected = runner.model.model.get_image_features(pixel_values=tiles, return_dict=True).pooler_output
        features = torch.cat([runner.inputs.encoder._encoded(tile) for tile in tiles.split(1)])
    torch.testing.assert_close(features, expected.view_as(features), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("error", [MemoryError(), UnsupportedModel("a shape")])
def test_what_is_not_the_processors_fault_is_no_reason_to_go_on(error):
    """A machine without memory would load a larger form of the model next."""

    def make() -> None:
        raise error

    with pytest.raises(type(error)):
        probed("a layout", make, lambda _: None)


def test_a_fault_that_is_found_names_itself(caplog):
    """For whoever asks why a machine is slow."""
    with pytest.raises(NotHere, match="2 off"):
        probed("a layout", lambda: 5, lambda number: f"{number - 3} off")
    assert "a layout is not used, it is wrong here: 2 off" in caplog.text
