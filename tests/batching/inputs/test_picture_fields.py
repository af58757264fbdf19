"""What a processor makes of several pictures, in parts: each is encoded as the model would encode all of them."""

import pytest

from batching.inputs.any_model.picture_fields import PICTURE_FIELDS, join_pictures, shape_of, split_pictures
from batching.inputs.any_model.processor_reader import ProcessorReader
from batching.inputs.reading_config import ReadingConfig
from batching.inputs.text_inputs import TextInputs
from tests.batching.test_vision_families import parts

SEVERAL = 3  # request of three pictures of different sizes
EQUAL = 6  # request of two of one size
NUM_PARTS = {  # of the three pictures, tiles and slices counted
    "qwen3_5": 3,
    "minicpm_ocr": 5,
    "lfm2_vl": 5,
    "qwen2_vl": 3,
    "lighton_ocr": 3,
    "idefics3": 11,
    "internvl": 7,
}


def picture_fields(name, index):
    """The fields of a request's pictures, as the engine hands them to the vision encoder."""
    model, processor, all_inputs = parts(name)
    text = TextInputs(model, tokenizer=None, stop_token_ids=frozenset())
    reader = ProcessorReader(model, processor=processor, reading=ReadingConfig(), text=text)
    return model, reader.prepare_image(all_inputs[index]).inputs


def features_of(model, fields):
    """(features, hidden) of all pictures in `fields`."""
    import torch

    with torch.inference_mode():
        pooled = model.get_image_features(**fields, return_dict=True).pooler_output
    rows = [pooled] if isinstance(pooled, torch.Tensor) else pooled
    return torch.cat([row.reshape(-1, row.shape[-1]) for row in rows])


@pytest.mark.parametrize("name", NUM_PARTS)
def test_vision_parts_of_a_prompt_are_its_pictures(name, torch):
    """A part with the size of another picture gives features of the right number, and wrong ones."""
    model, fields = picture_fields(name, SEVERAL)
    pictures = split_pictures(fields)
    assert len(pictures) == NUM_PARTS[name]
    alone = torch.cat([features_of(model, picture) for picture in pictures])
    torch.testing.assert_close(alone, features_of(model, fields), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", NUM_PARTS)
def test_vision_parts_of_one_shape_share_a_pass(name, torch):
    """As on a GPU: joined on the wrong axis, patches of two pictures lie in one another."""
    model, fields = picture_fields(name, EQUAL)
    pictures = split_pictures(fields)
    same = [picture for picture in pictures if shape_of(picture) == shape_of(pictures[0])]
    assert len(same) > 1
    alone = torch.cat([features_of(model, picture) for picture in same])
    torch.testing.assert_close(features_of(model, join_pictures(same)), alone, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["qwen3_5", "minicpm_ocr", "lfm2_vl"])
def test_vision_fields_that_do_not_fit_together_stay_together(name, torch):
    """The model says what is wrong with them, and only to their request."""
    _, fields = picture_fields(name, SEVERAL)
    torn = fields | {"pixel_values": fields["pixel_values"][..., :-1, :-1]}
    for size in ("image_grid_thw", "spatial_shapes", "target_sizes"):
        if size in torn:
            torn[size] = torn[size][:-1]
    assert split_pictures(torn) == [torn]
    assert split_pictures(fields | {"unknown": 1}) == [fields | {"unknown": 1}]


def test_vision_fields_are_known_where_the_model_hands_all_of_them_on(torch):
    """MiniCPM's `get_image_features` takes anything: nothing of the processor's reached it."""
    _, fields = picture_fields("minicpm_ocr", EQUAL)
    assert fields.keys() == {"pixel_values", "target_sizes"} <= PICTURE_FIELDS
