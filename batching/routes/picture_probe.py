"""A test prompt with images, by which a route is compared with the model's own forward."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from batching.inputs.any_model.processor_reader import Chat, ProcessorReader
from batching.inputs.image_inputs import Encoder
from batching.kv.block_pool import ceil_div
from batching.machine.device import on_device
from batching.requests.pictures import ImageFeatures, PreparedPictures
from batching.requests.rope_positions import Integers, Rope
from batching.routes.llama_weights import num_rope_axes
from batching.routes.text_probe import BLOCK_SIZE, Probe
from batching.step_plan import PlanRow, RowOwner

log = logging.getLogger(__name__)

MAX_PATCHES = 4096  # larger pictures of a processor's own size take too long where a model is loaded on a CPU
NUM_DECODES = 3
PICTURE_SIZES = ((60, 150), (90, 70))  # height and width of two pictures: their axes differ
PICTURE_GRIDS = ((2, 5), (3, 2))  # the sizes in features
NUM_TEXT_TOKENS = 4  # before, between and after the pictures


def picture_probe(model: Any, reader: ProcessorReader, encoder: Encoder) -> Probe:
    """Of two small pictures by the checkpoint's processor; where it has none, of numbers in place of their features.

    Pictures of which the processor makes very many patches are left out, too.
    """
    with torch.inference_mode(), on_device(model.device):
        if reader.has_processor:
            try:
                inputs = reader.inputs_of(_chat())
                pictures = reader.prepare_image(inputs)
            except Exception as error:  # whatever a processor without a chat template or a package makes of it
                log.warning("%s: its processor cannot make a prompt of a picture: %r", type(model).__name__, error)
            else:
                if pictures.num_patches <= MAX_PATCHES:
                    return _of_pictures(model, inputs, pictures, encoder)
        return _of_numbers(model)


def _chat() -> Chat:
    pictures = [_noise(*size) for size in PICTURE_SIZES]
    content = [*({"type": "image"} for _ in pictures), {"type": "text", "text": "OCR:"}]
    return Chat([{"role": "user", "content": content}], pictures)


def _noise(height: int, width: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(height).integers(0, 256, (height, width, 3), np.uint8)


def _of_pictures(model: Any, inputs: dict[str, Any], pictures: PreparedPictures, encoder: Encoder) -> Probe:
    (features,) = encoder.encode([pictures], pictures.num_patches)
    if not isinstance(features, ImageFeatures):
        raise features
    token_ids = [*(pictures.token_ids or ()), *_text(model, NUM_DECODES)]
    fields = {name: value.to(model.device) if isinstance(value, Tensor) else value for name, value in inputs.items()}
    fields |= {name: value.to(model.dtype) for name, value in fields.items() if _is_floating(value)}
    for name, value in (("attention_mask", 1), ("mm_token_type_ids", 0)):
        if name in fields:
            fields[name] = torch.nn.functional.pad(fields[name], (0, NUM_DECODES), value=value)
    fields["input_ids"] = torch.tensor([token_ids], device=model.device)
    return _probe(token_ids, features, pictures.rope, lambda: model(**fields, use_cache=False).logits[0])


def _of_numbers(model: Any) -> Probe:
    """As a model of several axes has it for pictures of `PICTURE_GRIDS`."""
    counts = [height * width for height, width in PICTURE_GRIDS]
    length = NUM_TEXT_TOKENS * (len(PICTURE_GRIDS) + 1) + sum(counts)
    starts = [NUM_TEXT_TOKENS * (index + 1) + sum(counts[:index]) for index in range(len(counts))]
    places = np.concatenate([np.arange(start, start + count) for start, count in zip(starts, counts, strict=True)])
    token_ids = _text(model, length + NUM_DECODES)
    embeds = model.get_input_embeddings()(torch.tensor([token_ids], device=model.device)).clone()
    scale = float(embeds.float().std())
    num_deepstack = len(getattr(model.config.vision_config, "deepstack_visual_indexes", None) or ())
    layers = [_numbers(len(places), embeds, scale, number) for number in range(num_deepstack + 1)]
    features = ImageFeatures(places, layers[0], tuple(layers[1:]))
    rotary = getattr(model.get_decoder(), "rotary_emb", None)
    rope = _rope(length, starts) if rotary is not None and num_rope_axes(rotary) > 1 else None
    embeds[0, torch.from_numpy(places).to(model.device)] = features.embeds
    return _probe(token_ids, features, rope, lambda: _reference_logits(model, embeds, features, rope))


def _rope(length: int, starts: list[int]) -> Rope:
    """Rows and columns of a picture count on from the position of its first token; text goes on behind the larger."""
    columns: list[Integers] = []
    position = place = 0
    for start, (height, width) in zip([*starts, length], [*PICTURE_GRIDS, (0, 0)], strict=True):
        text = start - place
        columns.append(np.tile(np.arange(position, position + text), (3, 1)))
        columns.append(np.indices((1, height, width)).reshape(3, -1) + position + text)
        position += text + max(height, width)
        place = start + height * width
    return Rope(np.concatenate(columns, axis=1), position - length)


def _probe(token_ids: list[int], features: ImageFeatures, rope: Rope | None, forward: Callable[[], Tensor]) -> Probe:
    """The prompt in chunks, of which each border is inside a picture, and then token by token."""
    owner = RowOwner(seq_id=0, rope=rope)
    num_prompt = len(token_ids) - NUM_DECODES
    num_blocks = ceil_div(len(token_ids), BLOCK_SIZE)
    inside = (int(features.places[len(features.places) // 3]), int(features.places[-1]))
    borders = [*sorted({0, *inside, num_prompt}), *range(num_prompt + 1, len(token_ids) + 1)]
    steps = [
        [
            PlanRow(
                owner=owner,
                tokens=token_ids[:end],
                start=start,
                count=end - start,
                blocks=range(num_blocks, 0, -1),
                decodes=start >= num_prompt,
                features=features,
            )
        ]
        for start, end in itertools.pairwise(borders)
    ]
    return Probe("behind a picture", num_blocks, steps, lambda: [forward()])


def _reference_logits(model: Any, embeds: Tensor, features: ImageFeatures, rope: Rope | None) -> Tensor:
    """(tokens, vocabulary), in one pass without a cache."""
    length = embeds.shape[1]
    mask = torch.ones(1, length, dtype=torch.int64, device=model.device)
    inputs: dict[str, Any] = {"inputs_embeds": embeds, "attention_mask": mask, "use_cache": False}
    if rope is not None:
        inputs["position_ids"] = torch.from_numpy(rope.between(0, length))[:, None].to(model.device)
    if not features.deepstack:
        return model(**inputs).logits[0]
    visual = torch.zeros(1, length, dtype=torch.bool, device=model.device)
    visual[0, torch.from_numpy(features.places).to(model.device)] = True
    decoder = model.get_decoder()
    hidden = decoder(**inputs, visual_pos_masks=visual, deepstack_visual_embeds=list(features.deepstack))
    return model.get_output_embeddings()(hidden.last_hidden_state)[0]


def _numbers(count: int, like: Tensor, scale: float, number: int) -> Tensor:
    """(count, hidden), as large as the embeddings of tokens are."""
    grid = torch.arange(count * like.shape[-1], dtype=torch.float64, device=like.device)
    return ((grid * (1.7 + number)).sin() * scale).view(count, -1).to(like.dtype)


def _text(model: Any, count: int) -> list[int]:
    vocabulary = min(int(model.config.get_text_config(decoder=True).vocab_size), 1000)
    tokens = ((place * 7919 + 5) % vocabulary for place in range(2 * count))
    return [token for token in tokens if token != model.config.image_token_id][:count]


def _is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()
