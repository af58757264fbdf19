"""Pictures as the model sees them, against the checkpoint's own processor."""

from types import SimpleNamespace

import numpy as np
import pytest

from batching.inputs.got.tiles import TileProcessor
from batching.loading.models import load_got_ocr2

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
