"""Earlier names that are still accepted: of renamed settings, and options of an earlier layout and OCR server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTINGS: dict[str, str] = {
    "ocr.glimpse_s": "ocr.partial_results_s",
    "ocr.least_confidence": "ocr.min_word_confidence",
    "ocr.low_confidence": "ocr.warning_confidence",
}
"""Renamed settings of a group, by their earlier names; variables and options of those names are accepted, too."""

GPU_ROUTES: dict[str, str] = {"safe": "transformers", "fast": "torch", "graphs": "torch"}
"""Renamed values of `ocr.gpu_route` and `lm.gpu_route`."""

OPTIONS: dict[str, tuple[str, ...]] = {  # the options `--host`, `--port` and `--reload` have the same names in both
    "log_level": ("--loglevel",),
    "layout.model": ("--model-doc-layout",),
    "ocr.model": ("--model-ocr",),
    "layout.batch_wait_s": ("--dynamic-batching-microsleep",),
    "layout.batch_size": ("--dynamic-batching-batch-size",),
    "device": ("--accelerator-type",),
    "limits.max_pictures": ("--max-concurrent",),
    **{name: ("--" + earlier.replace(".", "-").replace("_", "-"),) for earlier, name in SETTINGS.items()},
}
"""By the name of our setting: further options for it. Most are of that server; docs/earlier_clients.md has the rest."""


def present_route(value: Any) -> Any:
    """A `gpu_route` by its present name; any other value is left to its validation."""
    return GPU_ROUTES.get(value, value) if isinstance(value, str) else value


def with_present_names(args: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a config file, those with an earlier name under their present one.

    Raises:
        ValueError: both names of a setting are set.
    """
    renamed = dict(args)
    for earlier, name in SETTINGS.items():
        (group, key), (_, present_key) = earlier.split("."), name.split(".")
        values = renamed.get(group)
        if not isinstance(values, Mapping) or key not in values:
            continue
        if present_key in values:
            raise ValueError(f"{earlier} is the earlier name of {name}; set one of them")
        renamed[group] = {present_key if one_key == key else one_key: value for one_key, value in values.items()}  # pyright: ignore[reportUnknownVariableType]
    return renamed
