"""Loaders: a model, a folder or a hub id to a runner."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from batching.cache_runner import CacheRunner
from batching.errors import UnsupportedModel
from batching.got import GotRunner
from batching.reading import ReadingConfig


def load_causal_lm(
    model: Any, *, device: str = "cpu", dtype: torch.dtype | None = None, tokenizer: Any = None
) -> CacheRunner:
    """A runner for a transformers causal LM; a model that is given is never changed.

    Without `dtype`, a given model keeps its own, and a checkpoint is float32 on the CPU and its own elsewhere. The
    tokenizer of a folder or id is loaded with it, if there is one; a given model's can be passed.

    Raises:
        UnsupportedModel: it is no decoder-only language model.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if isinstance(model, str | Path):
        tokenizer = tokenizer or _tokenizer(AutoTokenizer, str(model))
    loaded = _loaded(AutoModelForCausalLM, model, device, dtype)
    if loaded.config.is_encoder_decoder:
        raise UnsupportedModel(f"{type(loaded).__name__} is an encoder-decoder")
    return CacheRunner(loaded, tokenizer=tokenizer, stop_token_ids=_stop_token_ids(loaded))


def load_got_ocr2(
    model: Any, *, device: str = "cpu", dtype: torch.dtype | None = None, processor: Any = None
) -> GotRunner:
    """A runner for a `GotOcr2ForConditionalGeneration`; a model that is given is never changed.

    `dtype` as for `load_causal_lm`. A given model needs its `GotOcr2Processor`. A folder may hold `reading.json`; see
    `ReadingConfig`.

    Raises:
        UnsupportedModel: the checkpoint's tokenizer lacks the tokens that its prompt needs.
        ValueError: a model is given without a processor.
    """
    from transformers import AutoImageProcessor, AutoTokenizer, GotOcr2ForConditionalGeneration

    reading = ReadingConfig()
    if isinstance(model, str | Path):
        reading = ReadingConfig.of_folder(Path(model))
        tokenizer = processor.tokenizer if processor else AutoTokenizer.from_pretrained(str(model))
        images = processor.image_processor if processor else AutoImageProcessor.from_pretrained(str(model))
    elif processor is not None:
        tokenizer, images = processor.tokenizer, processor.image_processor
    else:
        raise ValueError("processor must be given with a model that is loaded already")
    loaded = _loaded(GotOcr2ForConditionalGeneration, model, device, dtype)
    return GotRunner(loaded, tokenizer=tokenizer, image_processor=images, reading=reading)


def _loaded(cls: Any, model: Any, device: str, dtype: torch.dtype | None) -> Any:
    """In evaluation mode, on the device; a copy where a given model would have to change for that."""
    if isinstance(model, str | Path):
        own_or_float32 = dtype or (torch.float32 if torch.device(device).type == "cpu" else "auto")
        return cls.from_pretrained(str(model), dtype=own_or_float32).to(device).eval()
    wanted = torch.empty(0, device=device).device  # "cuda" with its number
    fits = model.device == wanted and dtype in (None, model.dtype) and not model.training
    return model if fits else copy.deepcopy(model).to(device=wanted, dtype=dtype or model.dtype).eval()


def _tokenizer(cls: Any, name: str) -> Any:
    try:
        return cls.from_pretrained(name)
    except (OSError, ValueError):  # a checkpoint of weights alone: its completions have no text
        return None


def _stop_token_ids(model: Any) -> frozenset[int]:
    """What ends `generate` for this model."""
    stop = model.generation_config.eos_token_id if model.generation_config is not None else None
    if stop is None:
        return frozenset()
    return frozenset(int(each) for each in stop) if isinstance(stop, list | tuple) else frozenset({int(stop)})
