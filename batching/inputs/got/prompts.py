"""Prompts of GOT-OCR2: by mode, box, color or tiles; the number of image tokens."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from batching.errors import InvalidImage, ModeUnavailable, PromptTooLong, UnsupportedModel
from batching.inputs.any_model.processor_reader import ProcessorReader
from batching.inputs.got.tiles import TileProcessor
from batching.inputs.reading_config import ReadingConfig
from batching.inputs.text_inputs import TextInputs
from batching.requests.pictures import PreparedPictures, as_array, check_picture
from batching.requests.request import Prompt, Request
from batching.requests.rope_positions import Integers, Rope

PATCHES_PER_TOKEN = 16
PAPER = 255  # value of a pixel of paper, in a picture that a checkpoint reads without its blank windows


@dataclass(frozen=True, slots=True, eq=False)
class TiledPicture:
    """An image, how many tiles it may be cut into (1: it is read as a whole), and where its features go."""

    image: Any  # np.uint8 height x width x 3, or a PIL image
    max_tiles: int
    places: Integers
    num_patches: int
    rope: Rope | None = None  # where tokens of blank windows are left out


class GotReader(ProcessorReader):
    """An image is read by the reading profile; other requests are those of any image-text model.

    The number of tokens of an image is known of its size, or, of a small one whose blank windows are left out, of the
    rows that hold ink, so that a prompt is whole before any picture is prepared.
    """

    def __init__(
        self, model: Any, *, tokenizer: Any, image_processor: Any, reading: ReadingConfig, processor: Any = None
    ) -> None:
        """`model`: a GotOcr2ForConditionalGeneration in evaluation mode."""
        stop = tokenizer.convert_tokens_to_ids(reading.stop)
        if stop is None or stop == tokenizer.unk_token_id:
            raise UnsupportedModel(f"the tokenizer has no stop token {reading.stop!r}")
        text = TextInputs(model, tokenizer=tokenizer, stop_token_ids=frozenset({int(stop)}))
        super().__init__(model, processor=processor, reading=reading, text=text)
        self._tokenize = tokenizer
        self._image_token = tokenizer.convert_ids_to_tokens(self._image_token_id)
        self._tiles = TileProcessor(model.config.vision_config, image_processor)
        vision = model.config.vision_config
        self._patch_size = int(vision.patch_size)
        self._window = int(vision.window_size)  # patches
        self._side = int(vision.image_size) // self._patch_size  # patches of a picture
        self._max_length = int(model.config.get_text_config(decoder=True).max_position_embeddings)
        self._prompts: dict[str, list[int]] = {}  # by query; only those of the modes are kept
        for mode in reading.modes:
            self._prompts[reading.query(mode)] = self._tokens(reading.query(mode))

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        if request.image is None:
            return super().prepare(request)
        if request.mode not in self.reading.modes:
            raise ModeUnavailable(f"this checkpoint reads {', '.join(self.reading.modes)}, not {request.mode!r}")
        width, height = check_picture(request.image)
        self._check_region(request, width, height)
        crops = request.max_crops if request.crop_to_patches else 1
        query = self.reading.query(
            request.mode,
            box=None if request.box is None else scaled_box(request.box, width, height),
            color=request.color,
            crops=request.crop_to_patches,
        )
        template = self._prompts.get(query) or self._tokens(query)
        num_tiles = self._tiles.num_tiles(height, width, crops)
        num_omitted = self._num_omitted(request.image) if self.reading.omits_blank else 0
        num_tokens = self._tiles.num_tokens * num_tiles - num_omitted
        first = template.index(self._image_token_id)
        token_ids = template[:first] + [self._image_token_id] * num_tokens + template[first + 1 :]
        prompt = self._text.prompt(token_ids, request)
        limit = self.reading.max_tokens if prompt.max_tokens is None else prompt.max_tokens
        if num_omitted:
            room = self._max_length - len(token_ids) - len(prompt.continuation) - num_omitted
            if room < 0:
                raise PromptTooLong(f"the prompt and what it continues need {-room} positions more than the model has")
            limit = min(limit, room)
        num_patches = num_tiles * self._tiles.num_patches
        places = np.arange(first, first + num_tokens)
        rope = shifted_rope(len(token_ids), first + num_tokens, num_omitted) if num_omitted else None
        image = TiledPicture(request.image, crops, places, num_patches, rope)
        return dataclasses.replace(prompt, max_tokens=limit, image=image, num_patches=num_patches)

    def prepare_image(self, image: Any) -> PreparedPictures:
        """See `Inputs.prepare_image`."""
        if not isinstance(image, TiledPicture):
            return super().prepare_image(image)
        tiles = {"pixel_values": self._tiles.pixels(image.image, image.max_tiles)}
        return PreparedPictures(inputs=tiles, places=image.places, num_patches=image.num_patches, rope=image.rope)

    def _num_omitted(self, image: Any) -> int:
        """Image tokens of the windows below the last ink of a picture, which is not to be resized."""
        pixels, size, window = as_array(image), self._side * self._patch_size, self._window * self._patch_size
        if pixels.shape[:2] != (size, size):
            return 0
        with_ink = np.flatnonzero(pixels.reshape(size, -1).min(axis=1) < PAPER)
        num_windows = 1 + (int(with_ink[-1]) if len(with_ink) else 0) // window  # from the top
        return (self._side - num_windows * self._window) * self._side // PATCHES_PER_TOKEN

    def _check_region(self, request: Request, width: int, height: int) -> None:
        region = request.box is not None or request.color is not None or request.crop_to_patches
        if region and "{query}" not in self.reading.prompt:
            raise ModeUnavailable("this checkpoint reads whole images only: it has no prompt for box, color or crops")
        if request.box is not None and (request.box[2] > width or request.box[3] > height):
            raise InvalidImage(f"box {request.box!r} is not within the image of {width} x {height}")

    def _tokens(self, query: str) -> list[int]:
        """A prompt with one image token, which stands for all of the image."""
        ids = [int(token_id) for token_id in self._tokenize(self.reading.text(query, self._image_token))["input_ids"]]
        if ids.count(self._image_token_id) != 1:
            raise UnsupportedModel(f"the tokenizer does not keep {self._image_token!r} whole")
        return ids


def shifted_rope(length: int, start: int, delta: int) -> Rope:
    """Of a prompt of `length` tokens, of which those from `start` on stand `delta` positions further on."""
    places = np.arange(length)
    return Rope((places + delta * (places >= start))[None], delta)


def scaled_box(box: tuple[float, float, float, float], width: int, height: int) -> tuple[int, int, int, int]:
    """Pixels to thousandths of the picture, cut to whole numbers, as GOT-OCR2's own code does.

    transformers 5.23's GotOcr2Processor takes an array's height for its width, so it agrees for squares only.
    """
    x0, y0, x1, y1 = box
    return (int(x0 / width * 1000), int(y0 / height * 1000), int(x1 / width * 1000), int(y1 / height * 1000))
