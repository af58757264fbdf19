"""What of an image is read, as far as no model runs for it."""

from pathlib import Path

import numpy as np
import pytest

from batching import ModeUnavailable, Request
from batching.inputs.got.prompts import scaled_box
from batching.loading.models import load_got_ocr2

COMPACT = Path(__file__).parents[2] / "checkpoints" / "ocr-compact"


def test_a_box_is_told_in_thousandths_of_width_and_height():
    """transformers 5.23's processor takes an array's height for its width; the model was trained without that."""
    assert scaled_box((20, 10, 260, 150), 300, 200) == (66, 50, 866, 750)


def test_what_to_read_goes_with_an_image():
    """Ignored with a text prompt, it would be missed by nobody."""
    for settings in ({"box": (0, 0, 1, 1)}, {"color": "red"}, {"crop_to_patches": True}):
        with pytest.raises(ValueError, match=next(iter(settings))):
            Request(prompt_token_ids=[1], **settings)


def test_a_checkpoint_without_a_query_refuses_regions():
    """The compact checkpoint has one prompt: a box would be ignored, and all of the image be read."""
    runner = load_got_ocr2(COMPACT)
    with pytest.raises(ModeUnavailable, match="box"):
        runner.inputs.prepare(Request(image=np.zeros((128, 128, 3), np.uint8), box=(0, 0, 50, 50)))
