"""GotRunner: GOT-OCR2, whose prompts hold an image."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from batching.batch import Batch
from batching.cache_runner import CacheRunner
from batching.errors import InvalidPrompt, ModeUnavailable, RequestFailed, UnsupportedModel
from batching.plan import StepPlan
from batching.reading import ReadingConfig
from batching.request import Prompt, Request
from batching.sampling import SamplingParams
from batching.vision import VisionEncoder, check_picture


class GotRunner(CacheRunner):
    """Image features live from their encoding to the end of the prefill; a preempted image is encoded anew."""

    def __init__(self, model: Any, *, tokenizer: Any, image_processor: Any, reading: ReadingConfig) -> None:
        """`model`: a GotOcr2ForConditionalGeneration in evaluation mode; it is only read."""
        self.reading = reading
        self._image_token_id = int(model.config.image_token_id)
        self._vision = VisionEncoder(model, image_processor)
        image_token = tokenizer.convert_ids_to_tokens(self._image_token_id)
        self._prompts = {
            mode: [
                int(each) for each in tokenizer(reading.text(mode, image_token * self._vision.num_tokens))["input_ids"]
            ]
            for mode in reading.modes
        }
        stop = tokenizer.convert_tokens_to_ids(reading.stop)
        if stop is None or stop == tokenizer.unk_token_id:
            raise UnsupportedModel(f"the tokenizer has no stop token {reading.stop!r}")
        if any(ids.count(self._image_token_id) != self._vision.num_tokens for ids in self._prompts.values()):
            raise UnsupportedModel(f"the tokenizer does not keep {image_token!r} whole")
        super().__init__(model, tokenizer=tokenizer, stop_token_ids=frozenset({int(stop)}))

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms; see `Runner.prepare`."""
        if request.image is None:
            prompt = super().prepare(request)
            if self._image_token_id in prompt.token_ids:
                raise InvalidPrompt(f"the prompt holds the image token {self._image_token_id}, but no image is given")
            return prompt
        if request.mode not in self._prompts:
            raise ModeUnavailable(f"this checkpoint reads {', '.join(self._prompts)}, not {request.mode!r}")
        check_picture(request.image)
        prompt = self.prompt(list(self._prompts[request.mode]), request.sampling or SamplingParams())
        return Prompt(
            token_ids=prompt.token_ids,
            max_tokens=self.reading.max_tokens if prompt.max_tokens is None else prompt.max_tokens,
            stop_token_ids=prompt.stop_token_ids,
            image=request.image,
            generator=prompt.generator,
        )

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:
        """Features by sequence, those made before included, and the images that could not be encoded."""
        features = {row.seq_id: row.features for row in plan.rows if row.features is not None}
        new = [row for row in plan.rows if row.image is not None and row.features is None and not row.decodes]
        failures: dict[int, RequestFailed] = {}
        for row, made in zip(new, self._vision.encode([row.image for row in new]), strict=True):
            if isinstance(made, RequestFailed):
                failures[row.seq_id] = made
            else:
                features[row.seq_id] = made
        return features, failures

    def embed(self, batch: Batch, features: dict[int, Any]) -> dict[str, Tensor]:
        """Token embeddings, with each row's image features where its image tokens stand."""
        if not any(row.seq_id in features for row in batch.rows):
            return super().embed(batch, features)
        here = torch.zeros_like(batch.input_ids, dtype=torch.bool)
        parts: list[Tensor] = []
        for at, row in enumerate(batch.rows):
            if row.seq_id not in features:
                continue
            image = row.tokens.index(self._image_token_id)  # its tokens are one run; later ones are the model's own
            first, last = (min(max(each - image, 0), self._vision.num_tokens) for each in (row.start, row.end))
            parts.append(features[row.seq_id][first:last])
            offset = batch.view.num_new - row.end + image
            here[at, offset + first : offset + last] = True
        embeds: Tensor = self._model.get_input_embeddings()(batch.input_ids)
        return {"inputs_embeds": embeds.masked_scatter(here[..., None], torch.cat(parts).to(embeds.dtype))}
