"""Windows of a picture that show nothing, against transformers' own modules."""

from pathlib import Path

import numpy as np
import pytest

from batching.inputs.got.blank_windows import BlankWindows
from batching.inputs.got.vision_tower import Tower, run_layer

COMPACT = Path(__file__).parents[4] / "checkpoints" / "ocr-compact"
PAPER, INK = 0.0, -2.0
INKED = [  # rows and columns of pixels with ink: of one line, a short one, several, at edges of windows
    [(0, 32, 0, 256)],
    [(4, 20, 0, 30)],
    [(0, 96, 10, 250)],
    [(60, 68, 60, 68)],
    [(0, 1, 0, 1)],
    [(200, 201, 3, 4)],
    [(0, 256, 0, 256)],
    [],
]


@pytest.fixture(scope="module")
def model(torch):
    from transformers import GotOcr2ForConditionalGeneration

    return GotOcr2ForConditionalGeneration.from_pretrained(COMPACT, dtype=torch.float32).eval()


def tile(torch, areas, paper=PAPER):
    noise = torch.rand(1, 3, 256, 256, generator=torch.Generator().manual_seed(7)) * INK
    pixels = torch.full((1, 3, 256, 256), paper)
    for top, bottom, left, right in areas:
        pixels[..., top:bottom, left:right] = noise[..., top:bottom, left:right]
    pixels[..., -1, -1] = paper
    return pixels


@pytest.mark.parametrize("areas", INKED)
@pytest.mark.parametrize("paper", [PAPER, -1.0])
def test_features_are_those_of_transformers(areas, paper, model, torch):
    """A token that sees ink two windows away, or a blank one of another colour, would be told apart by nothing else."""
    pixels = tile(torch, areas, paper)
    with torch.inference_mode():
        expected = model.model.get_image_features(pixel_values=pixels, return_dict=True).pooler_output
        features = Tower(model).features(pixels)
    assert torch.allclose(features, expected, rtol=0, atol=1e-5 * expected.abs().max())


def test_only_windows_with_ink_are_computed(model, torch):
    """The saving itself: what is computed of a short line is one window of sixteen."""
    sizes: list[int] = []

    def counting_layer(layer, hidden):
        sizes.append(len(hidden))
        return run_layer(layer, hidden)

    blank_windows = BlankWindows.of(model.model.vision_tower, model.model.multi_modal_projector, counting_layer)
    assert blank_windows is not None
    with torch.inference_mode():
        blank_windows.features(tile(torch, []))
        sizes.clear()
        blank_windows.features(tile(torch, [(4, 20, 0, 30)]))
        assert sizes == [1] * len(model.model.vision_tower.layers)


@pytest.mark.parametrize("areas", INKED)
@pytest.mark.parametrize("num_tokens", [8, 16, 40, 64])
def test_the_first_tokens_alone_are_those_of_the_whole(areas, num_tokens, model, torch):
    """A prompt that leaves out what is blank needs no token of it; what is above must not feel that."""
    pixels = tile(torch, areas)
    with torch.inference_mode():
        expected = model.model.get_image_features(pixel_values=pixels, return_dict=True).pooler_output
        features = Tower(model).features(pixels, num_tokens)
    assert features.shape[1] >= num_tokens
    assert torch.allclose(features[:, :num_tokens], expected[:, :num_tokens], rtol=0, atol=1e-5 * expected.abs().max())


def test_a_picture_does_not_change_what_later_ones_are(model, torch):
    """What is kept of a blank picture must not be written to."""
    with torch.inference_mode():
        tower = Tower(model)
        first = tower.features(tile(torch, [(0, 32, 0, 256)])).clone()
        tower.features(tile(torch, [(0, 96, 10, 250)]))
        empty = tower.features(tile(torch, []))
        assert np.array_equal(tower.features(tile(torch, [(0, 32, 0, 256)])).numpy(), first.numpy())
        assert not np.array_equal(empty.numpy(), first.numpy())


def test_a_tower_whose_windows_see_each_other_is_computed_whole(torch, tiny_got):
    """GOT-OCR2's own has global layers."""
    from transformers import GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()
    assert any(not layer.window_size for layer in model.model.vision_tower.layers)
    assert BlankWindows.of(model.model.vision_tower, model.model.multi_modal_projector, run_layer) is None
