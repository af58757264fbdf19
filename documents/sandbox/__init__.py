"""The only processes that open outside bytes, and the pool that owns them."""

from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool

__all__ = ["RenderLimits", "RendererPool"]
