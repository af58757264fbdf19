"""Imports Ray Serve without pandas in each worker process, which saves 35 MB per process.

Serve looks for pandas to write data frames as JSON, which none of our answers contain; with pyarrow it takes 35 MB in
each process that runs no model. Code that needs pandas in a worker, such as a Ray Data job, imports it as usual.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import importlib
import sys


def import_serve() -> None:
    """Import Ray Serve as if pandas were not installed; nothing, where one of them is imported already."""
    if "pandas" in sys.modules or "ray.serve" in sys.modules:
        return
    sys.modules["pandas"] = None  # pyright: ignore[reportArgumentType]  an import of it raises ImportError
    try:
        importlib.import_module("ray.serve")
    finally:
        del sys.modules["pandas"]
