"""ImageInputs: the prompts of GOT-OCR2, which hold an image."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from batching.errors import InvalidImage, InvalidPrompt, ModeUnavailable, RequestFailed, UnsupportedModel
from batching.inputs import TextInputs
from batching.plan import PlanRow, StepPlan
from batching.reading import ReadingConfig
from batching.request import Prompt, Request
from batching.route import Overlay
from batching.runner import Tokenizer
from batching.vision import Picture, VisionEncoder, check_picture


class ImageInputs:
    """Image features live from their encoding to the end of the prefill; a preempted image is encoded anew."""

    def __init__(self, model: Any, *, tokenizer: Any, image_processor: Any, reading: ReadingConfig) -> None:
        """`model`: a GotOcr2ForConditionalGeneration in evaluation mode."""
        self.reading = reading
        self._tokenize = tokenizer
        self._image_token_id = int(model.config.image_token_id)
        self._image_token = tokenizer.convert_ids_to_tokens(self._image_token_id)
        self._vision = VisionEncoder(model, image_processor)
        self._prompts: dict[str, list[int]] = {}  # by query; only those of the modes are kept
        for mode in reading.modes:
            self._prompts[reading.query(mode)] = self._tokens(reading.query(mode))
        stop = tokenizer.convert_tokens_to_ids(reading.stop)
        if stop is None or stop == tokenizer.unk_token_id:
            raise UnsupportedModel(f"the tokenizer has no stop token {reading.stop!r}")
        self._text = TextInputs(model, tokenizer=tokenizer, stop_token_ids=frozenset({int(stop)}))
        self.tokenizer: Tokenizer = tokenizer

    @property
    def last_pass(self) -> float:
        """See `Inputs.last_pass`."""
        return self._vision.last_pass

    def max_tiles(self, budget_mb: int | None) -> int:
        """See `Inputs.max_tiles`."""
        return self._vision.max_tiles(budget_mb)

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        if request.image is None:
            prompt = self._text.prepare(request)
            if self._image_token_id in prompt.token_ids:
                raise InvalidPrompt(f"the prompt holds the image token {self._image_token_id}, but no image is given")
            return prompt
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
        known = self._prompts.get(query) or self._tokens(query)
        num_tiles = self._vision.num_tiles(height, width, crops)
        num_tokens = self._vision.num_tokens * num_tiles
        image = known.index(self._image_token_id)
        token_ids = known[:image] + [self._image_token_id] * num_tokens + known[image + 1 :]
        prompt = self._text.prompt(token_ids, request.sampling)
        limit = self.reading.max_tokens if prompt.max_tokens is None else prompt.max_tokens
        return dataclasses.replace(prompt, max_tokens=limit, image=Picture(request.image, crops), num_tiles=num_tiles)

    def prepare_image(self, image: Picture) -> Tensor | RequestFailed:
        """See `Inputs.prepare_image`."""
        return self._vision.pixels(image)

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:
        """See `ModelInputs.encode`."""
        features = {row.seq_id: row.features for row in plan.rows if row.features is not None}
        new = {
            row.seq_id: row.image
            for row in plan.rows
            if not row.decodes
            and row.image is not None
            and row.features is None
            and row.start < self._end_of_image(row)
        }
        failures: dict[int, RequestFailed] = {}
        for seq_id, made in zip(new, self._vision.encode(list(new.values()), plan.max_tiles), strict=True):
            if isinstance(made, RequestFailed):
                failures[seq_id] = made
            else:
                features[seq_id] = made
        return features, failures

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:
        """See `ModelInputs.overlay`."""
        if row.seq_id not in features:
            return None
        of_image = features[row.seq_id]
        image = row.tokens.index(self._image_token_id)  # its tokens are one run; later ones are the model's own
        first, last = (min(max(each - image, 0), len(of_image)) for each in (row.start, row.end))
        return Overlay(image + first - row.start, of_image[first:last]) if first < last else None

    def _check_region(self, request: Request, width: int, height: int) -> None:
        region = request.box is not None or request.color is not None or request.crop_to_patches
        if region and "{query}" not in self.reading.prompt:
            raise ModeUnavailable("this checkpoint reads whole images: it has no prompt for box, color or crops")
        if request.box is not None and (request.box[2] > width or request.box[3] > height):
            raise InvalidImage(f"box {request.box!r} is not within the image of {width} x {height}")

    def _end_of_image(self, row: PlanRow) -> int:
        """Where the tokens of the row's image end in its prompt."""
        image = row.tokens.index(self._image_token_id)
        return image + self._vision.num_tokens * (1 if isinstance(row.image, RequestFailed) else len(row.image))

    def _tokens(self, query: str) -> list[int]:
        """A prompt with one image token, which stands for all of the image."""
        ids = [int(each) for each in self._tokenize(self.reading.text(query, self._image_token))["input_ids"]]
        if ids.count(self._image_token_id) != 1:
            raise UnsupportedModel(f"the tokenizer does not keep {self._image_token!r} whole")
        return ids


def scaled_box(box: tuple[float, float, float, float], width: int, height: int) -> tuple[int, int, int, int]:
    """Pixels to thousandths of the picture, cut to whole numbers, as GOT-OCR2's own code does.

    transformers 5.23's GotOcr2Processor takes an array's height for its width, so it agrees for squares only.
    """
    x0, y0, x1, y1 = box
    return (int(x0 / width * 1000), int(y0 / height * 1000), int(x1 / width * 1000), int(y1 / height * 1000))
