"""The vision tower, against transformers' own modules."""

import itertools
import math

import pytest

from batching.inputs.got import vision_tower as module
from batching.inputs.got.vision_tower import Tower, attention, run_layer

GRIDS = [(4, 4), (5, 7), (14, 14), (9, 3)]  # of patches; tables of positions are fitted to each


@pytest.fixture(scope="module")
def model(torch, tiny_got):
    from transformers import GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()
    torch.manual_seed(5)
    for parameter in model.model.vision_tower.parameters():  # the neck begins at nearly zero, which would hide a bug
        torch.nn.init.normal_(parameter, std=0.3)
    return model


@pytest.fixture(scope="module")
def tiles(torch):
    return torch.randn(5, 3, 128, 128, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("bias_bytes", [64 << 20, 1], ids=["all heads at once", "one head at a time"])
@pytest.mark.parametrize(("height", "width"), GRIDS)
def test_attention_is_that_of_transformers(height, width, bias_bytes, model, torch, monkeypatch):
    """Rows and columns exchanged, or a head's bias laid over another head, go unseen on square pictures of noise."""
    monkeypatch.setattr(module, "MAX_BIAS_BYTES", bias_bytes)
    hidden = torch.randn(3, height, width, 32, generator=torch.Generator().manual_seed(height))
    with torch.inference_mode():
        for layer in model.model.vision_tower.layers:
            expected, weights = layer.attn(hidden)
            assert weights.amax() > 1.5 / (height * width), "attention is uniform: nothing is compared"
            assert torch.allclose(attention(layer.attn, hidden), expected, rtol=0, atol=1e-5 * expected.abs().max())


def test_attention_without_relative_positions_is_that_of_transformers(torch):
    """The compact checkpoint has none."""
    from transformers.models.got_ocr2.configuration_got_ocr2 import GotOcr2VisionConfig
    from transformers.models.got_ocr2.modeling_got_ocr2 import GotOcr2VisionAttention

    torch.manual_seed(6)
    config = GotOcr2VisionConfig(hidden_size=24, num_attention_heads=3, use_rel_pos=False, image_size=64)
    own = GotOcr2VisionAttention(config, 0).eval()
    hidden = torch.randn(2, 4, 6, 24)
    with torch.inference_mode():
        assert torch.allclose(attention(own, hidden), own(hidden)[0], rtol=0, atol=1e-5)


def test_features_are_those_of_transformers(model, tiles, torch):
    """Windows, global layers, places, neck and projector, all at once."""
    with torch.inference_mode():
        expected = model.model.get_image_features(pixel_values=tiles, return_dict=True).pooler_output
        features = Tower(model).features(tiles)
    assert features.shape == expected.shape
    assert torch.allclose(features, expected, rtol=0, atol=1e-5 * expected.abs().max())


@pytest.mark.parametrize("bias_bytes", [64 << 20, 40_000, 1])
def test_features_of_a_tile_do_not_depend_on_the_others_of_the_pass(model, tiles, bias_bytes, torch, monkeypatch):
    """A page's result never depends on what else is in flight: to the bit, on a CPU."""
    monkeypatch.setattr(module, "MAX_BIAS_BYTES", bias_bytes)
    tower = Tower(model)
    with torch.inference_mode():
        together = tower.features(tiles)
        for at in range(len(tiles)):
            assert torch.equal(tower.features(tiles[at : at + 1])[0], together[at])


def test_the_end_of_each_tile_is_noted_on_a_cpu(model, tiles, torch, monkeypatch):
    """A picture of many tiles is one step, which is told from a hanging one by this."""
    ends = itertools.count(1)
    monkeypatch.setattr(module.time, "perf_counter", lambda: float(next(ends)))
    tower = Tower(model)
    with torch.inference_mode():
        _ = tower.features(tiles)
    assert tower.last_pass == len(tiles) > 1


def test_a_tower_that_computes_something_else_is_run_by_its_own_layers(model, tiles, torch, monkeypatch, caplog):
    """A later transformers may change its layers: wrong features would be wrong text without a word."""
    layer = type(model.model.vision_tower.layers[0])
    forward = layer.forward
    monkeypatch.setattr(layer, "forward", lambda self, hidden: forward(self, hidden) * 1.01)
    tower = Tower(model)
    assert "layer 0 of the vision tower" in caplog.text
    with torch.inference_mode():
        expected = model.model.get_image_features(pixel_values=tiles, return_dict=True).pooler_output
        features = tower.features(tiles)
    assert torch.allclose(features, expected.view_as(features), rtol=0, atol=1e-4 * expected.abs().max())
    monkeypatch.undo()
    with torch.inference_mode():
        hidden = torch.randn(1, 8, 8, 32)
        own = model.model.vision_tower.layers[0]
        assert torch.allclose(run_layer(own, hidden), own(hidden), atol=1e-4)


def test_scores_of_the_published_tower_never_lie_in_memory_whole(torch):
    """12 heads of 4096 x 4096 scores are 0.8 GB, and the model's own attention holds three such tensors."""
    from transformers.models.got_ocr2.configuration_got_ocr2 import GotOcr2VisionConfig
    from transformers.models.got_ocr2.modeling_got_ocr2 import GotOcr2VisionAttention

    config = GotOcr2VisionConfig()
    side = config.image_size // config.patch_size
    with torch.device("meta"):
        own = GotOcr2VisionAttention(config, 0).eval()
        largest = Largest()
        with largest, torch.inference_mode():
            own.get_rel_pos = lambda height, _, __: torch.empty(height, height, 64)
            attention(own, torch.empty(1, side, side, config.hidden_size))
    assert largest.num_bytes <= module.MAX_BIAS_BYTES == side**4 * 4


def test_the_published_tower_takes_one_tile_per_pass_by_the_default_budget_of_a_cpu(torch):
    """Sixteen at once, as it was, are tens of gigabytes in the model's own attention."""
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration

    from batching.inputs.got.vision_encoder import CPU_BUDGET_MB, GPU_BUDGET_MB

    config = GotOcr2Config()
    with torch.device("meta"):
        model = GotOcr2ForConditionalGeneration(config)
    tower = Tower.__new__(Tower)
    tower._tower = model.model.vision_tower
    assert tower.max_tiles(1 << 20) == 1
    assert tower.max_tiles(CPU_BUDGET_MB << 20) == 1
    assert tower.max_tiles(GPU_BUDGET_MB << 20) == pytest.approx(9, abs=1)  # in float32; twice as many in bfloat16
    tile = (1 << 33) / tower.max_tiles(1 << 33)
    assert math.isclose(tile, 210 << 20, rel_tol=0.1)  # measured: 206 to 258 MB for one, with the bias


def Largest():  # noqa: N802  it stands for a class that needs torch
    """Knows the bytes of the largest tensor that any operation gave while it was entered."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        num_bytes = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            output = func(*args, **(kwargs or {}))
            for tensor in output if isinstance(output, tuple | list) else (output,):
                if isinstance(tensor, torch.Tensor):
                    self.num_bytes = max(self.num_bytes, tensor.numel() * tensor.element_size())
            return output

    return Watch()
