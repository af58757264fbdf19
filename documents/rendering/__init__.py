"""The only processes that open outside bytes, and the pool that owns them."""

from documents.rendering.limits import RenderLimits
from documents.rendering.pool import RendererPool

__all__ = ["RenderLimits", "RendererPool"]
