"""Decides why a model is not supported, and the message that says so."""

from __future__ import annotations

from typing import Any

from batching.errors import UnsupportedModel
from batching.inputs.context_length import ropes
from batching.inputs.text_inputs import parameters_of
from batching.machine.torch_internals import has_recurrent_state
from batching.routes.llama_weights import num_rope_axes

RECURRENT_LAYER_TYPES = frozenset({"linear_attention", "conv", "mamba", "recurrent", "hybrid"})
"""Layer types, as a config lists them, that keep a state of fixed size."""


def refusal_of(model: Any) -> str | None:
    """What rules out even a model that would run; None for most."""
    if model.config.is_encoder_decoder:
        return "is an encoder-decoder: its decoder attends to an encoder, and the engine has none"
    of_pictures = any(hasattr(module, "get_rope_index") for module in model.modules())
    has_sections = any("mrope_section" in rope for rope in ropes(model.config.get_text_config(decoder=True)))
    is_taken_out = has_sections and num_rope_axes(getattr(model.get_decoder(), "rotary_emb", None)) == 1
    if of_pictures or is_taken_out:  # the decoder of an image-text model, in a class that knows nothing of its axes
        return "gives pictures positions on several axes (M-RoPE): use load_image_text"
    return None


def image_text_refusal(model: Any) -> str | None:
    """What rules out an image-text model before it is tried; None for most."""
    if model.config.is_encoder_decoder:
        return "is an encoder-decoder: its decoder attends to an encoder, and the engine has none"
    if not hasattr(model, "get_image_features"):
        return "has no get_image_features, so the features of its pictures are unknown"
    if getattr(model.config, "image_token_id", None) is None:
        return "has no image token in its config, so the places of pictures in a prompt are unknown"
    if "token_type_ids" in parameters_of(model.forward):
        return "attends both ways within a picture, of which a chunk of a prompt may hold a part"
    return None


def failure_of(model: Any, error: Exception) -> str:
    """Why a model met `error` over paged KV, as far as its class and config tell."""
    config = model.config.get_text_config(decoder=True)
    kinds = set(getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None) or ())
    if kinds & RECURRENT_LAYER_TYPES or has_recurrent_state(model):
        return f"keeps a recurrent state that does not go on from slots: {type(error).__name__}: {error}"
    if isinstance(error, UnsupportedModel):
        return str(error)
    return f"has custom attention, which does not run over paged KV: {type(error).__name__}: {error}"
