"""Turns the settings into the limits (time, CPU, memory, pixels) of each child process that parses or cuts."""

from __future__ import annotations

from configs import Settings
from documents.render_limits import RenderLimits


def render_limits(settings: Settings) -> RenderLimits:
    """Of each child, in Renderer and in Ocr."""
    options = settings.renderer
    return RenderLimits(
        max_pages=settings.limits.max_pages,
        max_pixels=options.max_pixels,
        page_timeout_s=options.page_timeout_s,
        page_cpu_s=options.page_cpu_s,
        memory_bytes=options.memory_mb * 1_000_000,
        resident_bytes=options.retire_mb * 1_000_000,
        documents_per_child=options.documents_per_child,
        structure_trees=options.structure_trees,
    )
