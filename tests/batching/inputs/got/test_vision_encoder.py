"""Pictures as the model sees them, against the checkpoint's own processor."""

from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest

from batching import Request
from batching.inputs.got.tiles import TileProcessor
from batching.inputs.got.vision_encoder import VisionEncoder
from batching.inputs.got.vision_tower import Tower
from batching.loading.models import load_got_ocr2
from batching.requests.pictures import ImageFeatures

SIDE = 128  # of the tiny model's pictures


@pytest.fixture(scope="module")
def parts(tiny_got):
    from transformers import AutoImageProcessor

    return load_got_ocr2(str(tiny_got)).inputs.reader._tiles, AutoImageProcessor.from_pretrained(tiny_got)


@pytest.mark.parametrize("mean", ["its own", (0.5, 0.4, 0.3)])
@pytest.mark.parametrize(("height", "width"), [(SIDE, SIDE), (60, 200), (300, 128)])
def test_pixels_are_those_of_the_processor_to_the_bit(height, width, mean, parts, tiny_got, torch):
    """A picture of the model's own size was a last bit off: every level of every colour is in this one."""
    tiles, processor = parts
    if mean != "its own":
        processor = type(processor)(size={"height": SIDE, "width": SIDE}, image_mean=list(mean))
        tiles = TileProcessor(SimpleNamespace(image_size=SIDE, patch_size=16), processor)
    levels = np.arange(height * width * 3) // 3 % 256
    picture = levels.astype(np.uint8).reshape(height, width, 3)
    expected = processor(images=picture, return_tensors="pt")["pixel_values"]
    assert torch.equal(tiles.pixels(picture), expected)


@pytest.mark.parametrize("num_threads", [2, 3])
def test_pictures_that_are_encoded_at_once_are_those_encoded_alone(num_threads, tiny_got, torch, monkeypatch):
    """To the bit, in their order; and a budget for one picture has one at a time."""
    from transformers import GotOcr2ForConditionalGeneration

    inputs = load_got_ocr2(str(tiny_got)).inputs
    model = GotOcr2ForConditionalGeneration.from_pretrained(tiny_got).eval()
    encoder = VisionEncoder(model, num_threads=num_threads)
    noise = np.random.default_rng(3).integers(0, 256, (5, SIDE, SIDE, 3), np.uint8)
    pictures = [inputs.prepare_image(inputs.prepare(Request(image=picture)).image) for picture in noise]
    running, most = [], []
    features = Tower.features

    def counting(tower, *arguments):
        running.append(1)
        most.append(len(running))
        sleep(0.05)
        result = features(tower, *arguments)
        running.pop()
        return result

    with torch.inference_mode():
        alone = [VisionEncoder(model).encode([picture], 10**6)[0] for picture in pictures]
        monkeypatch.setattr(Tower, "features", counting)
        together = encoder.encode(pictures, 10**6)
        assert max(most) == num_threads
        most.clear()
        one_by_one = encoder.encode(pictures, 1)
        assert max(most) == 1
    embeds = [[one.embeds for one in side if isinstance(one, ImageFeatures)] for side in (alone, together, one_by_one)]
    assert [len(side) for side in embeds] == [5, 5, 5]
    for expected, *others in zip(*embeds, strict=True):
        assert all(torch.equal(other, expected) for other in others)
