"""Builds prompts of image-text models with the checkpoint's own processor and chat template."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import copy
import dataclasses
import threading
from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from batching.errors import InvalidPrompt, ModeUnavailable
from batching.inputs.reading_config import ReadingConfig
from batching.inputs.text_inputs import TextInputs, parameters_of
from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import PreparedPictures, as_array, check_picture, patch_size_of
from batching.requests.request import Prompt, Request
from batching.requests.rope_positions import Integers, Rope

TEXT_FIELDS = frozenset({"input_ids", "attention_mask", "mm_token_type_ids"})
"""Of a processor's inputs: those that are of the tokens, not of the pictures."""
PROMPT_REASONING = "enable_thinking"
"""The variable of chat templates (Qwen's and those made of them) that is false for an answer without reasoning."""


@dataclass(frozen=True, slots=True, eq=False)
class Chat:
    """Messages, and the pictures that they leave places for."""

    messages: Items[Mapping[str, Any]]
    images: Items[Any]
    is_reading: bool = False  # its answer is what is printed: a template that can ask for reasoning first does not


class ProcessorReader:
    """A prompt's tokens and pictures are what the processor gives for a batch of one, as `generate` would take them."""

    def __init__(self, model: Any, *, processor: Any, reading: ReadingConfig, text: TextInputs) -> None:
        """`model`: an image-text model; without a `processor`, requests have ready inputs or tokens."""
        self.reading = reading
        self.tokenizer: Tokenizer | None = text.tokenizer
        self._text = text
        self._name = type(model).__name__
        self._processor = copy.deepcopy(processor)  # its tokenizer is set up again by each call: it is nobody else's
        self._lock = threading.Lock()
        self._can_reason = PROMPT_REASONING in str(getattr(processor, "chat_template", None))
        self._image_token_id = int(model.config.image_token_id)
        self._image_fields = _image_fields(model)
        self._rope_index = next((module.get_rope_index for module in model.modules() if _has_rope_index(module)), None)
        self._rope_fields = frozenset[str]() if self._rope_index is None else parameters_of(self._rope_index)
        self._patch_area = patch_size_of(model.config.vision_config) ** 2

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        if request.prompt_token_ids is not None:
            prompt = self._text.prepare(request)
            if self._image_token_id in prompt.token_ids:
                raise InvalidPrompt(f"the prompt holds the image token {self._image_token_id}, but no image is given")
            return prompt
        if request.inputs is not None:
            return self._prompt_of_inputs(request)
        return self._prompt_of_chat(request)

    def prepare_image(self, image: Any) -> PreparedPictures:
        """See `Inputs.prepare_image`; `image` is a Chat, or inputs."""
        if isinstance(image, Chat):
            image = self.inputs_of(image)
        return self._prepared(image)

    def _prompt_of_inputs(self, request: Request) -> Prompt:
        assert request.inputs is not None
        inputs = _tensors(request.inputs)
        unknown = inputs.keys() - TEXT_FIELDS - self._image_fields - self._rope_fields
        if unknown or "input_ids" not in inputs:
            wrong = f"has no use for {', '.join(sorted(unknown))}" if unknown else "needs input_ids"
            raise InvalidPrompt(f"inputs: {self._name} {wrong}")
        token_ids = _tokens(inputs)
        prompt = self._text.prompt(token_ids, request)
        if "pixel_values" in inputs:
            return dataclasses.replace(prompt, image=inputs, num_patches=self._num_patches(inputs))
        if self._image_token_id in token_ids:
            raise InvalidPrompt(f"the prompt holds the image token {self._image_token_id}, but no image is given")
        return prompt

    def _prompt_of_chat(self, request: Request) -> Prompt:
        if self._processor is None:
            raise InvalidPrompt(f"{self._name} was loaded without a processor: give inputs, or prompt_token_ids")
        is_reading = request.image is not None
        if is_reading:
            request = self._by_profile(request)
        chat = dataclasses.replace(self._chat(request), is_reading=is_reading)
        if not len(chat.images):  # it would be tokenised here, on the event loop
            raise InvalidPrompt("a chat without pictures is given as prompt_token_ids")
        sizes = [check_picture(image) for image in chat.images]
        num_patches = sum(-(-width * height // self._patch_area) for width, height in sizes)  # as if none were shrunk
        return dataclasses.replace(self._text.prompt([], request), image=chat, num_patches=num_patches)

    def _by_profile(self, request: Request) -> Request:
        """A request to read one image, as a chat."""
        if request.mode not in self.reading.prompts:
            modes = ", ".join(self.reading.prompts) or "nothing without a prompt: it has no reading profile"
            raise ModeUnavailable(f"{self._name} reads {modes}, not {request.mode!r}")
        if request.box is not None or request.color is not None or request.crop_to_patches:
            raise ModeUnavailable(f"{self._name} reads whole images only: it has no prompt for box, color or crops")
        limit = request.sampling.max_tokens
        sampling = dataclasses.replace(request.sampling, max_tokens=self.reading.max_tokens if limit is None else limit)
        prompt, image = self.reading.prompts[request.mode], request.image
        return dataclasses.replace(request, image=None, prompt=prompt, images=(image,), sampling=sampling)

    def _chat(self, request: Request) -> Chat:
        if request.messages is not None:
            return Chat(request.messages, request.images)
        content = [*({"type": "image"} for _ in request.images)]
        if request.prompt:
            content.append({"type": "text", "text": request.prompt})
        return Chat([{"role": "user", "content": content}], request.images)

    @property
    def has_processor(self) -> bool:
        """Whether requests may have pictures and a text of their own."""
        return self._processor is not None

    def inputs_of(self, chat: Chat) -> dict[str, Any]:
        """What the processor makes of a chat with pictures; any thread may call it, and one at a time is served."""
        images = [as_array(image) for image in chat.images]
        settings: dict[str, Any] = {"add_generation_prompt": True, "tokenize": False}
        if chat.is_reading and self._can_reason:
            settings[PROMPT_REASONING] = False
        with self._lock:
            text = self._processor.apply_chat_template(chat.messages, **settings)
            return dict(self._processor(text=[text], images=images, return_tensors="pt"))

    def _prepared(self, inputs: Mapping[str, Any]) -> PreparedPictures:
        token_ids = _tokens(inputs)
        self._text.check(token_ids)
        places = np.flatnonzero(np.asarray(token_ids) == self._image_token_id)
        if not len(places):
            raise InvalidPrompt("the prompt has no image tokens for its pictures")
        return PreparedPictures(
            inputs={name: inputs[name] for name in self._image_fields if name in inputs},
            places=places,
            num_patches=self._num_patches(inputs),
            token_ids=token_ids,
            rope=self._rope(token_ids, places, inputs),
        )

    def _rope(self, token_ids: list[int], places: Integers, inputs: Mapping[str, Any]) -> Rope | None:
        """By the model's own rule, for a batch of one."""
        if self._rope_index is None:
            return None
        ids = torch.tensor([token_ids])
        kinds = torch.zeros_like(ids)
        kinds[:, torch.from_numpy(places)] = 1
        fields = {"input_ids": ids, "mm_token_type_ids": inputs.get("mm_token_type_ids", kinds)} | {
            name: inputs[name] for name in self._rope_fields - TEXT_FIELDS if name in inputs
        }
        positions, deltas = self._rope_index(
            **{name: value for name, value in fields.items() if name in self._rope_fields}
        )
        rope = Rope(positions[:, 0].numpy(), int(deltas.flatten()[0]))
        if rope.delta > 0 or rope.positions.max() >= len(token_ids) or rope.positions.min() < 0:
            raise InvalidPrompt("the pictures have more positions than tokens")
        return rope

    def _num_patches(self, inputs: Mapping[str, Any]) -> int:
        """Before any are merged; three colours each."""
        return max(1, inputs["pixel_values"].numel() // (3 * self._patch_area))


def _image_fields(model: Any) -> frozenset[str]:
    """What its `get_image_features` takes; one that passes all on takes what that of a module inside it does."""
    methods = (module.get_image_features for module in model.modules() if hasattr(module, "get_image_features"))
    return next((names for method in methods if (names := parameters_of(method))), frozenset())


def _has_rope_index(module: Any) -> bool:
    return hasattr(module, "get_rope_index")


def _tensors(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What is there of a processor's inputs.

    Raises:
        InvalidPrompt: something of it is no numbers.
    """
    try:
        return {name: torch.as_tensor(value) for name, value in inputs.items() if value is not None}
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidPrompt(f"inputs must be tensors, or lists of numbers: {error}") from error


def _tokens(inputs: Mapping[str, Any]) -> list[int]:
    """Those of a batch of one without padding.

    Raises:
        InvalidPrompt: it is something else.
    """
    ids = torch.as_tensor(inputs["input_ids"])
    ids = ids[None] if ids.ndim == 1 else ids
    mask = torch.as_tensor(inputs.get("attention_mask", torch.ones_like(ids)))
    if ids.ndim != 2 or len(ids) != 1 or not ids.shape[1] or not bool(mask.all()):
        raise InvalidPrompt(f"input_ids must be one prompt without padding, not {tuple(ids.shape)}")
    return [int(token_id) for token_id in ids[0].tolist()]
