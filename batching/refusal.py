"""Why a model is refused, in plain words that follow its name."""

from __future__ import annotations

from typing import Any

from batching.context import ropes
from batching.errors import UnsupportedModel

RECURRENT = frozenset({"linear_attention", "conv", "mamba", "recurrent", "hybrid"})
"""Kinds of layers in a config's list of them that keep a state of fixed size."""


def refusal_of(model: Any) -> str | None:
    """What rules out even a model that would run; None for most."""
    if model.config.is_encoder_decoder:
        return "is an encoder-decoder: its decoder attends to an encoder, and the engine has none"
    of_pictures = any(hasattr(module, "get_rope_index") for module in model.modules())
    if of_pictures or any("mrope_section" in each for each in ropes(model.config.get_text_config(decoder=True))):
        return "gives pictures positions on several axes (M-RoPE): there is no runner for those yet"
    return None


def failure_of(model: Any, error: Exception) -> str:
    """Why a model met `error` over paged KV, as far as its class and config tell."""
    config = model.config.get_text_config(decoder=True)
    kinds = set(getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None) or ())
    if kinds & RECURRENT or getattr(model, "_is_stateful", False):
        return "keeps a recurrent state besides keys and values, which paged KV does not hold"
    if getattr(config, "num_kv_shared_layers", 0):
        return "has layers that read the keys and values of other layers, which paged KV does not do"
    if isinstance(error, UnsupportedModel):
        return str(error)
    return f"has attention of its own kind, which does not run over paged KV: {type(error).__name__}: {error}"
