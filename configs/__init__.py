"""Typed settings: from the file, the environment and the command line to one frozen value."""

from configs.settings import (
    EmbedderSettings,
    LayoutSettings,
    LimitSettings,
    OcrSettings,
    RendererSettings,
    Settings,
)
from configs.settings_sources import Field, fields, with_environment, with_options

__all__ = [
    "EmbedderSettings",
    "Field",
    "LayoutSettings",
    "LimitSettings",
    "OcrSettings",
    "RendererSettings",
    "Settings",
    "fields",
    "with_environment",
    "with_options",
]
