"""Earlier names that settings are still accepted by: renamed settings, and options of an earlier layout and OCR
server.
"""

from __future__ import annotations

OPTIONS: dict[str, tuple[str, ...]] = {  # `--host`, `--port` and `--reload` are the same there
    "log_level": ("--loglevel",),
    "layout.model": ("--model-doc-layout",),
    "ocr.model": ("--model-ocr",),
    "layout.batch_wait_s": ("--dynamic-batching-microsleep",),
    "layout.batch_size": ("--dynamic-batching-batch-size",),
    "device": ("--accelerator-type",),
    "limits.max_pictures": ("--max-concurrent",),
}
"""By the name of our setting: what that server called it."""
