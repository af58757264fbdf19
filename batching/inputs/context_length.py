"""The maximum context length of a model, and where its rope (position encoding) changes for long inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RECOMPUTING_MODEL_TYPES = frozenset({"phi3", "phimoe", "phi4_multimodal"})
"""Model types whose `generate` recomputes a sequence that crosses the switch; other models mix keys of both sides."""

UNLIMITED_CONTEXT_TOKENS = 2**31
"""The context length of models that have no limit of their own."""


@dataclass(frozen=True, slots=True)
class RopeSwitch:
    """All positions of a sequence of more than `length` tokens have the angles of long ones, none of another has."""

    length: int
    recomputes: bool


def rope_switch(config: Any) -> RopeSwitch | None:
    """That of a decoder's config; None where, within its context, angles depend on the position alone."""
    lengths = [
        int(rope["original_max_position_embeddings"])
        for rope in ropes(config)
        if rope.get("rope_type") == "longrope" or "long_mscale" in rope
    ]
    if not lengths or min(lengths) >= _positions(config):
        return None
    return RopeSwitch(min(lengths), recomputes=config.model_type in RECOMPUTING_MODEL_TYPES)


def context_length(config: Any) -> int:
    """Tokens of one sequence, prompt and output, for which our text is that of `generate`."""
    limits = [_positions(config)]
    switch = rope_switch(config)
    if switch is not None and not switch.recomputes:
        limits.append(switch.length)
    # Llama 4 scales later queries by their place in the padded row
    if getattr(config, "attn_temperature_tuning", False):
        limits.append(int(config.floor_scale) - 1)
    if getattr(config, "keep_window_size", None):  # Doge drops tokens where the padded row is longer
        limits.append(int(config.keep_window_size))
    return min(limits)


def ropes(config: Any) -> list[dict[str, Any]]:
    """The settings of each rope of a decoder: one, or one per type of layer."""
    settings: dict[str, Any] = getattr(config, "rope_parameters", None) or {}
    nested: list[dict[str, Any]] = [setting for setting in settings.values() if isinstance(setting, dict)]
    return nested or [settings]


def _positions(config: Any) -> int:
    return int(getattr(config, "max_position_embeddings", None) or UNLIMITED_CONTEXT_TOKENS)
