"""Loads models: `load_causal_lm`, `load_image_text`, `load_got_ocr2` from a folder or hub id."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import copy
import logging
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import torch

from batching.errors import UnsupportedModel
from batching.forward_route import RouteName
from batching.inputs.any_model.feature_encoder import FeatureEncoder
from batching.inputs.any_model.processor_reader import ProcessorReader
from batching.inputs.context_length import context_length
from batching.inputs.got.draft_head import DraftHead
from batching.inputs.got.original_checkpoint import is_original, load_original
from batching.inputs.got.prompts import GotReader
from batching.inputs.got.vision_encoder import VisionEncoder
from batching.inputs.image_inputs import ImageInputs
from batching.inputs.reading_config import ReadingConfig
from batching.inputs.text_inputs import TextInputs
from batching.kv.kv_rows import KvDtype
from batching.model_runner import InputsT, ModelRunner
from batching.routes.picture_probe import picture_probe
from batching.routes.route_choice import choose_route
from batching.routes.text_probe import Probe
from batching.routes.torch.linear import Quantisation
from batching.routes.unsupported_models import image_text_refusal, refusal_of

log = logging.getLogger(__name__)


class LoadOptions(TypedDict, total=False):
    """Where and how a model is run.

    Without `dtype`, a given model keeps its own, and a checkpoint is float32 on the CPU and its own elsewhere.
    """

    device: str  # default "cpu"
    dtype: torch.dtype | None
    route: RouteName  # this and the next two: see `choose_route`
    quantisation: Quantisation
    kv_dtype: KvDtype


def load_causal_lm(model: Any, *, tokenizer: Any = None, **options: Unpack[LoadOptions]) -> ModelRunner[TextInputs]:
    """A runner for a transformers causal LM; a model that is given is never changed.

    The tokenizer of a folder or id is loaded with it, if there is one; a given model's can be passed.

    Raises:
        UnsupportedModel: it is no decoder-only language model, or none that runs over paged KV.
    """
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig, AutoModelForCausalLM, AutoTokenizer

    if isinstance(model, str | Path):
        config = _config(AutoConfig, str(model))
        if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
            raise UnsupportedModel(
                f"{config.model_type} is not a causal language model: transformers has no class for it"
            )
        tokenizer = tokenizer or _loaded_with(AutoTokenizer, str(model))
    loaded = _loaded(AutoModelForCausalLM, model, options)
    if (reason := refusal_of(loaded)) is not None:
        raise UnsupportedModel(f"{type(loaded).__name__} {reason}")
    _log_limit(loaded)
    inputs = TextInputs(loaded, tokenizer=tokenizer, stop_token_ids=_stop_token_ids(loaded))
    return _runner(loaded, inputs, options, owned=loaded is not model)


def load_got_ocr2(
    model: Any, *, processor: Any = None, vision_threads: int = 1, **options: Unpack[LoadOptions]
) -> ModelRunner[ImageInputs]:
    """A runner for a `GotOcr2ForConditionalGeneration`; a model that is given is never changed.

    A given model needs its `GotOcr2Processor`. A folder may hold `reading.json`, see `ReadingConfig`, or be the
    original GOT-OCR2_0 (`batching.inputs.got.original_checkpoint`). A CPU encodes
    `vision_threads` pictures of a step at once.

    Raises:
        UnsupportedModel: the checkpoint's tokenizer lacks the tokens that its prompt needs.
        ValueError: a model is given without a processor.
    """
    from transformers import AutoImageProcessor, AutoTokenizer, GotOcr2ForConditionalGeneration

    source, reading = model, ReadingConfig()
    if isinstance(model, str | Path):
        reading = ReadingConfig.of_folder(Path(model))
        if is_original(Path(model)):
            dtype = _folder_dtype(options)
            source, processor = load_original(Path(model), None if dtype == "auto" else dtype)
    elif processor is None:
        raise ValueError("a loaded model needs its processor")
    if processor is None:
        tokenizer, images = (
            part.from_pretrained(str(model), trust_remote_code=False) for part in (AutoTokenizer, AutoImageProcessor)
        )
    else:
        tokenizer, images = processor.tokenizer, processor.image_processor
    loaded = _loaded(GotOcr2ForConditionalGeneration, source, options)
    reader = GotReader(loaded, tokenizer=tokenizer, image_processor=images, reading=reading, processor=processor)
    head = None
    if isinstance(model, str | Path) and loaded.device.type == "cpu":  # graphs have no rows for a whole line
        head = DraftHead.of_folder(Path(model), loaded.config.text_config, loaded.device, loaded.dtype)
    encoder = VisionEncoder(loaded, head, vision_threads)
    return _runner(loaded, ImageInputs(reader, encoder), options, owned=loaded is not model)


def load_image_text(
    model: Any, *, processor: Any = None, reading: ReadingConfig | None = None, **options: Unpack[LoadOptions]
) -> ModelRunner[ImageInputs]:
    """A runner for any image-text model with a decoder alone; a model that is given is never changed.

    The processor of a folder or id is loaded with it; without one, requests have ready inputs, or tokens alone.
    `reading` says what `Request(image=..., mode=...)` asks; the `reading.json` of a folder goes before it.

    Raises:
        UnsupportedModel: it is no image-text model, or none that runs over paged KV; the message says what is missing.
    """
    from transformers import (
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
        AutoConfig,
        AutoModelForImageTextToText,
        AutoProcessor,
    )

    if isinstance(model, str | Path):
        config = _config(AutoConfig, str(model))
        if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
            raise UnsupportedModel(f"{config.model_type} is not an image-text model: transformers has no class for it")
        processor = processor or _loaded_with(AutoProcessor, str(model))
        if reading is None and (Path(model) / "reading.json").is_file():
            reading = ReadingConfig.of_folder(Path(model))
    loaded = _loaded(AutoModelForImageTextToText, model, options)
    if (reason := image_text_refusal(loaded)) is not None:
        raise UnsupportedModel(f"{type(loaded).__name__} {reason}")
    _log_limit(loaded)
    text = TextInputs(loaded, tokenizer=getattr(processor, "tokenizer", None), stop_token_ids=_stop_token_ids(loaded))
    reader = ProcessorReader(loaded, processor=processor, reading=reading or ReadingConfig(), text=text)
    is_got = type(loaded).__name__ == "GotOcr2ForConditionalGeneration"
    encoder = VisionEncoder(loaded) if is_got else FeatureEncoder(loaded)
    probe = picture_probe(loaded, reader, encoder)
    return _runner(loaded, ImageInputs(reader, encoder), options, owned=loaded is not model, pictures=probe)


def is_image_text(name: str) -> bool:
    """Whether the model of a folder or id takes pictures. Raises OSError: there is no such folder or id."""
    from transformers import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, AutoConfig

    return type(_config(AutoConfig, name)) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING


def model_type_of(name: str) -> str:
    """What the config of a folder or id calls its family; empty where it does not say.

    Raises:
        OSError: there is no such folder or id, or no config in it.
    """
    from transformers import PreTrainedConfig

    settings, _ = PreTrainedConfig.get_config_dict(name)
    return str(settings.get("model_type") or "")


def _config(cls: Any, name: str) -> Any:
    """The config of a folder or id; code that lies beside it is never run.

    Raises:
        UnsupportedModel: transformers has no class for it.
        OSError: there is no such folder or id, or no config in it.
    """
    from transformers import PreTrainedConfig, __version__

    try:
        return cls.from_pretrained(name, trust_remote_code=False)
    except ValueError as error:
        settings, _ = PreTrainedConfig.get_config_dict(name)
        kind = settings.get("model_type") or "a config.json without model_type"
        if "auto_map" in settings:
            reason = "needs code from the checkpoint's folder, which is never run"
        else:
            reason = f"is not a model type that transformers {__version__} knows"
        raise UnsupportedModel(f"{kind} {reason}") from error


def _loaded(cls: Any, model: Any, options: LoadOptions) -> Any:
    """In evaluation mode, on the device; a copy where a given model would have to change for that."""
    if unknown := options.keys() - LoadOptions.__annotations__:
        raise TypeError(f"there is no option {', '.join(sorted(unknown))}")
    device, dtype = options.get("device", "cpu"), options.get("dtype")
    if isinstance(model, str | Path):
        return cls.from_pretrained(str(model), dtype=_folder_dtype(options)).to(device).eval()
    target = torch.empty(0, device=device).device  # "cuda" with its number
    fits = model.device == target and dtype in (None, model.dtype) and not model.training
    return model if fits else copy.deepcopy(model).to(device=target, dtype=dtype or model.dtype).eval()


def _folder_dtype(options: LoadOptions) -> torch.dtype | Literal["auto"]:
    """Of a checkpoint."""
    on_cpu = torch.device(options.get("device", "cpu")).type == "cpu"
    return options.get("dtype") or (torch.float32 if on_cpu else "auto")


def _runner(
    model: Any, inputs: InputsT, options: LoadOptions, *, owned: bool, pictures: Probe | None = None
) -> ModelRunner[InputsT]:
    kv_dtype = options.get("kv_dtype", "model")
    route = choose_route(
        model,
        options.get("route", "auto"),
        owned=owned,
        quantisation=options.get("quantisation", "none"),
        kv_dtype=kv_dtype,
        pictures=pictures,
    )
    return ModelRunner(model, route, inputs, kv_dtype)


def _log_limit(model: Any) -> None:
    """Where `context_length` is shorter than the config says."""
    config = model.config.get_text_config(decoder=True)
    length, positions = context_length(config), getattr(config, "max_position_embeddings", None)
    if positions is not None and length < positions:
        log.warning(
            "%s is limited to %d of its %d positions: beyond them what it computes for a token depends on the other"
            " tokens of the pass",
            type(model).__name__,
            length,
            positions,
        )


def _loaded_with(cls: Any, name: str) -> Any:
    """The tokenizer or processor of a folder or id, None if it has none; code that lies beside it is never run."""
    try:
        return cls.from_pretrained(name, trust_remote_code=False)
    except (OSError, ValueError):  # a checkpoint of weights alone: its completions have no text
        return None


def _stop_token_ids(model: Any) -> frozenset[int]:
    """What ends `generate` for this model."""
    stop = model.generation_config.eos_token_id if model.generation_config is not None else None
    if stop is None:
        return frozenset()
    return frozenset(int(token_id) for token_id in stop) if isinstance(stop, list | tuple) else frozenset({int(stop)})
